import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react"
import { MemoryRouter, useNavigate } from "react-router"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { workForTest } from "./testing/work.ts"
import { useWorkList } from "./use-work-list.ts"

let known = ""
/** How often each Work was read alone. */
let readAlone = new Map<string, number>()
/** The Works that are done: they have left the list of open Work. */
let done = ""
/** The Works that the person does not see any more. */
let concealed = ""
/** Resolves when the desk may answer the list. */
let mayAnswer = Promise.resolve()
let client = new QueryClient()

beforeEach(() => {
  vi.useFakeTimers()
  client = new QueryClient({ defaultOptions: { queries: { staleTime: 1_000, retry: false } } })
  concealed = ""
  done = ""
  readAlone = new Map()
  mayAnswer = Promise.resolve()
  vi.stubGlobal("fetch", async (request: Request) => {
    if (!request.url.includes("/desk/work")) {
      const id = request.url.split("/").at(-1) ?? ""
      if (concealed.includes(id)) return new Response("", { status: 404 })
      readAlone.set(id, (readAlone.get(id) ?? 0) + 1)
      return Response.json({ ...workForTest(id), version: 2, ...(done.includes(id) && { status: "done" }) })
    }
    await mayAnswer
    const data = known.split("").map((id) => ({ ...workForTest(id), version: 1 }))
    return Response.json({ data, total: data.length, of: data.length, complete: true, colleagues: [] })
  })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const NO_FILTER = {}
function List() {
  const { rows, news, showNew } = useWorkList(NO_FILTER)
  return (
    <button type="button" onClick={showNew}>
      {rows.map(({ id }) => id)} {news} new
    </button>
  )
}

/** Two entries of a history: the list, and another page. */
function Pages() {
  const go = useNavigate()
  return (
    <>
      <button type="button" onClick={() => void go(-1)}>
        Back
      </button>
      <button type="button" onClick={() => void go("/other")}>
        Leave
      </button>
    </>
  )
}

async function openList(entry: string = crypto.randomUUID()) {
  const page = (
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={[{ pathname: "/work", key: entry }]}>
        <List />
        <Pages />
      </MemoryRouter>
    </QueryClientProvider>
  )
  render(page)
  await poll("")
}

/** Lets the list be read again, when these Works are known. */
async function poll(works: string) {
  if (works !== "") known = works
  await act(() => vi.advanceTimersByTimeAsync(10_000))
}
const list = () => screen.getByRole("button", { name: /new$/ }).textContent

test("a list that nobody has touched follows what is known, and says what is new", async () => {
  known = "ab"
  await openList()
  expect(list()).toBe("ab 0 new")
  await poll("xab")
  expect(list()).toBe("xab 1 new")
  await poll("yxa")
  expect(list()).toBe("yxa 2 new")
})

test("a list that was touched keeps its rows, and what is new waits", async () => {
  known = "ab"
  await openList()
  fireEvent.pointerMove(document.body)
  await poll("xab")
  expect(list()).toBe("ab 1 new")
  fireEvent.click(screen.getByRole("button", { name: /new$/ }))
  expect(list()).toBe("xab 0 new")
  await poll("yxa")
  expect(list(), "what has left stays in its place").toBe("xab 1 new")
})

/** Opens the list with `a` in the cache, lets `act` be done before the first answer of the visit, and then answers with `ab`. */
async function openBeforeAnswer(act: () => void) {
  known = "ab"
  client.setQueryData(["work-list", "", ""], { data: [workForTest("a")], isDone: false }, { updatedAt: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  mayAnswer = promise
  await openList()
  act()
  expect(list()).toBe("a 0 new")
  resolve()
  await poll("")
}

test("the first answer of a visit is shown also to somebody who has moved the pointer", async () => {
  await openBeforeAnswer(() => fireEvent.pointerMove(document.body))
  expect(list()).toBe("ab 0 new")
  await poll("xab")
  expect(list()).toBe("ab 1 new")
})

test("a list that was scrolled before the first answer of a visit keeps its rows", async () => {
  await openBeforeAnswer(() => {
    vi.stubGlobal("scrollY", 1)
    fireEvent.scroll(document)
  })
  expect(list()).toMatch(/^a /)
})

test("a Work that leaves a list that was touched keeps its row while the person sees the Work", async () => {
  known = "abc"
  await openList()
  fireEvent.pointerMove(document.body)
  concealed = "c"
  await poll("a")
  expect(list()).toBe("ab 0 new")
})

test("a Work that is done is read once, and one that is not is read once a minute", async () => {
  known = "abc"
  await openList()
  fireEvent.pointerMove(document.body)
  done = "c"
  await poll("a")
  for (let minute = 0; minute < 10; minute++) await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(readAlone.get("c")).toBe(1)
  expect(readAlone.get("b")).toBeLessThan(16)
  expect(readAlone.get("b")).toBeGreaterThan(8)
})

test("after going back a Work that has left the list is not counted as new", async () => {
  known = "ab"
  await openList()
  fireEvent.pointerMove(document.body)
  fireEvent.click(screen.getByRole("button", { name: "Leave" }))
  await poll("a")
  fireEvent.click(screen.getByRole("button", { name: "Back" }))
  await poll("")
  expect(list()).toBe("ab 0 new")
})

test("after going back the list is as it was left", async () => {
  known = "ab"
  await openList()
  fireEvent.keyDown(document.body, { key: "Tab" })
  await poll("xab")
  fireEvent.click(screen.getByRole("button", { name: "Leave" }))
  expect(list(), "a new visit").toBe("xab 0 new")
  fireEvent.click(screen.getByRole("button", { name: "Back" }))
  expect(list()).toBe("ab 1 new")
})

import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test, vi } from "vitest"
import RecordPage from "./record-page.tsx"

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function openRecord() {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <RecordPage />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

test.each([true, false])(
  "where the desk's answer has complete: %s, the page says whether entries are missing",
  async (complete) => {
    vi.stubGlobal("fetch", async () => Response.json({ data: [], complete }))
    openRecord()
    await screen.findByText(complete ? "The record is empty" : /^Some entries are missing/)
    expect(screen.queryByText(complete ? /^Some entries are missing/ : "The record is empty")).toBeNull()
  },
)

function entry(sequence: number, outcome = "recorded") {
  return {
    sequence,
    outcome,
    at: "2026-11-26T10:00:00Z",
    person: { id: "ada", name: "Ada" },
    roles: [],
    operation: "createWork",
    work_id: `work_${sequence}`,
  }
}

/** Answers each query of `/desk/record` with its page of `pages`. Returns the queries that were asked. */
function answerFrom(pages: Readonly<Record<string, object>>): readonly string[] {
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      observe() {}
      disconnect() {}
    },
  )
  const asked: string[] = []
  vi.stubGlobal("fetch", async (request: Request) => {
    const { search } = new URL(request.url)
    asked.push(search)
    return Response.json({ complete: true, ...pages[search] })
  })
  return asked
}

test("an outcome that became known while its entry left the newest page is not shown as unknown", async () => {
  const pages: Record<string, object> = {
    "": { data: [entry(4), entry(3, "unknown")], next_cursor: "before 3" },
    "?cursor=before+4": { data: [entry(3), entry(2)], next_cursor: "before 2" },
  }
  const asked = answerFrom(pages)
  openRecord()
  await screen.findByText("work_4")
  screen.getByText("Outcome unknown", { ignore: "option" })
  pages[""] = { data: [entry(5), entry(4)], next_cursor: "before 4" }
  fireEvent.click(screen.getByRole("button", { name: "Refresh" }))
  await screen.findByText("work_5")
  expect(screen.queryByText("Outcome unknown", { ignore: "option" })).toBeNull()
  screen.getByText("work_3")
  expect(screen.queryByText("work_2")).toBeNull()
  expect(asked).toEqual(["", "", "?cursor=before+4"])
})

test("a refresh reads down to the known entries where more than a page came, so that no older entry goes", async () => {
  const pages: Record<string, object> = { "": { data: [entry(2), entry(1)] } }
  const asked = answerFrom(pages)
  openRecord()
  await screen.findByText("work_1")
  pages[""] = { data: [entry(6), entry(5)], next_cursor: "before 5" }
  pages["?cursor=before+5"] = { data: [entry(4), entry(3)], next_cursor: "before 3" }
  pages["?cursor=before+3"] = { data: [entry(2), entry(1)] }
  fireEvent.click(screen.getByRole("button", { name: "Refresh" }))
  await screen.findByText("work_6")
  for (const sequence of [5, 4, 3, 2, 1]) screen.getByText(`work_${sequence}`)
  expect(asked).toEqual(["", "", "?cursor=before+5", "?cursor=before+3"])
})

import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createAsker } from "./ask-waiting.ts"
// With this import no test waits in real time for the code of `readChange`.
import "./waiting-changes.ts"
import type { AnsweredWaiting } from "./waiting.ts"

let requests: string[]
let answer: () => Promise<Response>

const waitingJson = { attention: [], approvals: [], checked: 1, total: 1, complete: true, oldest_check_at: null }
const waitingOf = (etag: string) => async () => Response.json(waitingJson, { headers: { etag } })
const waiting = async () => Response.json({ ...waitingJson, total: 2 }, { headers: { etag: '"2"' } })
const change = { ...waitingJson, attention: undefined, approvals: undefined, etag: '"2"', since: '"1"', gone: [] }
const changeOf = (rest: object) => async () =>
  Response.json({ ...change, changed: { attention: [], approvals: [] }, ...rest })
const unchanged = async () => new Response(null, { status: 304 })
const cut = () => Promise.reject(new TypeError("Failed to fetch"))
const problem = (status: number) => async () => new Response("", { status })
const after = async (ms: number, next: () => Promise<Response>) => {
  await new Promise((resolve) => setTimeout(resolve, ms))
  return next()
}

beforeEach(() => {
  vi.useFakeTimers()
  requests = []
  vi.stubGlobal("fetch", async (request: Request) => {
    requests.push(new URL(request.url).search)
    return answer()
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const KNOWN: AnsweredWaiting = { etag: '"1"', answer: waitingJson }
const HELD = "?wait=25"
const SINCE = "?wait=25&since=%221%22"

/** Asks once with the answers `next`, and returns what was asked, what came, and the pause after it. */
async function askWith(
  ask: ReturnType<typeof createAsker>,
  next: () => Promise<Response>,
  known: AnsweredWaiting | undefined = KNOWN,
) {
  answer = next
  const asked = ask(known, true, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(25_000)
  const { outcome, pauseMs } = await asked
  return [requests.at(-1), typeof outcome === "object" ? outcome.constructor.name : outcome, Math.round(pauseMs)]
}

test("a desk that holds requests is asked again at once", async () => {
  const ask = createAsker()
  answer = waiting
  expect((await ask(undefined, true, new AbortController().signal)).pauseMs).toBe(250)
  expect(await askWith(ask, () => after(25_000, unchanged))).toEqual([SINCE, "unchanged", -24_750])
  expect(await askWith(ask, () => after(9_000, changeOf({})))).toEqual([SINCE, "Object", -8_750])
})

test("while a desk checks more than a hundred Works for the first time, it is asked at most once in two seconds", async () => {
  const gathering = (total: number): AnsweredWaiting => ({
    ...KNOWN,
    answer: { ...waitingJson, total, complete: false },
  })
  const ask = createAsker()
  expect(await askWith(ask, () => after(200, changeOf({})), gathering(500))).toEqual([SINCE, "Object", 1800])
  expect(await askWith(ask, () => after(200, changeOf({})), gathering(100))).toEqual([SINCE, "Object", 50])
  expect(await askWith(ask, () => after(200, changeOf({})))).toEqual([SINCE, "Object", 50])
})

test.each([
  ["a network that cuts held requests", () => after(700, cut), "inconclusive"],
  ["a desk that answers at once that nothing is new", unchanged, "unchanged"],
])("%s is asked every ten seconds, and to hold again after ten minutes", async (_, notHeld, outcome) => {
  const ask = createAsker()
  for (let round = 0; round < 2; round++) {
    expect((await askWith(ask, notHeld)).slice(0, 2)).toEqual([SINCE, outcome])
    // A change that comes early does not show that requests are held to their end.
    await askWith(ask, waiting)
  }
  expect(await askWith(ask, waiting)).toEqual(["", "Object", 10_000])
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect((await askWith(ask, waiting))[0]).toBe(SINCE)
})

test.each([
  ["a desk that is away", cut, 5_000],
  ["a refused credential", problem(401), 30_000],
])("%s is shown, and asked again after a pause", async (_, fails, pauseMs) => {
  const ask = createAsker()
  expect(await askWith(ask, fails)).toEqual([SINCE, "inconclusive", 250])
  expect(await askWith(ask, fails)).toEqual(["", "DeskError", pauseMs])
})

test("a desk that restarts is asked to hold again: it answers what it held, or is away for a while", async () => {
  const ask = createAsker()
  for (let restarts = 0; restarts < 3; restarts++) {
    expect(await askWith(ask, () => after(100, waiting))).toEqual([SINCE, "Object", 150])
    expect((await askWith(ask, cut)).slice(0, 2)).toEqual([SINCE, "inconclusive"])
    expect((await askWith(ask, cut)).slice(0, 2)).toEqual(["", "DeskError"])
    expect(await askWith(ask, waiting)).toEqual(["", "Object", 250])
  }
})

test.each([
  ["refuses `since`", [problem(400)]],
  ["does not know `since`, and answers at once", [waitingOf('"1"'), waitingOf('"1"')]],
  ["tells the change of another answer", [changeOf({ since: '"0"' })]],
  ["names what is gone without a Work", [changeOf({ gone: [{ item: "a" }] })]],
  ["leaves out what has changed", [changeOf({ changed: null })]],
  ["sends an entry without an item", [changeOf({ changed: { attention: [], approvals: [{ work: { id: "w" } }] } })]],
])("a desk that %s is asked for whole answers, for ten minutes", async (_, answers) => {
  const ask = createAsker()
  for (const next of answers) expect((await askWith(ask, next))[0]).toBe(SINCE)
  expect(await askWith(ask, () => after(9_000, waiting))).toEqual([HELD, "Object", -8_750])
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect((await askWith(ask, changeOf({}))).slice(0, 2)).toEqual([SINCE, "Object"])
})

test("a desk that neither knows `since` nor `wait` is asked every ten seconds", async () => {
  const ask = createAsker()
  const asked = []
  for (let round = 0; round < 5; round++) {
    const [query] = await askWith(ask, async () => (requests.at(-1) === "" ? waiting() : problem(400)()))
    asked.push(query)
  }
  expect(asked).toEqual([SINCE, HELD, "", HELD, ""])
  expect(await askWith(ask, waiting)).toEqual(["", "Object", 10_000])
})

test("behind a front that rewrites ETags and passes each answer at once, the desk is asked every ten seconds", async () => {
  const ask = createAsker()
  const asked = []
  let known = KNOWN
  for (let round = 0; round < 6; round++) {
    answer = waitingOf(`W/"${round}-gzip"`)
    const { outcome, pauseMs } = await ask(known, true, new AbortController().signal)
    if (typeof outcome === "object" && "next" in outcome) known = outcome.next
    asked.push([requests.at(-1)?.includes("wait=25"), pauseMs])
    await vi.advanceTimersByTimeAsync(pauseMs)
  }
  expect(asked).toEqual([[true, 250], [true, 10_000], ...Array.from({ length: 4 }, () => [false, 10_000])])
})

test("a front that changes each answer gets one request in a second, after the first forty", async () => {
  const ask = createAsker()
  let known = KNOWN
  const pauses: number[] = []
  for (let round = 0; round < 80; round++) {
    answer = async () => Response.json({ ...waitingJson, total: round }, { headers: { etag: `"${round}"` } })
    const { outcome, pauseMs } = await ask(known, true, new AbortController().signal)
    if (typeof outcome === "object" && "next" in outcome) known = outcome.next
    pauses.push(pauseMs)
    await vi.advanceTimersByTimeAsync(pauseMs)
  }
  expect(new Set(pauses.slice(0, 39))).toEqual(new Set([250]))
  expect(new Set(pauses.slice(60))).toEqual(new Set([1_000]))
})

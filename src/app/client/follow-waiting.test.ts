import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createAsker } from "./follow-waiting.ts"

let requests: string[]
let answer: () => Promise<Response>

const waiting = async () => Response.json({ attention: [], approvals: [] }, { headers: { etag: '"2"' } })
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

/** Asks once with the answers `next`, and gives what was asked, what came, and the pause after it. */
async function askWith(
  ask: ReturnType<typeof createAsker>,
  next: () => Promise<Response>,
  etag: string | null = '"1"',
) {
  answer = next
  const asked = ask(etag ?? undefined, true, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(25_000)
  const { outcome, pauseMs } = await asked
  return [requests.at(-1), typeof outcome === "object" ? outcome.constructor.name : outcome, Math.round(pauseMs)]
}

test("a desk that holds requests is asked again at once", async () => {
  const ask = createAsker()
  expect(await askWith(ask, waiting, null)).toEqual(["", "Object", 250])
  expect(await askWith(ask, () => after(25_000, unchanged))).toEqual(["?wait=25", "unchanged", -24_750])
  expect(await askWith(ask, () => after(9_000, waiting))).toEqual(["?wait=25", "Object", -8_750])
})

test.each([
  ["a network that cuts held requests", () => after(700, cut), "silent"],
  ["a desk that does not know `wait`", problem(400), "silent"],
  ["a desk that answers at once that nothing is new", unchanged, "unchanged"],
])("%s is asked every ten seconds, and to hold again after ten minutes", async (_, notHeld, outcome) => {
  const ask = createAsker()
  for (let round = 0; round < 2; round++) {
    expect((await askWith(ask, notHeld)).slice(0, 2)).toEqual(["?wait=25", outcome])
    // A change that comes early does not show that requests are held to their end.
    await askWith(ask, waiting)
  }
  expect(await askWith(ask, waiting)).toEqual(["", "Object", 10_000])
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect((await askWith(ask, waiting))[0]).toBe("?wait=25")
})

test.each([
  ["a desk that is away", cut, 5_000],
  ["a refused credential", problem(401), 30_000],
])("%s is shown, and asked again after a pause", async (_, fails, pauseMs) => {
  const ask = createAsker()
  expect(await askWith(ask, fails)).toEqual(["?wait=25", "silent", 250])
  expect(await askWith(ask, fails)).toEqual(["", "DeskError", pauseMs])
})

test("a desk that restarts is asked to hold again: it answers what it held, or is away for a while", async () => {
  const ask = createAsker()
  for (let restarts = 0; restarts < 3; restarts++) {
    expect(await askWith(ask, () => after(100, waiting))).toEqual(["?wait=25", "Object", 150])
    expect((await askWith(ask, cut)).slice(0, 2)).toEqual(["?wait=25", "silent"])
    expect((await askWith(ask, cut)).slice(0, 2)).toEqual(["", "DeskError"])
    expect(await askWith(ask, waiting)).toEqual(["", "Object", 250])
  }
})

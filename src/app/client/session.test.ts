import { afterEach, beforeEach, expect, it, vi } from "vitest"

const DAY_MS = 24 * 60 * 60 * 1000

beforeEach(() => {
  vi.useFakeTimers()
  vi.resetModules()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it("is asked for again at its Retry-After and not before, also after a wait longer than the longest timer", async () => {
  const problem = {
    type: "t",
    title: "No",
    status: 503,
    detail: "",
    instance: "i",
    code: "NO",
    request_id: "r",
    retryable: true,
  }
  const headers = { "content-type": "application/problem+json", "retry-after": String((35 * DAY_MS) / 1000) }
  const ask = vi.fn<typeof fetch>(async () => new Response(JSON.stringify(problem), { status: 503, headers }))
  vi.stubGlobal("fetch", ask)
  const { readSession } = await import("./session.ts")
  await readSession()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(ask).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(36 * DAY_MS)
  expect(ask).toHaveBeenCalledTimes(2)
})

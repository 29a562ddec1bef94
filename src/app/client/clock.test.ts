import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { callAt, compareClocks, deskNow, steadyNow } from "./clock.ts"
import { errorFromResponse } from "./desk-error.ts"

const DAY_MS = 24 * 60 * 60 * 1000

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  // The clocks of this page serve the next test file too.
  compareClocks(new Date().toUTCString())
  expect(deskNow() - Date.now()).toBe(0)
})

it("calls once, also after a wait longer than the longest timer", () => {
  const act = vi.fn<() => void>()
  callAt(steadyNow() + 35 * DAY_MS, act)
  vi.advanceTimersByTime(35 * DAY_MS - 1_000)
  expect(act).not.toHaveBeenCalled()
  vi.advanceTimersByTime(2_000)
  expect(act).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(35 * DAY_MS)
  expect(act).toHaveBeenCalledTimes(1)
})

it("does not wait longer when the clock is set back", () => {
  const act = vi.fn<() => void>()
  callAt(steadyNow() + 5_000, act)
  vi.setSystemTime(Date.now() - DAY_MS)
  vi.advanceTimersByTime(6_000)
  expect(act).toHaveBeenCalledTimes(1)
})

it("calls soon when the moment has passed, and never after it is cancelled", () => {
  const [late, cancelled] = [vi.fn<() => void>(), vi.fn<() => void>()]
  callAt(steadyNow() - 1, late)
  callAt(steadyNow() + 10, cancelled)()
  expect(late).not.toHaveBeenCalled()
  vi.advanceTimersByTime(100)
  expect(late).toHaveBeenCalledTimes(1)
  expect(cancelled).not.toHaveBeenCalled()
})

it("takes the present from the desk's clock where this machine's is wrong", () => {
  const now = 1_800_000_000_000
  vi.setSystemTime(now)
  compareClocks(new Date(now + 1_000).toUTCString())
  expect(deskNow()).toBe(now)
  vi.setSystemTime(now + 300_000)
  compareClocks(new Date(now).toUTCString())
  expect(Math.abs(deskNow() - now)).toBeLessThan(1_000)
})

it("counts the wait of a Retry-After that is a date from the desk's clock", async () => {
  const now = 1_800_000_000_000
  vi.setSystemTime(now + 600_000)
  compareClocks(new Date(now).toUTCString())
  const headers = { "retry-after": new Date(now + 60_000).toUTCString() }
  const { retryAt = 0 } = await errorFromResponse(new Response("", { status: 503, headers }))
  expect(Math.abs(retryAt - steadyNow() - 60_000)).toBeLessThan(1_000)
})

import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest"

const DAY_MS = 24 * 60 * 60 * 1000

beforeEach(() => {
  vi.useFakeTimers()
  vi.resetModules()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
// The session of a test would stay for the next test file.
afterAll(() => vi.resetModules())

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

it("has one timer during an outage, however often its end, a refusal or a change of tabs asks too", async () => {
  const ask = vi.fn<typeof fetch>(async () => Promise.reject(new TypeError("no network")))
  vi.stubGlobal("fetch", ask)
  const { readSession } = await import("./session.ts")
  const asked: number[] = []
  for (let minute = 0; minute < 10; minute++) {
    const before = ask.mock.calls.length
    await readSession()
    document.dispatchEvent(new Event("visibilitychange"))
    await vi.advanceTimersByTimeAsync(60_000)
    asked.push(ask.mock.calls.length - before)
  }
  // The modules of earlier tests hear the event, too, so only a growth shows a second timer.
  expect(Math.max(...asked)).toBeLessThan(2 * Math.min(...asked))
})

it.each([
  ["a page of the network's own", "<!doctype html><title>Sign in to the network</title>"],
  ["JSON of another program", '{"status":"ok"}'],
])("is said to be unreadable where the answer is %s, and read again", async (_, body) => {
  const session = {
    mode: "local",
    person: { id: "local", name: "local", roles: ["reader"], operations: [] },
    upstream: "embedded",
    colleagues: [],
    version: "1",
    contact: null,
    ends_at: null,
  }
  const ask = vi.fn<typeof fetch>(async () => new Response(JSON.stringify(session)))
  ask.mockResolvedValueOnce(new Response(body))
  vi.stubGlobal("fetch", ask)
  const { pagePerson, readSession, useSessionState } = await import("./session.ts")
  const { renderHook } = await import("@testing-library/react")
  const { result } = renderHook(useSessionState)
  await readSession()
  expect(result.current).toMatchObject({ kind: "failed", error: { kind: "unreadable" } })
  await vi.advanceTimersByTimeAsync(6_000)
  expect(pagePerson()).toBe("local")
})

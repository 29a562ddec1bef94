import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest"
import { readSequence } from "./event-connection.ts"

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

const person = { id: "ben", name: "Ben", roles: ["reader"], operations: [] }
const session = { mode: "sign-in", upstream: "embedded", colleagues: [], version: "1", contact: null, ends_at: null }
const signedOut = {
  type: "t",
  title: "Signed out",
  status: 401,
  detail: "",
  instance: "i",
  code: "PROXY_SIGNED_OUT",
  request_id: "r",
  retryable: false,
}

it("hears silence only while the page is not locked", async () => {
  let isSignedIn = true
  const ask = vi.fn<(input: Request | string) => Promise<Response>>(async (input) => {
    if (input === "/desk/session")
      return Response.json(isSignedIn ? { ...session, person } : { mode: "sign-in", person: null, version: "1" })
    if (isSignedIn) return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } })
    return Response.json(signedOut, { status: 401, headers: { "content-type": "application/problem+json" } })
  })
  vi.stubGlobal("fetch", ask)
  const { readSession } = await import("../client/session.ts")
  const { readEventStream } = await import("./event-connection.ts")
  await readSession()
  isSignedIn = false
  const onOpen = vi.fn<() => void>()
  const ended = vi.fn<(end: unknown) => void>()
  const address = `${location.origin}/events`
  const { signal } = new AbortController()
  void readEventStream({ address, silenceMs: 45_000, signal, onOpen, onFrame: () => {} }).then(ended)
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect(ended).not.toHaveBeenCalled()
  isSignedIn = true
  await readSession()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(onOpen).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(90_000)
  expect(ended).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ reason: "late" }))
})

it.each([undefined, "", "seven", "-1", "1.5", "9223372036854775808", " 3"])("finds no sequence in %j", (id) => {
  expect(readSequence(id)).toBeUndefined()
  expect(readSequence("9223372036854775807")).toBe(9223372036854775807n)
})

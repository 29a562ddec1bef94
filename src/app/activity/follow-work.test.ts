import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type FollowState, followWork, reconnectDelay } from "./follow-work.ts"

const addresses: string[] = []

/** Answers each request for events with the next of these streams. */
function serveStreams(...streams: string[]) {
  const fetchStream = async (request: Request) => {
    addresses.push(request.url)
    const text = streams.shift()
    const body = text === undefined ? new ReadableStream() : new Blob([text]).stream()
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  }
  vi.stubGlobal("fetch", fetchStream)
}

beforeEach(() => {
  addresses.length = 0
  const request = (_name: string, ...rest: unknown[]) => Promise.resolve((rest.at(-1) as () => unknown)())
  vi.stubGlobal("navigator", { onLine: true, locks: { request, query: async () => ({ held: [] }) } })
})
afterEach(() => vi.unstubAllGlobals())

const frame = (id: string) => `id: ${id}\nevent: step\ndata: {}\n\n`

it("gives each event once, also sequence 0 and those beyond 2^53, and goes on after the greatest", async () => {
  const first = ["0", "0", "9007199254740992", "9007199254740993", "9007199254740992", "seven"]
  serveStreams(first.map(frame).join(""), ["9007199254740993", "9007199254740994"].map(frame).join(""))
  const ids: (string | undefined)[] = []
  const end = followWork("w", ({ id }) => ids.push(id)).start()
  await expect.poll(() => addresses.length, { timeout: 5_000 }).toBe(3)
  end()
  expect(ids).toEqual(["0", "9007199254740992", "9007199254740993", "seven", "9007199254740994"])
  expect(addresses.map((address) => address.split("after=")[1])).toEqual(["0", "9007199254740993", "9007199254740994"])
})

it.each(["", ".", "..", "\ud800"])("stops at once for the id %j, which no browser can send", async (workId) => {
  const states: FollowState[] = []
  const follower = followWork(workId, () => {})
  follower.subscribe(() => states.push(follower.state()))
  follower.start()
  await expect.poll(() => states.at(-1)).toMatchObject({ name: "stopped", error: { kind: "unaddressable" } })
})

describe("the delay before another try", () => {
  it("is within a second at first, and never more than ten", () => {
    for (const random of [0, 0.5, 1]) {
      expect(reconnectDelay(0, random)).toBeLessThan(1_000)
      for (let failures = 0; failures < 100; failures++)
        expect(reconnectDelay(failures, random)).toBeLessThanOrEqual(10_000)
    }
  })

  it("grows with each try, whatever the jitter, until ten seconds", () => {
    for (let failures = 0; failures < 3; failures++)
      expect(reconnectDelay(failures + 1, 1)).toBeGreaterThan(reconnectDelay(failures, 0))
    expect(reconnectDelay(3, 0)).toBe(2 * reconnectDelay(2, 0))
    expect(reconnectDelay(50, 0)).toBe(10_000)
  })
})

import { describe, expect, it, vi } from "vitest"
import { createEventCursor } from "./event-cursor.ts"
import { openEventStream, reconnectDelay, type StreamState } from "./event-stream.ts"

it.each(["", ".", "..", "\ud800"])("stops at once for the id %j, which no browser can send", async (workId) => {
  const onState = vi.fn<(state: StreamState) => void>()
  openEventStream({ workId, cursor: createEventCursor(), onEvent: () => {}, onState })
  await expect.poll(() => onState).toHaveBeenCalled()
  expect(onState.mock.calls).toMatchObject([[{ name: "stopped", error: { kind: "unaddressable" } }]])
})

describe("the delay before another try", () => {
  it("is within a second at first, and never more than ten", () => {
    for (const random of [0, 0.5, 1]) {
      expect(reconnectDelay(0, random)).toBeLessThan(1_000)
      for (let attempt = 0; attempt < 100; attempt++)
        expect(reconnectDelay(attempt, random)).toBeLessThanOrEqual(10_000)
    }
  })

  it("grows with each try, whatever the jitter, until ten seconds", () => {
    for (let attempt = 0; attempt < 3; attempt++)
      expect(reconnectDelay(attempt + 1, 1)).toBeGreaterThan(reconnectDelay(attempt, 0))
    expect(reconnectDelay(3, 0)).toBe(2 * reconnectDelay(2, 0))
    expect(reconnectDelay(50, 0)).toBe(10_000)
  })
})

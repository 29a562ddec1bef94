import { describe, expect, it } from "vitest"
import { reconnectDelay } from "./reconnect-delay.ts"

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

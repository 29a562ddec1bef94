import { describe, expect, it } from "vitest"
import { formatDuration, readTimeLimit } from "./time-limit.ts"

describe("the time limit", () => {
  it.each([
    ["45", 2700],
    [" 1 h 30 min ", 5400],
    ["1:30", 5400],
    ["1.1 hours", 3960],
    ["1,5h", 5400],
    ["90s", 90],
    ["2 hours and 5 minutes", 7500],
    ["24 h", 86_400],
    ["1 s", 1],
  ])("reads %s as %d seconds", (text, seconds) => {
    expect(readTimeLimit(text)).toEqual({ seconds })
  })

  it.each(["soon", "1 h 30", "5 days", "-5", "1:75", "1e3", "0.5 s", "0"])("does not guess at %s", (text) => {
    expect(readTimeLimit(text)).toHaveProperty("problem")
  })

  it("says by how much it is too long", () => {
    expect(readTimeLimit("24 h 1 s")).toEqual({ problem: "1 second too long: at most 24 hours." })
    expect(readTimeLimit("1500")).toEqual({ problem: "1 hour too long: at most 24 hours." })
  })

  it("is repeated in words", () => {
    expect(formatDuration(5461)).toBe("1 hour 31 minutes 1 second")
  })
})

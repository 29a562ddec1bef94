import { describe, expect, it } from "vitest"
import { framesOf, openLog, readLogLevel } from "./log.ts"

describe("the log", () => {
  it("writes one JSON object a line, with time, level and message", () => {
    const lines: string[] = []
    const log = openLog("info", { write: (line) => void lines.push(line) })
    log.info({ request_id: "r-1", status: 200, cause: undefined }, "line\nend")
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^[^\n]+\n$/)
    const line: Record<string, unknown> = JSON.parse(lines[0] ?? "")
    expect(line).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      request_id: "r-1",
      status: 200,
      message: "line\nend",
    })
  })

  it("has the stack frames of an error and not its message", () => {
    const error = new TypeError("a secret\n    at the second line")
    expect(framesOf(error)).toMatch(/^TypeError\n\s+at .*log\.test\.ts/)
    expect(framesOf(error)).not.toMatch(/secret|second line/)
    expect(framesOf("a secret")).toBe("string")
  })

  it("leaves out the levels below its own", () => {
    const lines: string[] = []
    const log = openLog("warn", { write: (line) => void lines.push(line) })
    for (const level of ["debug", "info", "warn", "error"] as const) log[level]({}, level)
    expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual(["warn", "error"])
  })

  it("refuses an unknown level and does not repeat it", () => {
    expect(readLogLevel(undefined)).toBe("info")
    expect(readLogLevel("debug")).toBe("debug")
    expect(() => readLogLevel("loud")).toThrow(/^LOG_LEVEL must be one of debug, info, warn, error$/)
  })
})

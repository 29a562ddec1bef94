import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, expect, it, onTestFinished } from "vitest"
import { framesOf, openLog, readLogLevel } from "./log.ts"

/** The error that `work` throws. */
function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

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
    const wrapped = new Error("a secret", { cause: thrownBy(() => Buffer.from(7 as never)) })
    expect(framesOf(wrapped)).toMatch(/^Error\n\s+at .*\n[^]*caused by TypeError ERR_INVALID_ARG_TYPE\n\s+at /)
    expect(framesOf(wrapped)).not.toMatch(/secret|must be/)
  })

  it.each([
    () => JSON.parse('{"comment": secret-body}') as unknown,
    () => BigInt("secret-body"),
    () => decodeURIComponent("%secret-body"),
    () => new URL("secret-body"),
  ])("quotes no value in an error of the engine: %#", (work) => {
    expect(framesOf(thrownBy(work))).toMatch(/^\w+Error.*\n\s+at /)
    expect(framesOf(thrownBy(work))).not.toContain("secret")
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

const LOG = new URL("log.ts", import.meta.url).href

/** A process that logs 400 kB every 20 ms, and writes to standard error after half a second. */
const PROGRAM = `
  const { openLog } = await import(${JSON.stringify(LOG)})
  const log = openLog("info")
  const timer = setInterval(() => { for (let line = 0; line < 400; line += 1) log.info({}, "x".repeat(1000)) }, 20)
  setTimeout(() => { clearInterval(timer); console.error("went on"); process.exit(0) }, 500)
`

it.each(["gone", "slow"])("a reader of the log that is %s does not stop the program", async (reader) => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  if (reader === "gone") child.stdout.destroy()
  else child.stdout.pause()
  const ended = once(child, "exit")
  const [said] = await once(child.stderr, "data")
  expect(String(said)).toContain("went on")
  expect((await ended)[0]).toBe(0)
})

it("every line is there when the program ends", async () => {
  const program = `
    const { openLog } = await import(${JSON.stringify(LOG)})
    const log = openLog("info")
    for (let line = 0; line < 500; line += 1) log.info({ line }, "x".repeat(1000))
    process.exit(0)
  `
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const pieces: string[] = []
  for await (const piece of child.stdout) pieces.push(String(piece))
  const lines = pieces.join("").trim().split("\n")
  expect(lines).toHaveLength(500)
  expect(JSON.parse(lines[499] ?? "")).toMatchObject({ line: 499 })
})

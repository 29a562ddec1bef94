/** The log of the desk and of the embedded service: one JSON object a line (`docs/operating.md`, "Health, metrics and logs"). */
import { writeSync } from "node:fs"
import pino, { type DestinationStream } from "pino"
import { demand } from "./environment.ts"

const LEVELS = ["debug", "info", "warn", "error"] as const

export type LogLevel = (typeof LEVELS)[number]

/** The members of a line besides `time`, `level` and `message`. They hold no secret, no body, and no path that somebody sent. */
export type LogFields = Readonly<Record<string, LogValue | readonly (string | LogObject)[] | LogObject | undefined>>

type LogObject = Readonly<Record<string, LogValue | undefined>>

type LogValue = string | number | bigint | boolean | null

/** Writes one line for each call. A field that is undefined is left out. */
export type Log = {
  readonly [Level in LogLevel]: (fields: LogFields, message: string) => void
} & {
  /** Writes a line of level info, at every LOG_LEVEL. */
  readonly always: (fields: LogFields, message: string) => void
  /** Writes the lines that are still in memory. */
  readonly flush: () => void
}

/** Reads LOG_LEVEL; `info` when the value is empty. @throws ConfigurationError when the value is not a level */
export function readLogLevel(value: string | undefined): LogLevel {
  const level = LEVELS.find((name) => name === (value || "info"))
  demand(level !== undefined, `LOG_LEVEL must be one of ${LEVELS.join(", ")}`)
  return level
}

/** Logs to standard output, or to `destination`. */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  if (destination !== undefined) return toLog(level, destination, () => undefined)
  const standardOutput = openLogOutput()
  return toLog(level, standardOutput, () => void standardOutput.flush())
}

let lastTime = { at: 0, member: "" }

/** The member `time` of a line. Lines of the same millisecond share one formatted date. */
function timeMember(): string {
  const at = Date.now()
  if (at !== lastTime.at) lastTime = { at, member: `,"time":"${new Date(at).toISOString()}"` }
  return lastTime.member
}

function toLog(level: LogLevel, destination: DestinationStream, flush: () => void): Log {
  const logger = pino(
    {
      level,
      messageKey: "message",
      base: null,
      timestamp: timeMember,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  )
  const atEveryLevel = logger.child({}, { level: "info" })
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    always: (fields, message) => atEveryLevel.info(fields, message),
    flush,
  }
}

// Several lines are written at once, because one write costs as much as one request.
const BUFFER_CHARACTERS = 8_192
const FLUSH_MS = 50
const UNWRITTEN_MAX_BYTES = 1_048_576

// At the end, the process waits at most 200 ms for a slow reader of the log.
const LAST_FLUSH_ATTEMPTS = 20
const LAST_FLUSH_PAUSE_MS = 10

/** Where log lines go. `flush` writes the lines in memory and says whether all of them were written. */
type LogOutput = { readonly write: (line: string) => void; readonly flush: () => boolean }

/**
 * Writes log lines to standard output. The program never waits for the reader of its log: up to 1 MiB of lines wait in memory. Lines are dropped
 * when more would wait, when the reader is gone, or when the disk is full. (Measured: in these cases the synchronous flush of sonic-boom 4
 * retries for ever and blocks the process.) Reading `process.stdout` makes Node open a pipe in non-blocking mode.
 */
function openLogOutput(): LogOutput {
  const { fd } = process.stdout
  let lines = ""
  let waiting = Buffer.alloc(0)
  const flush = () => {
    waiting = Buffer.concat([waiting, Buffer.from(lines)])
    lines = ""
    try {
      while (waiting.length > 0) waiting = waiting.subarray(writeSync(fd, waiting))
    } catch (error) {
      const isSlow = error instanceof Error && "code" in error && error.code === "EAGAIN"
      if (!isSlow) waiting = Buffer.alloc(0)
      // The last written line may be incomplete, so the next line begins after a line end.
      else if (waiting.length > UNWRITTEN_MAX_BYTES) waiting = Buffer.from("\n")
    }
    return waiting.length === 0
  }
  const write = (line: string) => {
    lines += line
    if (lines.length >= BUFFER_CHARACTERS) flush()
  }
  setInterval(flush, FLUSH_MS).unref()
  process.on("exit", () => {
    const clock = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    for (let attempt = 0; attempt < LAST_FLUSH_ATTEMPTS && !flush(); attempt += 1)
      Atomics.wait(clock, 0, 0, LAST_FLUSH_PAUSE_MS)
  })
  return { write, flush }
}

/** The error's name, code and stack frames, and those of its causes. The messages are left out: a message may quote a value that somebody sent. */
export function framesOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { name, message, stack = "", cause } = error
  const code = "code" in error ? ` ${String(error.code)}` : ""
  // The stack begins with the message, which may have several lines.
  const frames = stack.slice(stack.indexOf(message) + message.length).split("\n")
  const lines = [name + code, ...frames.filter((line) => /^\s+at /.test(line))]
  return [...lines, ...(cause === undefined ? [] : [`caused by ${framesOf(cause)}`])].join("\n")
}

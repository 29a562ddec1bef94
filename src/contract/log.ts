/** The log of the desk and of the embedded service: one JSON object a line (`docs/operating.md`, "Health, metrics and logs"). */
import pino, { type DestinationStream, stdTimeFunctions } from "pino"
import { ConfigurationError } from "./configuration-error.ts"
import { openLogOutput } from "./log-output.ts"

/** The error's name and stack frames, without its message: a message may quote a value that somebody sent. */
export function framesOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { name, message, stack = "" } = error
  // The stack begins with the message, which may have several lines.
  const frames = stack.slice(stack.indexOf(message) + message.length).split("\n")
  return [name, ...frames.filter((line) => /^\s+at /.test(line))].join("\n")
}

const LEVELS = ["debug", "info", "warn", "error"] as const

export type LogLevel = (typeof LEVELS)[number]

/** The members of a line besides `time`, `level` and `message`. They hold no secret, no body, and no path that somebody sent. */
export type LogFields = Readonly<Record<string, string | number | bigint | boolean | readonly string[] | undefined>>

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
  if (level === undefined) throw new ConfigurationError(`LOG_LEVEL must be one of ${LEVELS.join(", ")}`)
  return level
}

/** Logs to standard output, or to `destination`. */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  if (destination !== undefined) return toLog(level, destination, () => undefined)
  const standardOutput = openLogOutput()
  return toLog(level, standardOutput, () => void standardOutput.flush())
}

function toLog(level: LogLevel, destination: DestinationStream, flush: () => void): Log {
  const logger = pino(
    {
      level,
      messageKey: "message",
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  )
  const unlimited = logger.child({}, { level: "info" })
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    always: (fields, message) => unlimited.info(fields, message),
    flush,
  }
}

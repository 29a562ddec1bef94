/** Starts work that nobody waits for. A failure is logged: unhandled, it would end the process. */
import { framesOf, type Log } from "./log.ts"

/** The log of work that nobody waits for. */
export let backgroundLog: Pick<Log, "error" | "info"> = {
  error: (fields, message) => void process.stderr.write(`${message}: ${JSON.stringify(fields)}\n`),
  info: () => undefined,
}

/** Sets the log of background work. */
export function logBackgroundFailures(log: Pick<Log, "error" | "info">): void {
  backgroundLog = log
}

/** Starts `work`, which may throw at once or reject later. */
export function inBackground(work: () => unknown): void {
  Promise.try(work).catch((error: unknown) => backgroundLog.error({ stack: framesOf(error) }, "background work failed"))
}

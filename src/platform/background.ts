/** Starts work that nobody waits for. A failure is logged: unhandled, it would end the process. */
import { framesOf, type Log } from "./log.ts"

let report = (error: unknown): void => void process.stderr.write(`background work failed: ${framesOf(error)}\n`)

/** From now on the failures of background work go to this log. */
export function logBackgroundFailures(log: Pick<Log, "error">): void {
  report = (error) => log.error({ stack: framesOf(error) }, "background work failed")
}

/** Starts `work`, which may throw at once or reject later. */
export function inBackground(work: () => unknown): void {
  Promise.try(work).catch((error: unknown) => report(error))
}

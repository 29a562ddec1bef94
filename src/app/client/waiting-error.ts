import { type DeskError, errorOfProblem } from "./desk-error.ts"
import type { WaitingNow } from "./waiting.ts"

/** Why nothing newer can be received: the desk does not answer, or reports that its upstream does not. Only the inbox pages say it. */
export function waitingError({ waiting, error }: WaitingNow): DeskError | undefined {
  if (error !== undefined || waiting?.problem === undefined) return error
  const { problem, retry_at } = waiting
  // `Date.parse` and `steadyNow` both give ms since 1970. The countdown on the screen is off by the difference of the two clocks.
  return errorOfProblem(problem, retry_at === undefined ? undefined : Date.parse(retry_at))
}

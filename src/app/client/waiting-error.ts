import { deskNow, steadyNow } from "./clock.ts"
import { type DeskError, errorOfProblem } from "./desk-error.ts"
import type { WaitingNow } from "./waiting.ts"

/** Why nothing newer can be received: the desk does not answer, or reports that its upstream does not. Only the inbox pages say it. */
export function waitingError({ waiting, error }: WaitingNow): DeskError | undefined {
  if (error !== undefined || waiting?.problem === undefined) return error
  const { problem, retry_at } = waiting
  // The desk's clock says when, and this machine's counts the seconds until then.
  return errorOfProblem(problem, retry_at === undefined ? undefined : steadyNow() + Date.parse(retry_at) - deskNow())
}

/** When the desk is asked again what waits, and whether it may hold the request. Pure functions; `follow-waiting.ts` asks. */
import { DeskError } from "./desk-error.ts"
import { pauseAfter } from "./polling.ts"

/** The interval of the requests where the desk does not hold them, in milliseconds like all times here. */
const PLAIN_MS = 10_000
/** The least time between the beginnings of two requests while no tab of the person is visible. */
export const HIDDEN_MS = 15_000
/** The least time between two requests. */
const BETWEEN_MIN_MS = 250
/** A held request that ends sooner without a change was not held: a desk that does not know `wait` answers at once. */
const HELD_MIN_MS = 1_000
/** A held request that fails later than this was cut. A desk that cannot be reached fails sooner. */
const CUT_MIN_MS = 500
/** After the desk did not hold two requests within this time, the app asks without `wait` for `PLAIN_FOR_MS`. */
const NOT_HELD_AGAIN_MS = 120_000
const PLAIN_FOR_MS = 10 * 60_000

/** What the requests before say about the next one. Moments are of `steadyNow`. */
export type WaitingPace = {
  /** After a failure the app asks without `wait`, so that the answer shows at once whether the desk is there again. */
  readonly hasFailed: boolean
  readonly notHeldAt: number
  readonly plainUntil: number
}

export const FIRST_PACE: WaitingPace = { hasFailed: false, notHeldAt: Number.NEGATIVE_INFINITY, plainUntil: 0 }

/** Whether the desk may hold a request that begins at `at`, until something changes. */
export const mayHold = ({ hasFailed, plainUntil }: WaitingPace, at: number): boolean => !hasFailed && at >= plainUntil

/** A request that has ended. */
export type AskedWaiting = {
  /** Whether the desk was asked to hold the request. */
  readonly wait: boolean
  readonly outcome: "changed" | "unchanged" | DeskError
  readonly tookMs: number
  readonly endedAt: number
  /** Whether an answer is known, so that the desk can be asked for the next change. */
  readonly hasAnswer: boolean
  /** Whether some tab of the person is visible. */
  readonly isShown: boolean
}

/**
 * What follows a request: the pace from then on, the pause before the next request, and the error to show. A held request that was cut shows no
 * error, because a network may cut it while the desk is well: the short request after it tells.
 */
export function paceAfter(
  before: WaitingPace,
  { wait, outcome, tookMs, endedAt, hasAnswer, isShown }: AskedWaiting,
): { readonly pace: WaitingPace; readonly pauseMs: number; readonly error: DeskError | undefined } {
  const failure = outcome instanceof DeskError ? outcome : undefined
  const wasCut = wait && failure?.outcomeUnknown === true && tookMs >= CUT_MIN_MS
  const wasNotHeld = wasCut || (wait && outcome === "unchanged" && tookMs < HELD_MIN_MS)
  const knowsNoWait = wait && failure?.failure === "invalid"
  const turnsPlain = knowsNoWait || (wasNotHeld && endedAt - before.notHeldAt < NOT_HELD_AGAIN_MS)
  const pace: WaitingPace = {
    hasFailed: failure !== undefined,
    notHeldAt: wasNotHeld ? endedAt : before.notHeldAt,
    plainUntil: turnsPlain ? endedAt + PLAIN_FOR_MS : before.plainUntil,
  }
  const error = wasCut ? undefined : failure
  // A desk that holds requests is asked at once. So is the desk after a cut, without `wait`.
  const isAskedAtOnce = wasCut || (hasAnswer && endedAt >= pace.plainUntil)
  const afterAnswer = isAskedAtOnce ? BETWEEN_MIN_MS - tookMs : PLAIN_MS
  const pause = error === undefined ? afterAnswer : Math.max(pauseAfter(error, endedAt) ?? PLAIN_MS, BETWEEN_MIN_MS)
  return { pace, error, pauseMs: Math.max(pause, isShown ? 0 : HIDDEN_MS - tookMs) }
}

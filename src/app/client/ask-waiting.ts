import { WAIT_MAX_SECONDS } from "../../contract/desk-work.ts"
import { stringifyJson } from "../../contract/int64.ts"
import { steadyNow } from "./clock.ts"
import { DeskError, unreadable } from "./desk-error.ts"
import { askDesk, jsonOf } from "./desk-request.ts"
import { pauseAfter } from "./polling.ts"
import { isWaiting, type News, type AnsweredWaiting } from "./waiting.ts"

/** A held request has ten seconds more than the desk may hold it. */
const TIMEOUT_MS = (WAIT_MAX_SECONDS + 10) * 1000
/** The least time between the beginnings of two requests, in a visible and in a hidden tab. */
const BETWEEN_MS = 250
export const HIDDEN_MS = 15_000
/** The same while the desk checks more than `MANY_WORKS` for the first time: each answer has a few items more, and the page is drawn for each. */
const GATHERING_MS = 2_000
const MANY_WORKS = 100
/** The interval of the requests that the desk does not hold. */
const PLAIN_MS = 10_000
/** A held request that ends sooner without a change was not held: a desk that does not know `wait` answers at once. */
const HELD_MIN_MS = 1_000
/** So many requests may follow each other at once. Beyond them there is one in a second, whatever a front makes of the answers. */
const AT_ONCE_MAX = 40
const BRAKED_MS = 1_000
/** After two requests that were not held, the desk is asked to hold none for this time. */
const PLAIN_FOR_MS = 10 * 60_000

type AskedWaiting = {
  /**
   * `silent`: a held request was cut, or no change could be read from its answer. A network may cut requests while the desk is well, so the next
   * request tells.
   */
  readonly outcome: News | DeskError | "unchanged" | "silent"
  /** The milliseconds until the next request. */
  readonly pauseMs: number
}

/** What this tab has learned about the desk and the network: whether they hold a request until something changes, and tell the change alone. */
export function createAsker() {
  let hasFailed = false
  /** Whether the last request was to be held, and was cut. The next one is not held: if it succeeds, the desk is well, and the network cuts. */
  let wasCut = false
  /** How many requests in a row were not held to their end. A change that comes early says nothing about it. */
  let notHeld = 0
  /** Until then the desk is asked to hold no request. */
  let plainUntil = 0
  /** How many requests for the change alone got the known answer in a row. A desk that does not know `since` answers so, and at once. */
  let notChanges = 0
  /** How many requests may still follow each other at once. One more each second. */
  let atOnce = AT_ONCE_MAX
  let lastAskedAt = steadyNow()
  /** Until then the desk is asked for whole answers. */
  let wholeUntil = 0

  /**
   * Asks the desk once. With `mayHold` the desk may hold the request until the answer differs from `told`.
   *
   * @throws what fetch throws where `signal` aborts
   */
  return async (told: AnsweredWaiting | undefined, mayHold: boolean, signal: AbortSignal): Promise<AskedWaiting> => {
    const askedAt = steadyNow()
    const asksToHold = told?.etag !== undefined && mayHold && !hasFailed && askedAt >= plainUntil
    const asksForChange = asksToHold && askedAt >= wholeUntil
    const outcome = await read(told, asksToHold, asksForChange, signal)
    const endedAt = steadyNow()
    const tookMs = endedAt - askedAt
    atOnce = Math.min(AT_ONCE_MAX, atOnce + (askedAt - lastAskedAt) / 1_000) - 1
    lastAskedAt = askedAt
    const betweenMs = isGathering(told) ? GATHERING_MS : atOnce < 1 ? BRAKED_MS : BETWEEN_MS
    const leastPauseMs = (document.hidden ? HIDDEN_MS : betweenMs) - tookMs
    if (asksForChange) {
      const news = typeof outcome === "object" && "told" in outcome ? outcome : undefined
      notChanges = news?.told.etag === told.etag && news?.change === undefined ? notChanges + 1 : 0
      const isRefused = outcome instanceof DeskError && outcome.failure === "invalid"
      if (notChanges > 1 || isRefused || outcome === "silent") wholeUntil = endedAt + PLAIN_FOR_MS
      if (isRefused || outcome === "silent") return { outcome: "silent", pauseMs: leastPauseMs }
    }
    hasFailed = outcome instanceof DeskError
    const isEarly = tookMs < HELD_MIN_MS
    // A desk that doesn't know `since` answers with the known ETag, which `notChanges` counts. Then only requests for whole answers count here.
    const mayTell = asksToHold && !(asksForChange && notChanges > 0)
    if (mayTell && (isEarly ? saysNothingNew(told, outcome) : outcome === "unchanged"))
      notHeld = isEarly ? notHeld + 1 : 0
    if (wasCut && !hasFailed) notHeld++
    wasCut = asksToHold && outcome instanceof DeskError
    if (outcome instanceof DeskError && !asksToHold) {
      return { outcome, pauseMs: Math.max(pauseAfter(outcome, endedAt) ?? PLAIN_MS, leastPauseMs, BETWEEN_MS) }
    }
    if (notHeld > 1) {
      notHeld = 0
      plainUntil = endedAt + PLAIN_FOR_MS
    }
    if (outcome instanceof DeskError) return { outcome: "silent", pauseMs: leastPauseMs }
    const { etag } = typeof outcome === "object" ? outcome.told : (told ?? {})
    const isHeldNext = etag !== undefined && endedAt >= plainUntil
    return { outcome, pauseMs: isHeldNext ? leastPauseMs : Math.max(PLAIN_MS, leastPauseMs) }
  }
}

/**
 * Whether an answer is the known one, the time of the oldest check aside. A front that compresses JSON rewrites the ETag: the desk then takes each
 * request for that of a reader who knows nothing, and answers at once with what is known.
 */
function saysNothingNew(told: AnsweredWaiting, outcome: AskedWaiting["outcome"]): boolean {
  if (typeof outcome !== "object" || !("told" in outcome)) return outcome === "unchanged"
  return outcome.change === undefined && contentOf(told) === contentOf(outcome.told)
}

function contentOf({ answer }: AnsweredWaiting): string {
  return stringifyJson({ ...answer, oldest_check_at: null })
}

const isGathering = (told: AnsweredWaiting | undefined): boolean =>
  told !== undefined && !told.answer.complete && told.answer.total > MANY_WORKS

async function read(
  told: AnsweredWaiting | undefined,
  asksToHold: boolean,
  asksForChange: boolean,
  signal: AbortSignal,
): Promise<AskedWaiting["outcome"]> {
  const etag = told?.etag
  const since = asksForChange && etag !== undefined ? `&since=${encodeURIComponent(etag)}` : ""
  const address = asksToHold ? `/desk/waiting?wait=${String(WAIT_MAX_SECONDS)}${since}` : "/desk/waiting"
  const headers = etag === undefined || since !== "" ? {} : { "if-none-match": etag }
  try {
    // The cache of the browser would answer a 304 with an older body.
    const response = await askDesk(address, { signal, cache: "no-store", headers }, TIMEOUT_MS)
    if (response.status === 304) return "unchanged"
    const answer = await jsonOf(response)
    if (isWaiting(answer)) {
      return { told: await keepEntries(told, { etag: response.headers.get("etag") ?? undefined, answer }) }
    }
    // A network with a sign-in page of its own answers 200 for every address.
    if (told === undefined || since === "") throw unreadable(response)
    return (await loadNext())?.readChange(told, answer) ?? "silent"
  } catch (error) {
    if (error instanceof DeskError) return error
    throw error
  }
}

/** The code for a second answer, which the first load does not have. Undefined where the code cannot be loaded: then whole answers serve. */
export const loadNext = () => import("./next-waiting.ts").catch(() => undefined)

/** The whole answer `next`, in which every entry that is as in `before` is the same object. */
export async function keepEntries(
  before: AnsweredWaiting | undefined,
  next: AnsweredWaiting,
): Promise<AnsweredWaiting> {
  return (before && (await loadNext())?.keepEntries(before, next)) ?? next
}

/** Asks the desk what waits, in the tab that asks for all tabs (`follow-waiting.ts`). */
import { steadyNow } from "./clock.ts"
import { DeskError, unreadable } from "./desk-error.ts"
import { askDesk, jsonOf } from "./desk-request.ts"
import { pauseAfter } from "./polling.ts"
import { readWaiting, type Waiting } from "./waiting.ts"

/** How long the desk may hold a request until something changes: its `wait` parameter, which is 25 s at most. */
const WAIT_SECONDS = 25
/** A held request has ten seconds more than the desk may hold it. */
const TIMEOUT_MS = (WAIT_SECONDS + 10) * 1000
/** The least time between the beginnings of two requests, in a visible and in a hidden tab. */
const BETWEEN_MS = 250
export const HIDDEN_MS = 15_000
/** The interval of the requests that the desk does not hold. */
const PLAIN_MS = 10_000
/** A held request that ends sooner without a change was not held: a desk that does not know `wait` answers at once. */
const HELD_MIN_MS = 1_000
/** After two requests that were not held, the desk is asked to hold none for this time. */
const PLAIN_FOR_MS = 10 * 60_000
/** The code of a desk that stops, and so answers the requests that it holds. */
const STOPPING = "PROXY_DRAINING"

export type AskedWaiting = {
  /** `silent`: a held request was cut. A network may do that while the desk is well, so the next request tells. */
  readonly outcome: Waiting | DeskError | "unchanged" | "silent"
  readonly etag: string | undefined
  /** The milliseconds until the next request. */
  readonly pauseMs: number
}

/** What this tab has learned about the desk and the network: whether they hold a request until something changes. */
export function createAsker() {
  let hasFailed = false
  /** Whether the last request was to be held, and was cut. The next one is not held: if it succeeds, the desk is well, and the network cuts. */
  let wasCut = false
  /** How many requests in a row were not held to their end. A change that comes early says nothing about it. */
  let notHeld = 0
  /** Until then the desk is asked to hold no request. */
  let plainUntil = 0

  /**
   * Asks the desk once. With `mayHold` the desk may hold the request until the answer of `etag` changes.
   *
   * @throws what fetch throws where `signal` aborts
   */
  return async (etag: string | undefined, mayHold: boolean, signal: AbortSignal): Promise<AskedWaiting> => {
    const askedAt = steadyNow()
    const wait = etag !== undefined && mayHold && !hasFailed && askedAt >= plainUntil
    const { outcome, etag: nextEtag } = await read(etag, wait, signal)
    const endedAt = steadyNow()
    const tookMs = endedAt - askedAt
    const least = (document.hidden ? HIDDEN_MS : BETWEEN_MS) - tookMs
    hasFailed = outcome instanceof DeskError
    if (wait && outcome === "unchanged") notHeld = tookMs < HELD_MIN_MS ? notHeld + 1 : 0
    if (wasCut && !hasFailed) notHeld++
    wasCut = wait && outcome instanceof DeskError && outcome.code !== STOPPING
    if (outcome instanceof DeskError && !wait) {
      return { outcome, etag, pauseMs: Math.max(pauseAfter(outcome, endedAt) ?? PLAIN_MS, least, BETWEEN_MS) }
    }
    if (notHeld > 1) {
      notHeld = 0
      plainUntil = endedAt + PLAIN_FOR_MS
    }
    if (outcome instanceof DeskError) return { outcome: "silent", etag, pauseMs: least }
    const isHeldNext = nextEtag !== undefined && endedAt >= plainUntil
    return { outcome, etag: nextEtag, pauseMs: isHeldNext ? least : Math.max(PLAIN_MS, least) }
  }
}

async function read(
  etag: string | undefined,
  wait: boolean,
  signal: AbortSignal,
): Promise<Pick<AskedWaiting, "etag"> & { readonly outcome: Waiting | DeskError | "unchanged" }> {
  const address = wait ? `/desk/waiting?wait=${String(WAIT_SECONDS)}` : "/desk/waiting"
  const headers = etag === undefined ? {} : { "if-none-match": etag }
  try {
    // The cache of the browser would answer a 304 with an older body.
    const response = await askDesk(address, { signal, cache: "no-store", headers }, TIMEOUT_MS)
    if (response.status === 304) return { outcome: "unchanged", etag }
    const outcome = readWaiting(await jsonOf(response))
    // A network with a sign-in page of its own answers 200 for every address.
    if (outcome === undefined) throw unreadable(response)
    return { outcome, etag: response.headers.get("etag") ?? undefined }
  } catch (error) {
    if (error instanceof DeskError) return { outcome: error, etag }
    throw error
  }
}

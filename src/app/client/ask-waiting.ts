/** Asks the desk for the pending items, and learns whether the desk and the network hold requests and send changes. */
import { WAIT_MAX_SECONDS } from "../../contract/desk-work.ts"
import { stringifyJson } from "../../contract/int64.ts"
import { steadyNow } from "./clock.ts"
import { DeskError, unreadable } from "./desk-error.ts"
import { askDesk, jsonOf } from "./desk-request.ts"
import { pauseAfter } from "./polling.ts"
import { type AnsweredWaiting, isWaiting, type WaitingUpdate } from "./waiting.ts"

/** A held request has ten seconds more than the desk may hold it. */
const TIMEOUT_MS = (WAIT_MAX_SECONDS + 10) * 1000
/** The least time between the beginnings of two requests in a visible tab. */
const BETWEEN_MS = 250
/** The same in a hidden tab. */
export const HIDDEN_MS = 15_000
/** The same while the desk checks more than `MANY_WORKS` for the first time: each answer has a few new items, and each redraws the page. */
const GATHERING_MS = 2_000
const MANY_WORKS = 100
/** The interval of the requests that the desk does not hold. */
const POLL_MS = 10_000
/** A held request that ends sooner without a change was not held: a desk that does not know `wait` answers at once. */
const HELD_MIN_MS = 1_000
/** This many requests may follow each other without a pause, in case a proxy answers each at once. Then one request a second may be sent. */
const BURST_MAX = 40
const AFTER_BURST_MS = 1_000
/** How long a feature stays off that the desk or the network doesn't support. */
const OFF_MS = 10 * 60_000

type AskedWaiting = {
  /**
   * `inconclusive`: a held request was cut, or its answer has no readable change. A network may cut requests although the desk is well, so only the
   * next request shows whether the desk fails.
   */
  readonly outcome: WaitingUpdate | DeskError | "unchanged" | "inconclusive"
  /** The milliseconds until the next request. */
  readonly pauseMs: number
}

/** A feature that the desk or the network may not support. It stays off for ten minutes after two requests in a row have shown that. */
class Feature {
  #failures = 0
  #offUntil = 0

  isOn(now: number): boolean {
    return now >= this.#offUntil
  }

  worked(): void {
    this.#failures = 0
  }

  failed(now: number): void {
    this.#failures++
    if (this.#failures > 1) this.switchOff(now)
  }

  switchOff(now: number): void {
    this.#failures = 0
    this.#offUntil = now + OFF_MS
  }
}

/** How a request asks. `plain`: for the answer at once. `held`: the desk may hold it until the answer differs. `change`: held, and only for the change. */
type Form = "plain" | "held" | "change"

/**
 * Makes the function that asks the desk once. It remembers how the last requests went, and chooses the form of the next one:
 *
 * | what happened                                                                   | what follows                            |
 * | ------------------------------------------------------------------------------- | --------------------------------------- |
 * | a request failed                                                                | the next one isn't held                 |
 * | a held request failed, and the next one succeeds                                | the network cut the held one: not held  |
 * | two requests in a row weren't held                                              | none is held for ten minutes            |
 * | two requests for a change got the known answer, or one got a refusal or garbage | no change is asked for, for ten minutes |
 */
export function createAsker() {
  const holding = new Feature()
  const changes = new Feature()
  /** How the last request ended. `cut`: it was to be held, and failed. */
  let last: "answered" | "failed" | "cut" = "answered"
  const nextInterval = createIntervals()

  function chooseForm(known: AnsweredWaiting | undefined, mayHold: boolean, now: number): Form {
    if (known?.etag === undefined || !mayHold || last !== "answered" || !holding.isOn(now)) return "plain"
    return changes.isOn(now) ? "change" : "held"
  }

  /** Learns from a request that the desk was asked to hold. */
  function learn(form: Form, known: AnsweredWaiting | undefined, outcome: AskedWaiting["outcome"], tookMs: number) {
    // A desk that doesn't know `since` answers at once with everything, even without a change. This says nothing about holding.
    if (form === "change" && isWhole(outcome) && outcome.next.etag === known?.etag) return changes.failed(steadyNow())
    // Nothing else shows that the desk doesn't know `since`.
    if (form === "change") changes.worked()
    const wasHeld = tookMs >= HELD_MIN_MS
    if (wasHeld && outcome === "unchanged") holding.worked()
    // An early change proves nothing.
    if (!wasHeld && isKnownAnswer(known, outcome)) holding.failed(steadyNow())
  }

  /**
   * With `mayHold` the desk may hold the request until the answer differs from `known`.
   *
   * @throws what fetch throws where `signal` aborts
   */
  return async (known: AnsweredWaiting | undefined, mayHold: boolean, signal: AbortSignal): Promise<AskedWaiting> => {
    const askedAt = steadyNow()
    const form = chooseForm(known, mayHold, askedAt)
    const outcome = await read(known, form, signal)
    const endedAt = steadyNow()
    const tookMs = endedAt - askedAt
    const leastPauseMs = nextInterval(askedAt, known) - tookMs
    if (form === "change" && isUnusableChange(outcome)) {
      changes.switchOff(endedAt)
      return { outcome: "inconclusive", pauseMs: leastPauseMs }
    }
    if (form !== "plain") learn(form, known, outcome, tookMs)
    if (outcome instanceof DeskError) {
      last = form === "plain" ? "failed" : "cut"
      if (last === "cut") return { outcome: "inconclusive", pauseMs: leastPauseMs }
      return { outcome, pauseMs: Math.max(pauseAfter(outcome, endedAt) ?? POLL_MS, leastPauseMs, BETWEEN_MS) }
    }
    // The desk is well, so the network has cut the request before this one.
    if (last === "cut") holding.failed(endedAt)
    last = "answered"
    const { etag } = typeof outcome === "object" ? outcome.next : (known ?? {})
    const isHeldNext = etag !== undefined && holding.isOn(endedAt)
    return { outcome, pauseMs: isHeldNext ? leastPauseMs : Math.max(POLL_MS, leastPauseMs) }
  }
}

/** Makes the function that returns the least milliseconds from the request at `askedAt` to the next one. */
function createIntervals() {
  // A token bucket: one token a second, and each request takes one.
  let tokens = BURST_MAX
  let lastAskedAt = steadyNow()
  return (askedAt: number, known: AnsweredWaiting | undefined): number => {
    tokens = Math.min(BURST_MAX, tokens + (askedAt - lastAskedAt) / 1_000) - 1
    lastAskedAt = askedAt
    if (document.hidden) return HIDDEN_MS
    if (known !== undefined && !known.answer.complete && known.answer.total > MANY_WORKS) return GATHERING_MS
    return tokens < 1 ? AFTER_BURST_MS : BETWEEN_MS
  }
}

/**
 * Whether an answer equals the known one, apart from the time of the oldest check. A proxy that compresses JSON rewrites the ETag. The desk then
 * doesn't know what this tab has, and answers at once with everything.
 */
function isKnownAnswer(known: AnsweredWaiting | undefined, outcome: AskedWaiting["outcome"]): boolean {
  if (outcome === "unchanged") return true
  return known !== undefined && isWhole(outcome) && contentOf(known) === contentOf(outcome.next)
}

/** Whether a request for a change got a refusal or no readable change. */
function isUnusableChange(outcome: AskedWaiting["outcome"]): boolean {
  return outcome === "inconclusive" || (outcome instanceof DeskError && outcome.failure === "invalid")
}

/** Whether the desk sent its whole answer, and no change. */
function isWhole(outcome: AskedWaiting["outcome"]): outcome is WaitingUpdate {
  return typeof outcome === "object" && "next" in outcome && outcome.change === undefined
}

function contentOf({ answer }: AnsweredWaiting): string {
  return stringifyJson({ ...answer, oldest_check_at: null })
}

async function read(
  known: AnsweredWaiting | undefined,
  form: Form,
  signal: AbortSignal,
): Promise<AskedWaiting["outcome"]> {
  const etag = known?.etag
  const since = form === "change" && etag !== undefined ? `&since=${encodeURIComponent(etag)}` : ""
  const address = form === "plain" ? "/desk/waiting" : `/desk/waiting?wait=${String(WAIT_MAX_SECONDS)}${since}`
  const headers = etag === undefined || since !== "" ? {} : { "if-none-match": etag }
  try {
    // The cache of the browser would answer a 304 with an older body.
    const response = await askDesk(address, { signal, cache: "no-store", headers }, TIMEOUT_MS)
    if (response.status === 304) return "unchanged"
    const answer = await jsonOf(response)
    if (isWaiting(answer)) {
      return { next: await reuseEntries(known, { etag: response.headers.get("etag") ?? undefined, answer }) }
    }
    // A network with a sign-in page of its own answers 200 for every address.
    if (known === undefined || since === "") throw unreadable(response)
    // Without the code, this counts as an unusable change, so the next requests ask for whole answers.
    return (await loadChangeCode())?.readChange(known, answer) ?? "inconclusive"
  } catch (error) {
    if (error instanceof DeskError) return error
    throw error
  }
}

/** Loads the code that only a second answer needs. Undefined if it can't be loaded: then the app works with whole answers. */
export const loadChangeCode = () => import("./waiting-changes.ts").catch(() => undefined)

/** The answer `next`, with the object of `before` for each entry that is equal. */
export async function reuseEntries(
  before: AnsweredWaiting | undefined,
  next: AnsweredWaiting,
): Promise<AnsweredWaiting> {
  return (before && (await loadChangeCode())?.withEqualEntries(before, next)) ?? next
}

/** Keeps the event stream of a Work open: one connection after another, with a pause after failures. */
import { callAt, steadyNow } from "../client/clock.ts"
import { createStore } from "../client/create-store.ts"
import { DeskError } from "../client/desk-error.ts"
import { type EventFrame, eventsAddress, readEventStream, readSequence, SILENCE_MS } from "./event-connection.ts"
import { acquireStreamPermit, type WantedPermit, whenAborted } from "./stream-permits.ts"

/** Why a stream is being opened again. `shown`: the tab is shown again. */
export type ReconnectReason = "cut" | "late" | "offline" | "refused" | "shown"

type Reconnecting = {
  readonly name: "reconnecting"
  readonly reason: ReconnectReason
  /** A moment of `steadyNow`. Without it an attempt is under way. */
  readonly until?: number
  readonly error?: DeskError | undefined
}

/** What the feed of a tab is doing. `paused` has no stream: the tab is hidden, or other windows of this browser hold all permits. */
export type FollowState =
  | { readonly name: "connecting" | "live" }
  | Reconnecting
  | { readonly name: "paused"; readonly reason: "hidden" | "elsewhere" }
  | { readonly name: "stopped"; readonly error: DeskError }

export type WorkFollower = ReturnType<typeof followWork>

/** A window that lost its stream to another window looks for a free permit this often. */
const ELSEWHERE_MS = 5_000

/**
 * Follows a Work for one tab: every event is given once and in order, through cuts, silence, refusals and time without a network. A hidden
 * tab has no stream, and continues after the last event when it is shown again.
 *
 * When the person loses the right to see the Work, the desk ends the stream, which looks like a cut. The next attempt is answered with 404
 * (`not-visible`), so the follower is `stopped`. Then `work/work-page.tsx` reads the Work again, is answered with 404 too, and shows `Gone`.
 */
export function followWork(workId: string, onEvent: (frame: EventFrame) => void) {
  const state = createStore<FollowState>({ name: "connecting" })
  let hasOpened = false
  /** The greatest sequence so far. A stream continues after it, and no event up to it is given again. */
  let last: bigint | undefined
  /** The last refusal. The next stream waits for its `Retry-After`. */
  let refusal: DeskError | undefined
  /** Its abort closes the tab's stream and gives the permit back, or ends the wait for a permit. Undefined: the tab has and wants no stream. */
  let following: AbortController | undefined
  /** Ends the back-off wait. */
  let endWait = () => {}
  let lookAgain: ReturnType<typeof setTimeout> | undefined

  function end() {
    clearTimeout(lookAgain)
    following?.abort()
    following = undefined
  }

  function pauseHidden() {
    end()
    state.set({ name: "paused", reason: "hidden" })
  }

  /** Other windows hold all permits, or one of them took this window's permit. */
  function pauseElsewhere() {
    end()
    state.set({ name: "paused", reason: "elsewhere" })
    lookAgain = setTimeout(() => void open("free"), ELSEWHERE_MS)
  }

  function stop(error: DeskError) {
    end()
    state.set({ name: "stopped", error })
  }

  async function open(wanted: WantedPermit = "any") {
    if (following !== undefined) return
    clearTimeout(lookAgain)
    following = new AbortController()
    const { signal } = following
    const opening: FollowState = hasOpened ? { name: "reconnecting", reason: "shown" } : { name: "connecting" }
    if (wanted === "any") state.set(opening)
    const isTaken = await acquireStreamPermit(wanted, signal, pauseElsewhere)
    if (signal.aborted) return
    if (!isTaken) return pauseElsewhere()
    state.set(opening)
    keepConnected(signal).catch((error: unknown) => {
      // `writePath` refuses an id that no browser can send.
      if (!(error instanceof DeskError)) throw error
      stop(error)
    })
  }

  /** Opens one connection after the other until `signal` aborts, or the service refuses for good. */
  async function keepConnected(signal: AbortSignal) {
    let failures = 0
    const onFrame = (frame: EventFrame) => {
      const sequence = readSequence(frame.id)
      if (sequence !== undefined && last !== undefined && sequence <= last) return
      last = sequence ?? last
      failures = 0
      onEvent(frame)
    }
    const onOpen = () => {
      if (signal.aborted) return
      hasOpened = true
      state.set({ name: "live" })
    }
    // A `Retry-After` that an earlier stream was given holds for this stream too.
    if (asksForWait(refusal)) await waitToReconnect("refused", failures, signal)
    while (!signal.aborted) {
      const address = eventsAddress(workId, String(last ?? 0n))
      const ended = await readEventStream({ address, silenceMs: SILENCE_MS, signal, onOpen, onFrame })
      if (ended.reason === "closed") return
      refusal = ended.error
      if (refusal !== undefined && endsStream(refusal)) return stop(refusal)
      await waitToReconnect(ended.reason, failures++, signal)
    }
  }

  /** Waits for the `Retry-After` of the refusal, else for the back-off, which `tryNow` and coming online end. */
  async function waitToReconnect(reason: ReconnectReason, failures: number, signal: AbortSignal) {
    const waiting = new AbortController()
    const endEarly = () => waiting.abort()
    const next: Reconnecting = { name: "reconnecting", reason, error: refusal }
    let until = steadyNow() + reconnectDelay(failures)
    if (asksForWait(refusal)) until = refusal.retryAt
    else {
      endWait = endEarly
      addEventListener("online", endEarly, waiting)
    }
    state.set({ ...next, until })
    const cancel = callAt(until, endEarly)
    signal.addEventListener("abort", endEarly, waiting)
    await whenAborted(waiting.signal)
    cancel()
    if (!signal.aborted) state.set(next)
  }

  function onVisibility() {
    if (state.get().name === "stopped") return
    if (document.hidden) pauseHidden()
    else void open()
  }

  return {
    state: state.get,
    subscribe: state.subscribe,
    /** Connects at once: after a stop, in a back-off wait, or while another window has the permit. A wait for a `Retry-After` goes on. */
    tryNow: () => {
      endWait()
      void open()
    },
    /** Begins, or continues after the events received before. Returns a function that ends it. */
    start: () => {
      document.addEventListener("visibilitychange", onVisibility)
      addEventListener("focus", onVisibility)
      onVisibility()
      return () => {
        document.removeEventListener("visibilitychange", onVisibility)
        removeEventListener("focus", onVisibility)
        end()
      }
    },
  }
}

/** Another attempt would not help: the credential is refused, its scope is missing, or the Work is not visible. */
function endsStream({ failure }: DeskError): boolean {
  return failure === "unauthenticated" || failure === "forbidden" || failure === "not-visible"
}

/** Whether the service has asked for a wait that is not over. */
function asksForWait(refusal: DeskError | undefined): refusal is DeskError & { readonly retryAt: number } {
  return refusal?.retryAt !== undefined && refusal.retryAt > steadyNow()
}

const FIRST_DELAY_MS = 800
const LONGEST_DELAY_MS = 10_000
const JITTER = 0.25

/**
 * How long to wait after so many failures to connect again, in milliseconds. The first wait is shorter than a second, and each wait is twice
 * the one before, up to 10 s. Up to a quarter is taken off at random, so that many tabs do not connect at once.
 */
export function reconnectDelay(failures: number, random = Math.random()): number {
  return Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS) * (1 - JITTER * random)
}

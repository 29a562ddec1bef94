import { callAt, steadyNow } from "../client/clock.ts"
import { createStore } from "../client/create-store.ts"
import { DeskError } from "../client/desk-error.ts"
import { type EventFrame, eventsAddress, readEventStream, readSequence, SILENCE_MS } from "./event-connection.ts"
import { array, picklist } from "valibot"
import { defineKind } from "../client/storage.ts"

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
  /** Ends the tab's stream and gives its permit back, or ends the wait for a permit. */
  let permit: AbortController | undefined
  /** Ends the back-off wait. */
  let endWait = () => {}
  let lookAgain: ReturnType<typeof setTimeout> | undefined

  function end() {
    clearTimeout(lookAgain)
    permit?.abort()
    permit = undefined
  }

  function pause() {
    end()
    state.set({ name: "paused", reason: document.hidden ? "hidden" : "elsewhere" })
    if (!document.hidden) lookAgain = setTimeout(() => void open("free"), ELSEWHERE_MS)
  }

  function stop(error: DeskError) {
    end()
    state.set({ name: "stopped", error })
  }

  async function open(wanted: WantedPermit = "any") {
    if (permit !== undefined) return
    clearTimeout(lookAgain)
    permit = new AbortController()
    const { signal } = permit
    const opening: FollowState = hasOpened ? { name: "reconnecting", reason: "shown" } : { name: "connecting" }
    if (wanted === "any") state.set(opening)
    const isTaken = await takeStreamPermit(wanted, signal, pause)
    if (signal.aborted) return
    if (!isTaken) return pause()
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
    if (document.hidden) pause()
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

/**
 * The permits of a browser to hold event streams. All tabs of a browser share six connections to an origin over HTTP/1.1, and six streams would
 * block every other request, so there are fewer permits. Each permit is a Web Lock, which the browser frees when the tab ends. A hidden tab holds
 * none, so only windows beside each other can want more.
 */
const NAMES = ["workdesk:stream:1", "workdesk:stream:2", "workdesk:stream:3", "workdesk:stream:4"] as const
export const PERMITS = NAMES.length
type Name = (typeof NAMES)[number]
/** A stolen permit is used after this time, because the browser closes the other tab's connection a moment later, in another process. */
const SETTLE_MS = 60

/** The permits in the order in which their windows took or used them last, the one used longest ago first. */
const usedPermits = defineKind<readonly [], readonly Name[]>({
  name: "stream-permits",
  schema: array(picklist(NAMES)),
  owner: "anyone",
  keptDays: 1,
})

const byUse = (): readonly Name[] => [...new Set([...(usedPermits().read() ?? []), ...NAMES])]

function markUsed(name: Name): void {
  usedPermits().write([...byUse().filter((other) => other !== name), name])
}

/** `free`: a permit that no tab holds. `any`: a free permit, else the permit of the window that was shown or used longest ago. */
type WantedPermit = "free" | "any"

/**
 * Takes a permit, and holds it until `signal` aborts.
 *
 * @param onLost called when another tab has taken the permit before `signal` was aborted: close the stream
 * @returns false where no permit is free, or `signal` was aborted first
 */
async function takeStreamPermit(wanted: WantedPermit, signal: AbortSignal, onLost: () => void): Promise<boolean> {
  for (const name of NAMES) {
    if (signal.aborted) return false
    if (await hold(name, { ifAvailable: true }, signal, onLost)) return true
  }
  const [oldest] = byUse()
  if (wanted === "free" || signal.aborted || oldest === undefined) return false
  await hold(oldest, { steal: true }, signal, onLost)
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  return !signal.aborted
}

/** Holds a permit until `signal` aborts. Resolves when it is held, or false where it is not available. */
function hold(name: Name, options: LockOptions, signal: AbortSignal, onLost: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    const whileHeld = (lock: Lock | null) => {
      resolve(lock !== null)
      if (lock === null) return undefined
      markUsed(name)
      addEventListener("focus", () => markUsed(name), { signal })
      return whenAborted(signal)
    }
    // The request rejects when another tab takes the permit.
    navigator.locks.request(name, options, whileHeld).catch(() => {
      if (!signal.aborted) onLost()
    })
  })
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve())
  })
}

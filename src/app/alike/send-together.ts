/** Sends decisions that were confirmed in one dialog: one after the other, each as if alone. */
import { createStore } from "../client/create-store.ts"
import type { DeskError } from "../client/desk-error.ts"
import type { RefusalCode } from "../../contract/refusal-codes.ts"
import { lookUp } from "../ui/look-up.ts"

export type Decision = "approve" | "decline"

/** The decisions that are being sent. */
export type Run = {
  readonly decision: Decision
  /** How many were confirmed in the dialog. */
  readonly of: number
  /** How many have been sent and answered, whatever the answer. */
  readonly sent: number
  /** The key of the row whose decision is under way. */
  readonly current: string | undefined
  /** The keys of the rows whose turn has not come. */
  readonly rest: readonly string[]
}

type State = {
  readonly run: Run | undefined
  /** Why the rest of the last run was not sent. */
  readonly stopped: string | undefined
  /** The keys of the rows whose approve the desk keeps until more people have approved. */
  readonly held: readonly string[]
}

/** Why decisions fail that would also fail for any other item. */
export type Cause = "session" | "role" | "freeze" | "away" | "quota" | "storage"

const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  session: "Your session has ended.",
  role: "You no longer have the role for this.",
  freeze: "The desk or this colleague is frozen.",
  away: "The desk or the service can't be reached.",
  quota: "Too many requests in a short time.",
  storage: "The browser's storage is full or switched off.",
}

const BY_CODE: Readonly<Partial<Record<RefusalCode, Cause>>> = {
  PROXY_FROZEN: "freeze",
  PROXY_SIGNED_OUT: "session",
  PROXY_PERSON_CHANGED: "session",
  PROXY_PERSON_MISSING: "session",
  PROXY_ROLE_MISSING: "role",
  PROXY_NO_ROLE: "role",
}

/** The cause of an error outside the item; undefined for an error about the item. */
export function causeOf({ kind, code, failure, outcomeUnknown }: DeskError): Cause | undefined {
  const known = lookUp(BY_CODE, code)
  if (known !== undefined) return known
  if (kind === "unsent") return "storage"
  if (failure === "too-many") return "quota"
  const isAway = outcomeUnknown || failure === "no-capacity" || failure === "unauthenticated"
  return isAway ? "away" : undefined
}

/** After so many failures in a row with the same cause, the rest is not sent. */
const FAILURES_MAX = 3

/** What happens at the turn of a row. `skip`: the row is no longer chosen. `stop`: nothing may be sent now, and `why` says why, in a sentence. */
export type Turn =
  | { readonly kind: "send"; readonly send: () => Promise<SendOutcome> }
  | { readonly kind: "skip" }
  | { readonly kind: "stop"; readonly why: string }

/** `cause`: why the decision failed, if that lies outside the item. `isHeld`: the desk keeps it. */
export type SendOutcome = { readonly cause: Cause | undefined; readonly isHeld: boolean }

const STOPPED_BY_YOU = "You stopped this."
const REST = "The rest was not sent and stays chosen."

/** Creates the sender of one card. When the card is gone and nothing follows its store any more, it sends nothing else. */
export function createTogether() {
  let whyStopped: string | undefined
  const stop = () => {
    whyStopped = STOPPED_BY_YOU
  }
  const store = createStore<State>({ run: undefined, stopped: undefined, held: [] }, () => stop)

  /** Takes the turns of `keys`, in order. `turnOf` looks at the screen when the turn of a row has come. */
  const start = async (keys: readonly string[], decision: Decision, turnOf: (key: string) => Turn): Promise<void> => {
    if (store.get().run !== undefined) return
    whyStopped = undefined
    let sent = 0
    let failures: { readonly cause: Cause | undefined; readonly count: number } = { cause: undefined, count: 0 }
    let stopped: string | undefined
    const show = (current: string | undefined, rest: readonly string[]) =>
      store.set({ ...store.get(), stopped: undefined, run: { decision, of: keys.length, sent, current, rest } })
    try {
      for (const [index, key] of keys.entries()) {
        show(undefined, keys.slice(index))
        // React draws the desk's last answer before this row is checked.
        await nextTask()
        const turn = turnOf(key)
        if (turn.kind === "skip") continue
        stopped = whyStopped ?? (turn.kind === "stop" ? turn.why : undefined)
        if (turn.kind === "stop" || stopped !== undefined) break
        show(key, keys.slice(index + 1))
        const { cause, isHeld } = await turn.send()
        sent++
        if (isHeld) store.set({ ...store.get(), held: [...store.get().held, key] })
        failures = { cause, count: cause !== undefined && cause === failures.cause ? failures.count + 1 : 1 }
        if (cause !== undefined && failures.count >= FAILURES_MAX) whyStopped ??= CAUSE_WORDS[cause]
      }
    } finally {
      store.set({ ...store.get(), run: undefined, stopped: stopped && `${stopped} ${REST}` })
    }
  }
  return { store, start, stop, clear: () => store.set({ ...store.get(), stopped: undefined }) }
}

const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve))

import { useSyncExternalStore } from "react"
import type { DeskSession, SignedIn } from "../../contract/desk.ts"
import { callAt, steadyNow } from "./clock.ts"
import { type DeskError, errorFromResponse, unreachable } from "./desk-error.ts"
import { openStorage } from "./open-storage.ts"

/**
 * Who uses this page. The person of a page never changes: when another person signs in, the page is loaded again.
 * `locked` means that the session ended while the page was open.
 */
export type SessionState =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: DeskError }
  | { readonly kind: "signed-out" }
  | { readonly kind: "locked"; readonly session: SignedIn }
  | {
      readonly kind: "signed-in"
      readonly session: SignedIn
      /** When the session ends, on the clock of `performance.now()`; undefined where it does not end. */
      readonly endsAt: number | undefined
    }

/** The person of a page that is open; `locked` after the session has ended. */
export type Presence = { readonly session: SignedIn; readonly locked: boolean }

const RETRY_MS = 5_000

let state: SessionState = { kind: "loading" }
let reading: Promise<void> | undefined
let leaving = false
const listeners = new Set<() => void>()
const channel = new BroadcastChannel("workdesk:session")
channel.addEventListener("message", () => void readSession())

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function show(next: SessionState): void {
  state = next
  for (const listener of listeners) listener()
}

/** Asks the desk who is signed in, and tries again by itself until the desk answers. */
export function readSession(): Promise<void> {
  reading ??= ask().finally(() => {
    reading = undefined
  })
  return reading
}

async function ask(): Promise<void> {
  const response = await fetch("/desk/session").catch((cause: unknown) => unreachable(cause))
  const error = response instanceof Response ? (response.ok ? undefined : await errorFromResponse(response)) : response
  if (error !== undefined || !(response instanceof Response)) {
    if (error !== undefined && (state.kind === "loading" || state.kind === "failed")) show({ kind: "failed", error })
    callAt(Math.max(error?.retryAt ?? 0, steadyNow() + RETRY_MS), () => void readSession())
    return
  }
  // The desk and the app are built from the same commit.
  await take((await response.json()) as DeskSession, response.headers.get("date"))
}

async function take(session: DeskSession, date: string | null): Promise<void> {
  if (leaving) return
  const before = sessionOf(state)
  if (session.person === null) {
    return show(before === undefined ? { kind: "signed-out" } : { kind: "locked", session: before })
  }
  if (before !== undefined && before.person.id !== session.person.id) return location.reload()
  // Before the person is known, nothing of a person is read or kept.
  if (before === undefined) await openStorage(session)
  if (before === undefined && session.mode === "sign-in") tellOtherTabs()
  const same =
    before !== undefined &&
    JSON.stringify({ ...before, ends_at: null }) === JSON.stringify({ ...session, ends_at: null })
  show({ kind: "signed-in", session: same ? before : session, endsAt: endOf(session, date) })
}

/** The desk's clock may differ from this machine's, so the time that is left is counted from the answer's own date. */
function endOf({ ends_at: end }: SignedIn, date: string | null): number | undefined {
  if (end === null) return undefined
  return performance.now() + Math.max(Date.parse(end) - (date === null ? Date.now() : Date.parse(date)), 0)
}

/** Asks the other tabs of this browser to read the session again: somebody signed in or out here. */
export function tellOtherTabs(): void {
  channel.postMessage("changed")
}

/** Opens another page, for instance to sign in as somebody else. The page that is left is no longer locked. */
export function leavePage(address: string): void {
  leaving = true
  // The browser may keep the whole page in memory and show it again when the person goes back.
  addEventListener("pageshow", () => location.reload(), { once: true })
  location.assign(address)
}

/** The address of the sign-in page, which leads back to the present address. `again` asks the provider to authenticate the person again. */
export function signInAddress({ again = false } = {}): string {
  const query = new URLSearchParams({ return: location.pathname + location.search, ...(again && { again: "1" }) })
  return `/desk/sign-in?${query}`
}

const sessionOf = (of: SessionState): SignedIn | undefined =>
  of.kind === "signed-in" || of.kind === "locked" ? of.session : undefined

/** The opaque id of the person of this page: `local` in local mode, undefined before the desk has said who it is. */
export function pagePerson(): string | undefined {
  return sessionOf(state)?.person.id
}

/** Whether the session has ended while the page was open. */
export function isLocked(): boolean {
  return state.kind === "locked"
}

/** Resolves when the page is not locked. @throws the signal's reason when `signal` aborts first */
export async function whenUnlocked(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (!isLocked()) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const end = subscribe(() => isLocked() || resolve())
  const abort = () => reject(signal.reason)
  signal.addEventListener("abort", abort)
  await promise.finally(() => {
    end()
    signal.removeEventListener("abort", abort)
  })
}

/** The session as the desk reported it last, with the states before and after it. */
export function useSessionState(): SessionState {
  return useSyncExternalStore(subscribe, () => state)
}

/** The session of the person of this page, also while the page is locked; undefined until the desk has answered. */
export function useSession(): SignedIn | undefined {
  return useSyncExternalStore(subscribe, () => sessionOf(state))
}

/** The session of this page: reads it, locks the page when it ends, and keeps the tabs of a browser in step. */
import type { DeskSession, SignedIn } from "../../contract/desk-people.ts"
import { createStore, useStore } from "./create-store.ts"
import { callAt, compareClocks, deskNow, steadyNow } from "./clock.ts"
import { DeskError, errorFromResponse, throwNoAnswer, unreadable } from "./desk-error.ts"
import { isObject } from "./value-schema.ts"
import { openStorage } from "./storage.ts"

/**
 * Who uses this page. The person of a page never changes: when another person signs in, the page is loaded again.
 * `locked` means that the session ended while the page was open.
 */
type SessionState =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: DeskError }
  | { readonly kind: "signed-out" }
  | { readonly kind: "signed-in" | "locked"; readonly session: SignedIn }

/** How long one read may take. */
const TIMEOUT_MS = 40_000
/** The least pause before the session is read again after an error. */
const RETRY_MS = 5_000
/** How often the session is read while the page is shown: for its end, changed roles and a new build. A read does not prolong the session. */
const READ_MS = 45_000
/** The session is read so long after its end, so that the desk says without doubt that it is over. */
const AFTER_END_MS = 250

const state = createStore<SessionState>({ kind: "loading" })
let reading: Promise<void> | undefined
/** No read before this moment of `steadyNow`: the `Retry-After` of the last answer. */
let closedUntil = 0
let cancelNext = () => {}
let cancelEnd = () => {}
/** Whether `leavePage` was called: from then on no answer locks or changes this page. */
let isLeaving = false
const channel = new BroadcastChannel("workdesk:session")
channel.addEventListener("message", () => void readSession())

/** Another tab may have signed in or out while this tab was hidden, or was kept by the browser for the way back. */
function readWhenShown() {
  if (!document.hidden && state.get().kind !== "loading") void readSession()
}
// Some tests run without a browser.
globalThis.document?.addEventListener("visibilitychange", readWhenShown)
globalThis.addEventListener?.("pageshow", ({ persisted }) => persisted && readWhenShown())

/** Asks the desk who is signed in. After every answer, and after every error, one timer reads the session again. */
export function readSession(): Promise<void> {
  if (steadyNow() < closedUntil) return Promise.resolve()
  reading ??= ask().finally(() => {
    reading = undefined
  })
  return reading
}

async function ask(): Promise<void> {
  cancelNext()
  const answer = await fetchSession().catch((error: unknown) => {
    if (error instanceof DeskError) return error
    throw error
  })
  const isError = answer instanceof DeskError
  closedUntil = (isError ? answer.retryAt : undefined) ?? 0
  const pause = isError ? Math.max(closedUntil - steadyNow(), RETRY_MS) : READ_MS
  // A hidden page reads nothing: `readWhenShown` reads when the page is shown.
  cancelNext = callAt(steadyNow() + pause, () => document.hidden || void readSession())
  if (!isError) return applySession(answer)
  const { kind } = state.get()
  if (kind === "loading" || kind === "failed") state.set({ kind: "failed", error: answer })
}

/** @throws DeskError */
async function fetchSession(): Promise<DeskSession> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch("/desk/session", { signal }).catch(throwNoAnswer)
  if (!response.ok) throw await errorFromResponse(response)
  const session: unknown = await response.json().catch(() => undefined)
  // A network with a sign-in page of its own answers 200 for every address.
  if (!isDeskSession(session)) throw unreadable(response)
  compareClocks(response.headers.get("date"))
  return session
}

function isDeskSession(value: unknown): value is DeskSession {
  if (!isObject(value) || !("mode" in value)) return false
  const { person } = value
  return person === null || (isObject(person) && "id" in person && "roles" in person && "operations" in person)
}

/** Shows the person, locks the page if nobody is signed in any more, or loads the page again for another person. */
function applySession(session: DeskSession): void {
  cancelEnd()
  if (isLeaving) return
  const before = sessionOf(state.get())
  if (session.person === null) {
    return state.set(before === undefined ? { kind: "signed-out" } : { kind: "locked", session: before })
  }
  if (before === undefined) {
    // Before the person is known, nothing of a person is read or kept.
    openStorage(session.person.id)
    if (session.mode === "sign-in") notifyOtherTabs()
  } else if (before.person.id !== session.person.id) {
    return location.reload()
  }
  readAtEndOf(session)
  state.set({ kind: "signed-in", session: before !== undefined && isSameSession(before, session) ? before : session })
}

/** Reads the session again at its end, also on a hidden page, which is then locked. */
function readAtEndOf({ ends_at: endsAt }: SignedIn): void {
  if (endsAt === null) return
  const left = Math.max(Date.parse(endsAt) - deskNow(), 0)
  cancelEnd = callAt(steadyNow() + left + AFTER_END_MS, () => void readSession())
}

/** Whether two answers differ at most in `ends_at`, which each touch moves. Then the object stays the same, so that nothing is rendered. */
function isSameSession(one: SignedIn, other: SignedIn): boolean {
  return JSON.stringify({ ...one, ends_at: null }) === JSON.stringify({ ...other, ends_at: null })
}

/** Asks the other tabs of this browser to read the session again: somebody signed in or out here. */
export function notifyOtherTabs(): void {
  postToTabs(channel, "changed")
}

/** Posts to the other tabs. A page that the browser is leaving has lost its channel already, and then nothing is posted. */
export function postToTabs(channel: BroadcastChannel, message: unknown): void {
  try {
    channel.postMessage(message)
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "InvalidStateError")) throw error
  }
}

/** Opens another page, for instance to sign in as somebody else. Until then an ended session does not lock this page. */
export function leavePage(address: string): void {
  isLeaving = true
  // The browser may keep the whole page in memory and show it again when the person goes back.
  addEventListener("pageshow", () => location.reload(), { once: true })
  location.assign(address)
}

const sessionOf = (of: SessionState): SignedIn | undefined =>
  of.kind === "signed-in" || of.kind === "locked" ? of.session : undefined

/** The opaque id of the person of this page: `local` in local mode, undefined before the desk has said who it is. */
export function pagePerson(): string | undefined {
  return sessionOf(state.get())?.person.id
}

/** Calls `act` once, as soon as the desk has said who the person of this page is. */
export function whenPersonIsKnown(act: () => void): void {
  if (pagePerson() !== undefined) return act()
  const end = state.subscribe(() => {
    if (pagePerson() === undefined) return
    end()
    act()
  })
}

/** Whether the session has ended while the page was open. */
export function isLocked(): boolean {
  return state.get().kind === "locked"
}

/** Resolves when the page is not locked. @throws the signal's reason when `signal` aborts first */
export async function whenUnlocked(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (!isLocked()) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const end = state.subscribe(() => isLocked() || resolve())
  const abort = () => reject(signal.reason)
  signal.addEventListener("abort", abort)
  await promise.finally(() => {
    end()
    signal.removeEventListener("abort", abort)
  })
}

/** The session as the desk reported it last, with the states before and after it. */
export function useSessionState(): SessionState {
  return useStore(state)
}

/** The session of the person of this page, also while the page is locked; undefined until the desk has answered. */
export function useSession(): SignedIn | undefined {
  return useStore(state, sessionOf)
}

/** Whether a person may freeze the desk or a colleague, and end a freeze. */
export const mayFreeze = ({ mode, is_overseer: isOverseer }: SignedIn) => mode === "local" || isOverseer === true

/** Whether a person can answer questions or approve, so that items can need them. */
export const mayDecide = ({ mode, person: { roles } }: SignedIn) =>
  mode === "local" || roles.includes("answerer") || roles.includes("approver")

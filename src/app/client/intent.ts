import {
  boolean,
  type GenericSchema,
  literal,
  number,
  object,
  optional,
  picklist,
  pipe,
  string,
  transform,
  variant,
} from "valibot"
import { stringifyJson } from "../../contract/int64.ts"
import { steadyNow } from "./clock.ts"
import { DESK_ERROR_KINDS, DeskError, unreachable } from "./desk-error.ts"
import { defineKind, type Entry, type Kind } from "./storage.ts"

/**
 * A person's intent to change something, and what is known of its fate. One Idempotency-Key for one intent, stored before
 * it is sent and kept until the service has recorded it (openapi.yaml, header `Idempotency-Key`).
 *
 * - `sending`: a request is under way, in this tab or another, or was when its tab ended.
 * - `unknown`: no readable answer came; it may have taken effect. Sending it again under its key is safe.
 * - `waiting`: refused for now; `error.retryAt` says when it may be sent again.
 * - `refused`: nothing happened: the service said no, or the browser could not store the key and nothing was sent.
 * - `recorded`: done. `replayed` where the service had recorded it before.
 */
export type Intent<Input, Result> = {
  readonly key: string
  readonly input: Input
  /** When it was sent last, on the clock of `steadyNow`. */
  readonly since: number
} & (
  | { readonly state: "sending" }
  | { readonly state: "unknown" | "waiting" | "refused"; readonly error: DeskError }
  | { readonly state: "recorded"; readonly result: Result; readonly replayed: boolean }
)

export type IntentEntry<Input, Result> = Entry<Intent<Input, Result>>

/** Sends an input under a key. Returns the answer of the service or throws a DeskError. */
export type SendIntent<Input, Result> = (input: Input, key: string) => Promise<{ data: Result; replayed: boolean }>

/** An intent that was sent last longer ago than this is not sent again by itself: the person may have changed their mind. */
const FRESH_MS = 5 * 60_000

const DAY_MS = 24 * 60 * 60_000
const KEPT_OPEN_MS = 90 * DAY_MS
const KEPT_ENDED_MS = DAY_MS

const storedError = pipe(
  object({
    kind: picklist(DESK_ERROR_KINDS),
    title: string(),
    detail: string(),
    code: string(),
    status: optional(number()),
    requestId: optional(string()),
    retryable: boolean(),
    retryAt: optional(number()),
    failureCode: optional(string()),
  }),
  transform((fields) => new DeskError(fields)),
)

/** Declares the intents of one operation: what is sent, and what the service answers. */
export function defineIntents<Id extends readonly string[], Input, Result>(options: {
  readonly name: string
  readonly input: GenericSchema<unknown, Input>
  readonly result: GenericSchema<unknown, Result>
}): Kind<Id, Intent<Input, Result>> {
  const common = { key: string(), input: options.input, since: number() }
  return defineKind<Id, Intent<Input, Result>>({
    name: options.name,
    version: 1,
    schema: variant("state", [
      object({ ...common, state: literal("sending") }),
      object({ ...common, state: picklist(["unknown", "waiting", "refused"]), error: storedError }),
      object({ ...common, state: literal("recorded"), result: options.result, replayed: boolean() }),
    ]),
    forgetAfterMs: (intent) => (hasEnded(intent) ? KEPT_ENDED_MS : KEPT_OPEN_MS),
    maxCharacters: 1_500_000,
    mayGo: hasEnded,
  })
}

/** Whether it was sent last a few minutes ago at most, so that it may be sent again without asking the person. */
function isFresh({ since }: Pick<Intent<unknown, unknown>, "since">, at = steadyNow()): boolean {
  return at - since <= FRESH_MS
}

/** When an intent that waits is sent again by itself; undefined where the wait is longer than a few minutes, and the person decides. */
export function resendsAt(intent: { readonly since: number; readonly error: DeskError }): number | undefined {
  const { retryAt } = intent.error
  return retryAt !== undefined && isFresh(intent, retryAt) ? retryAt : undefined
}

/** Whether the intent is recorded or refused, so that nothing is left to send under its key. */
function hasEnded({ state }: Pick<Intent<unknown, unknown>, "state">): boolean {
  return state === "recorded" || state === "refused"
}

/**
 * Sends `input` as the intent of `entry`, unless a request of that intent is under way in any tab. The same input keeps its
 * key until it is recorded; another input is another intent.
 */
export async function sendIntent<Input, Result>(
  entry: IntentEntry<Input, Result>,
  input: Input,
  send: SendIntent<Input, Result>,
): Promise<void> {
  await withLock(entry, { ifAvailable: true }, async () => {
    const before = entry.read()
    const key = before !== undefined && keepsKey(before, input) ? before.key : crypto.randomUUID()
    await attempt(entry, { state: "sending", key, input, since: steadyNow() }, send)
  })
}

/** Sends the stored intent of `entry` again under its key: after an unknown outcome, or when its wait is over. */
export async function sendIntentAgain<Input, Result>(
  entry: IntentEntry<Input, Result>,
  send: SendIntent<Input, Result>,
): Promise<void> {
  await withLock(entry, { ifAvailable: true }, async () => {
    const before = entry.read()
    if (before === undefined || before.state === "recorded") return
    // Another tab may have sent it meanwhile and been told to wait longer.
    if (before.state === "waiting" && steadyNow() < (before.error.retryAt ?? 0)) return
    await attempt(entry, { state: "sending", key: before.key, input: before.input, since: steadyNow() }, send)
  })
}

/**
 * Sends the intent of `entry` again without the person: its wait is over, or the browser is online again. An intent that was sent last more
 * than a few minutes ago is not sent: one that waited becomes refused, and an unknown one stays unknown. The person decides.
 */
export async function sendIntentByItself<Input, Result>(
  entry: IntentEntry<Input, Result>,
  send: SendIntent<Input, Result>,
): Promise<void> {
  const before = entry.read()
  if (before === undefined || isFresh(before)) return sendIntentAgain(entry, send)
  if (before.state === "waiting") entry.write({ ...before, state: "refused", error: notSentInTime() })
}

/**
 * Waits until no tab is sending the intent of `entry`. If the intent still says `sending`, its tab was closed or reloaded, and it is sent
 * again. If that was more than a few minutes ago, its outcome is unknown, and the person decides. Aborting `signal` ends the waiting.
 */
export async function resumeIntent<Input, Result>(
  entry: IntentEntry<Input, Result>,
  send: SendIntent<Input, Result>,
  signal: AbortSignal,
): Promise<void> {
  await withLock(entry, { signal }, async () => {
    const before = entry.read()
    if (before?.state !== "sending") return
    if (isFresh(before)) await attempt(entry, before, send)
    else entry.write({ ...before, state: "unknown", error: unreachable(undefined) })
  })
}

let leaving = false
globalThis.addEventListener?.("pagehide", () => {
  leaving = true
})
globalThis.addEventListener?.("pageshow", () => {
  leaving = false
})

async function attempt<Input, Result>(
  entry: IntentEntry<Input, Result>,
  intent: Extract<Intent<Input, Result>, { state: "sending" }>,
  send: SendIntent<Input, Result>,
): Promise<void> {
  // Without its stored key, the same intent would be sent as two intents after a reload.
  if (!entry.write(intent)) return entry.writeToPage({ ...intent, state: "refused", error: notKept() })
  let after: Intent<Input, Result>
  try {
    const { data, replayed } = await send(intent.input, intent.key)
    after = { ...intent, state: "recorded", result: data, replayed }
  } catch (error) {
    if (!(error instanceof DeskError)) throw error
    // A reload aborts the requests of its page. The next page finds the intent `sending` and resumes it (resumeIntent).
    if (leaving && error.kind === "unreachable") return
    after = { ...intent, state: stateAfter(error), error }
  }
  // An intent that was discarded meanwhile, in any tab, needs no answer.
  if (entry.read()?.key === intent.key) entry.write(after)
}

function notKept(): DeskError {
  return new DeskError({
    kind: "unsent",
    title: "Nothing was sent",
    detail:
      "The browser could not keep the key that makes sending it safe: its storage is full, or is switched off. Copy what you typed, " +
      "close other tabs of Workdesk or clear the storage of this site, then send again.",
  })
}

function notSentInTime(): DeskError {
  return new DeskError({
    kind: "unsent",
    title: "Not sent",
    detail: "The service had asked to wait, and nothing was sent after that. Send it now if you still mean it.",
  })
}

function stateAfter(error: DeskError): "unknown" | "waiting" | "refused" {
  if (error.outcomeUnknown) return "unknown"
  return error.retryAt === undefined ? "refused" : "waiting"
}

function keepsKey<Input, Result>(before: Intent<Input, Result>, input: Input): boolean {
  if (before.state === "recorded" || stringifyJson(before.input) !== stringifyJson(input)) return false
  return !("error" in before && before.error.code === "IDEMPOTENCY_CONFLICT")
}

/** Lets one tab at a time work on an intent (Web Locks). The browser frees the lock when the tab ends. */
async function withLock(
  entry: { readonly name: string },
  options: LockOptions,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await navigator.locks.request(entry.name, options, async (lock) => {
      if (lock !== null) await work()
    })
  } catch (error) {
    if (options.signal?.aborted !== true) throw error
  }
}

import { parseJson, stringifyJson } from "../../contract/int64.ts"
import { DeskError } from "./desk-error.ts"
import { readStored, storedNames, writeStored } from "./stored.ts"

/**
 * A person's intent to change something, and what is known of its fate. One Idempotency-Key for one intent, stored before
 * it is sent and kept until the service has answered (design, "What must be true" 3; API specification, "Idempotency").
 *
 * - `sending`: a request is under way, in this tab or another, or was when its tab ended.
 * - `unknown`: no readable answer came; it may have taken effect. Sending it again under its key is safe.
 * - `waiting`: refused for now; `error.retryAt` says when it may be sent again.
 * - `refused`: the service said no, and nothing happened.
 * - `recorded`: done. `replayed` where the service had recorded it before.
 */
export type Intent<Input, Result> =
  | { readonly state: "sending"; readonly key: string; readonly input: Input; readonly since: number }
  | {
      readonly state: "unknown" | "waiting" | "refused"
      readonly key: string
      readonly input: Input
      readonly since: number
      readonly error: DeskError
    }
  | {
      readonly state: "recorded"
      readonly key: string
      readonly input: Input
      readonly since: number
      readonly result: Result
      readonly replayed: boolean
    }

/** Sends an input under a key, and gives the service's answer or throws a DeskError. */
export type SendIntent<Input, Result> = (input: Input, key: string) => Promise<{ data: Result; replayed: boolean }>

const PREFIX = "intent:"
const KEPT_ENDED_MS = 24 * 60 * 60 * 1000

/** The intent of `slot`, read from its stored text. */
export function parseIntent<Input, Result>(text: string | undefined): Intent<Input, Result> | undefined {
  if (text === undefined) return undefined
  // Only this module writes under its prefix, and a slot has one Input and one Result.
  const intent = parseJson(text) as Intent<Input, Result>
  return "error" in intent ? { ...intent, error: new DeskError(intent.error) } : intent
}

export const intentName = (slot: string) => PREFIX + slot

const read = <Input, Result>(slot: string) => parseIntent<Input, Result>(readStored(intentName(slot)))

function write<Input, Result>(slot: string, intent: Intent<Input, Result>): void {
  writeStored(intentName(slot), stringifyJson(intent))
}

/** Forgets the intent of `slot`. What is under way goes on at the service; its answer is not kept. */
export function discardIntent(slot: string): void {
  writeStored(intentName(slot), undefined)
}

/**
 * Sends `input` as the intent of `slot`, unless a request of that slot is under way in any tab. The same input keeps its
 * key until it is recorded; another input is another intent (API specification, "Idempotency").
 */
export async function sendIntent<Input, Result>(
  slot: string,
  input: Input,
  send: SendIntent<Input, Result>,
): Promise<void> {
  await withSlot(slot, { ifAvailable: true }, async () => {
    const before = read<Input, Result>(slot)
    const key = before !== undefined && keepsKey(before, input) ? before.key : crypto.randomUUID()
    await attempt(slot, { state: "sending", key, input, since: Date.now() }, send)
  })
}

/** Sends the intent of `slot` again as it is, under its key: after an unknown outcome, or when its wait is over. */
export async function sendIntentAgain<Input, Result>(slot: string, send: SendIntent<Input, Result>): Promise<void> {
  await withSlot(slot, { ifAvailable: true }, async () => {
    const before = read<Input, Result>(slot)
    if (before === undefined || before.state === "recorded") return
    // Another tab was told to wait anew while this one's timer ran out.
    if (before.state === "waiting" && Date.now() < (before.error.retryAt ?? 0)) return
    await attempt(slot, { state: "sending", key: before.key, input: before.input, since: before.since }, send)
  })
}

/**
 * Waits until no tab is sending the intent of `slot` any more, and sends it again if it still says `sending`: its tab was
 * closed or reloaded. Ends when `signal` does.
 */
export async function resumeIntent<Input, Result>(
  slot: string,
  send: SendIntent<Input, Result>,
  signal: AbortSignal,
): Promise<void> {
  await withSlot(slot, { signal }, async () => {
    const before = read<Input, Result>(slot)
    if (before?.state === "sending") await attempt(slot, before, send)
  })
}

/** Forgets what was recorded or refused over a day ago; what may still be sent is kept. */
export function forgetOldIntents(now = Date.now()): void {
  for (const name of storedNames(PREFIX)) {
    const intent = parseIntent(readStored(name))
    const ended = intent?.state === "recorded" || intent?.state === "refused"
    if (ended && now - intent.since > KEPT_ENDED_MS) writeStored(name, undefined)
  }
}

let leaving = false
globalThis.addEventListener?.("pagehide", () => {
  leaving = true
})
globalThis.addEventListener?.("pageshow", () => {
  leaving = false
})

async function attempt<Input, Result>(
  slot: string,
  intent: Extract<Intent<Input, Result>, { state: "sending" }>,
  send: SendIntent<Input, Result>,
): Promise<void> {
  write(slot, intent)
  let after: Intent<Input, Result>
  try {
    const { data, replayed } = await send(intent.input, intent.key)
    after = { ...intent, state: "recorded", result: data, replayed }
  } catch (error) {
    if (!(error instanceof DeskError)) throw error
    // A reload cuts its own page's requests off: the next page finds it `sending`, and goes on (resumeIntent).
    if (leaving && error.kind === "unreachable") return
    after = { ...intent, state: stateAfter(error), error }
  }
  // Discarded meanwhile, here or in another tab: then nobody waits for the answer.
  if (read(slot)?.key === intent.key) write(slot, after)
}

function stateAfter(error: DeskError): "unknown" | "waiting" | "refused" {
  if (error.outcomeUnknown) return "unknown"
  return error.retryAt === undefined ? "refused" : "waiting"
}

function keepsKey<Input, Result>(before: Intent<Input, Result>, input: Input): boolean {
  if (before.state === "recorded" || stringifyJson(before.input) !== stringifyJson(input)) return false
  return !("error" in before && before.error.code === "IDEMPOTENCY_CONFLICT")
}

/** One tab at a time for a slot (Web Locks): the lock goes with its tab, however that ends. */
async function withSlot(slot: string, options: LockOptions, work: () => Promise<void>): Promise<void> {
  try {
    await navigator.locks.request(PREFIX + slot, options, async (lock) => {
      if (lock !== null) await work()
    })
  } catch (error) {
    if (options.signal?.aborted !== true) throw error
  }
}

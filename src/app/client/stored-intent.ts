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
import { steadyNow } from "./clock.ts"
import { DESK_ERROR_KINDS, DeskError } from "./desk-error.ts"
import { defineKind, type Entry, type Kind } from "./storage.ts"

/**
 * What a person wants to change, and the state of the request. One intent has one Idempotency-Key, which is stored before the request is
 * sent and kept until the service has recorded the intent (openapi.yaml, header `Idempotency-Key`).
 *
 * - `sending`: a request is under way in some tab, or was under way when its tab was closed.
 * - `unknown`: no readable answer came. The request may have taken effect. Sending it again under its key is safe.
 * - `waiting`: the service or the desk refused it for now. `error.retryAt` says when it may be sent again.
 * - `refused`: nothing happened. The service or the desk refused it, or the browser did not send it (`unsent` of desk-error.ts).
 * - `recorded`: the service has recorded it. `replayed` is true where the service had done so before.
 */
export type Intent<Input, Result> = {
  readonly key: string
  readonly input: Input
  /** When the person sent it last, or when the last `Retry-After` ended (`steadyNow`). It is fresh for FRESH_MS from then on. */
  readonly since: number
} & (
  | { readonly state: "sending" }
  | { readonly state: "unknown" | "waiting" | "refused"; readonly error: DeskError }
  | { readonly state: "recorded"; readonly result: Result; readonly replayed: boolean }
)

export type IntentEntry<Input, Result> = Entry<Intent<Input, Result>>

/** After this time an intent is not sent again by itself, because the person may have changed their mind. */
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

/**
 * Declares the intents of one operation.
 *
 * @param options `name` names the entries in the storage; `input` checks what is sent, and `result` what the service answers
 */
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

/** Whether the intent was sent within the last few minutes before `at`, a moment of `steadyNow`. Then it may be sent again by itself. */
export function isFresh({ since }: Pick<Intent<unknown, unknown>, "since">, at = steadyNow()): boolean {
  return at - since <= FRESH_MS
}

/** When an intent that waits is sent again by itself, as a moment of `steadyNow`; undefined after a longer wait, when the person decides. */
export function resendsAt(intent: { readonly since: number; readonly error: DeskError }): number | undefined {
  const { retryAt } = intent.error
  return retryAt !== undefined && isFresh(intent, retryAt) ? retryAt : undefined
}

/** Whether the intent is recorded or refused. Such an entry may be removed early, to make room. */
function hasEnded({ state }: Pick<Intent<unknown, unknown>, "state">): boolean {
  return state === "recorded" || state === "refused"
}

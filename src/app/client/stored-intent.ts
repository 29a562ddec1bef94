/** An intent as the browser stores it: its input, Idempotency-Key and state. */
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
import { DESK_ERROR_KINDS, DeskError } from "./desk-error.ts"
import { defineKind, type Entry, type Kind } from "./storage.ts"

/**
 * What a person wants to change, and the state of the request. One intent has one Idempotency-Key, which is stored before the request is
 * sent and kept until the service has confirmed the intent (openapi.yaml, header `Idempotency-Key`).
 *
 * - `sending`: a request is under way in some tab, or was under way when its tab was closed.
 * - `unknown`: no readable answer came. The request may have taken effect. Sending it again under its key is safe.
 * - `refused`: nothing happened. The service or the desk refused the request, or the browser did not send it (`unsent` of desk-error.ts).
 * - `confirmed`: the service has the intent. `replayed`: the service had it already when this request came.
 */
export type Intent<Input, Result> = {
  readonly key: string
  readonly input: Input
  /** When this state began, in ms since 1970 on this machine's clock. */
  readonly since: number
} & (
  | { readonly state: "sending" }
  | { readonly state: "unknown" | "refused"; readonly error: DeskError }
  | { readonly state: "confirmed"; readonly result: Result; readonly replayed: boolean }
)

export type IntentEntry<Input, Result> = Entry<Intent<Input, Result>>

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

/** An older build of the app stored `recorded`. A tab of that build takes `confirmed` for no intent, and reads the outcome from the service. */
const confirmed = pipe(
  picklist(["confirmed", "recorded"]),
  transform(() => "confirmed" as const),
)

/** An older build of the app had a state `waiting` for a refusal with a `Retry-After`. */
const failed = pipe(
  picklist(["unknown", "refused", "waiting"]),
  transform((state) => (state === "waiting" ? "refused" : state)),
)

/**
 * Declares the intents of one operation.
 *
 * @param options `name` names the entries in the storage; `input` checks what is sent, and `result` what is kept of the service's answer. Both are
 *   small: many intents share the storage of the browser
 */
export function defineIntents<Id extends readonly string[], Input, Result>(options: {
  readonly name: string
  readonly input: GenericSchema<unknown, Input>
  readonly result: GenericSchema<unknown, Result>
}): Kind<Id, Intent<Input, Result>> {
  const common = { key: string(), input: options.input, since: number() }
  return defineKind<Id, Intent<Input, Result>>({
    name: options.name,
    schema: variant("state", [
      object({ ...common, state: literal("sending") }),
      object({ ...common, state: failed, error: storedError }),
      object({ ...common, state: confirmed, result: options.result, replayed: boolean() }),
    ]),
    keptDays: ({ state }) => (state === "confirmed" || state === "refused" ? 1 : 90),
  })
}

/** Before this moment of `steadyNow` the intent must not be sent again: the `Retry-After` of its answer. */
export function retryAtOf(intent: Intent<unknown, unknown> | undefined): number | undefined {
  return intent !== undefined && "error" in intent ? intent.error.retryAt : undefined
}

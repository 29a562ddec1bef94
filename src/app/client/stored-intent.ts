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
 * - `waiting`: the service or the desk refused the request for now. `error.retryAt` says when it may be sent again.
 * - `refused`: nothing happened. The service or the desk refused the request, or the browser did not send it (`unsent` of desk-error.ts).
 * - `recorded`: the service has recorded the intent. `replayed`: the service had recorded it already when this request came.
 */
export type Intent<Input, Result> = {
  readonly key: string
  readonly input: Input
  /** When the person sent the intent last, on the steady clock of the page (`steadyNow`). */
  readonly since: number
  /** The same moment on the clock of the machine (`Date.now`). */
  readonly sentAt: number
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
  // An intent of an older build has no `sentAt`. It then counts as old, and waits for the person.
  const common = { key: string(), input: options.input, since: number(), sentAt: optional(number(), 0) }
  return defineKind<Id, Intent<Input, Result>>({
    name: options.name,
    version: 1,
    schema: variant("state", [
      object({ ...common, state: literal("sending") }),
      object({ ...common, state: picklist(["unknown", "waiting", "refused"]), error: storedError }),
      object({ ...common, state: literal("recorded"), result: options.result, replayed: boolean() }),
    ]),
    forgetAfterMs: (intent) => (hasEnded(intent) ? KEPT_ENDED_MS : KEPT_OPEN_MS),
  })
}

type SendMoment = Pick<Intent<unknown, unknown>, "since" | "sentAt">

/** The present moment, on both clocks, as the moment at which a person sends an intent. */
export const sentNow = (): SendMoment => ({ since: steadyNow(), sentAt: Date.now() })

/**
 * Whether the person sent the intent within `FRESH_MS`, so that it may be sent again by itself. Both clocks have to agree: the steady
 * clock may stand still while the machine sleeps (High Resolution Time, "Monotonic Clock"), and the machine's clock may be set back.
 */
export function isFresh({ since, sentAt }: SendMoment): boolean {
  return Math.abs(steadyNow() - since) <= FRESH_MS && Math.abs(Date.now() - sentAt) <= FRESH_MS
}

/** When an intent that waits is sent again by itself, as a moment of `steadyNow`; undefined for a wait beyond `FRESH_MS`: the person decides. */
export function resendsAt({
  since,
  error: { retryAt },
}: Pick<SendMoment, "since"> & { error: DeskError }): number | undefined {
  return retryAt !== undefined && retryAt - since <= FRESH_MS ? retryAt : undefined
}

/** Whether the intent is recorded or refused. Such an intent is kept for a day only. */
function hasEnded({ state }: Pick<Intent<unknown, unknown>, "state">): boolean {
  return state === "recorded" || state === "refused"
}

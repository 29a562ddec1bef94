/** The members of the rows of the record, as types and as schemas. */
import * as v from "valibot"
import type { RecordOperation } from "../../contract/desk-work.ts"
import { parseJson } from "../../contract/int64.ts"
import type { Value } from "../store/database.ts"

const text = v.exactOptional(v.string())
/** The Work or item of a mutation. */
const about = {
  work_id: text,
  item_id: text,
  summary: text,
  destination: text,
  subject: text,
  content_hash: text,
  /** The upstream's `proposed_action_payload_hash`. */
  payload_hash: text,
  /** Of a decision, answer or new Work: the colleague. Of a freeze and its end: the frozen colleague, left out for the whole desk. */
  colleague: text,
  /** The upstream's `policy_reason`. */
  reason: text,
  /** When the item was asked, as the upstream's `created_at` says it. */
  asked_at: text,
}

/** The patterns of a rule of the access file. A pattern that is left out matches everything. */
const rulePatterns = v.pipe(v.object({ destination: text, colleague: text }), v.readonly())

/** The place of a row in the chain. */
export const place = {
  sequence: v.number(),
  /** The hash of the row before; 64 zeros for the first row. */
  previous: v.string(),
  /** ISO 8601 */
  at: v.string(),
}

/** Only the person's id, so that a person can be forgotten: names are joined when they are shown. Rows of an older desk also have the name. */
export const personId = v.union([
  v.string(),
  v.pipe(
    v.object({ id: v.string() }),
    v.transform(({ id }) => id),
  ),
])

const intent = v.object({
  ...place,
  ...about,
  kind: v.literal("intent"),
  person: personId,
  roles: v.pipe(v.array(v.picklist(["reader", "answerer", "delegator", "approver"])), v.readonly()),
  operation: v.custom<RecordOperation>((value) => typeof value === "string"),
  /** For `setAway`: the ids of the person and of the stand-in, and the times in ISO 8601. */
  about: text,
  stand_in: v.exactOptional(v.nullable(v.string())),
  from: v.exactOptional(v.nullable(v.string())),
  until: v.exactOptional(v.nullable(v.string())),
  decision: v.exactOptional(v.picklist(["approve", "decline"])),
  /** A decline that asks for a change. Left out of every other row, so that the hashes of older rows stay. */
  wants_change: v.exactOptional(v.literal(true)),
  /** The id that decisions have which were sent together (the header `Desk-Together`). */
  together: text,
  /** The rules that matched the approval of a decision. Rows of an older desk don't have them. */
  rules: v.exactOptional(v.pipe(v.array(rulePatterns), v.readonly())),
  /** The version in `If-Match`. */
  version: v.exactOptional(v.bigint()),
  body_hash: text,
  request_id: v.string(),
  /** SHA-256 of the Idempotency-Key. */
  key_hash: v.string(),
  /** SHA-256 of path, `If-Match` and body, which a replay must repeat. */
  input_hash: v.string(),
})

const outcome = v.object({
  ...place,
  ...about,
  kind: v.literal("outcome"),
  /** The sequence of the intent. */
  intent: v.number(),
  /** `held`: the desk holds an approve until the last one that is needed. */
  outcome: v.picklist(["recorded", "refused", "unknown", "held"]),
  status: v.exactOptional(v.number()),
  replayed: v.exactOptional(v.boolean()),
  /** The request certainly did not reach the service. */
  unsent: v.exactOptional(v.literal(true)),
  service_actor: text,
})

const checkpoint = v.object({
  ...place,
  kind: v.literal("checkpoint"),
  /** The last row that went to the file. */
  archived: v.pipe(v.object({ sequence: v.number(), hash: v.string() }), v.readonly()),
})

const chainRow = v.variant("kind", [intent, outcome, checkpoint])

/** A row before it is stored: a member that is not known may be `undefined`. */
type Made<Stored> = {
  readonly [Name in keyof Stored]: object extends Pick<Stored, Name> ? Stored[Name] | undefined : Stored[Name]
}

/** The row that is stored before a mutation is sent. A mutation that the app sends twice under one key has two of these rows. */
export type IntentRow = Made<Omit<v.InferOutput<typeof intent>, keyof typeof place>>

/** The row that is stored when the upstream has answered, or has given no answer in time. Without this row the outcome is `unknown`. */
export type OutcomeRow = Made<Omit<v.InferOutput<typeof outcome>, keyof typeof place>>

/** The row that an archive of the record appends. */
export type CheckpointRow = Made<Omit<v.InferOutput<typeof checkpoint>, keyof typeof place>>

type StoredRow = v.InferOutput<typeof chainRow>

/** A row to append. */
export type NewRow = IntentRow | OutcomeRow | CheckpointRow

export type Place = Readonly<v.InferOutput<v.ObjectSchema<typeof place, undefined>>>

/** A row that was appended, with its hash. */
export type AppendedRow = Place & NewRow & { readonly hash: string }

/** The members of each row that an entry of `GET /desk/record` has. */
export const entryPartOfIntent = v.omit(intent, [
  ...(["kind", "previous", "key_hash", "input_hash"] as const),
  // People are shown with their names.
  ...(["person", "about", "stand_in"] as const),
])
export const entryPartOfOutcome = v.omit(outcome, ["kind", "sequence", "previous", "at", "intent", "unsent"])

/** Reads a stored row. Undefined when somebody has edited the row so that it is not valid. */
export function readRow(entry: string): StoredRow | undefined {
  try {
    const found = v.safeParse(chainRow, parseJson(entry))
    return found.success ? found.output : undefined
  } catch {
    return undefined
  }
}

/** Reads a stored intent row. Undefined for every other value. */
export function readIntent(entry: Value | undefined): Extract<StoredRow, { readonly kind: "intent" }> | undefined {
  const row = readRow(String(entry))
  return row?.kind === "intent" ? row : undefined
}

/** Reads a stored outcome row. Undefined for every other value. */
export function readOutcomeRow(entry: Value | undefined): Extract<StoredRow, { readonly kind: "outcome" }> | undefined {
  const row = readRow(String(entry))
  return row?.kind === "outcome" ? row : undefined
}

/** The members of a row that the verification needs. Measured: reading them takes a fifth of the time of reading the whole row. */
const linked = v.variant("kind", [
  v.object({
    ...place,
    work_id: text,
    item_id: text,
    kind: v.literal("intent"),
    person: personId,
    operation: v.string(),
    key_hash: v.string(),
  }),
  v.object({
    ...place,
    work_id: text,
    item_id: text,
    kind: v.literal("outcome"),
    intent: v.number(),
    outcome: v.string(),
  }),
  v.object({
    ...place,
    kind: v.literal("checkpoint"),
    archived: v.object({ sequence: v.number(), hash: v.string() }),
  }),
])

export type Linked = v.InferOutput<typeof linked>

/** Reads the members of a row that the verification needs. Undefined: somebody has edited the row. */
export function readLinked(entry: string): Linked | undefined {
  try {
    const found = v.safeParse(linked, JSON.parse(entry))
    return found.success ? found.output : undefined
  } catch {
    return undefined
  }
}

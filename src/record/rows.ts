/** The members of the rows of the record, as types and as schemas. */
import * as v from "valibot"
import type { RecordOperation, Role } from "../contract/desk.ts"
import { parseJson } from "../contract/int64.ts"

/** The Work or item of a mutation. Unknown members are left out. */
type About = {
  readonly work_id?: string | undefined
  readonly item_id?: string | undefined
  readonly summary?: string | undefined
  readonly destination?: string | undefined
  readonly subject?: string | undefined
  readonly content_hash?: string | undefined
  /** The upstream's `proposed_action_payload_hash`. */
  readonly payload_hash?: string | undefined
}

/** The row that is stored before a mutation is sent. A mutation that the app sends twice under one key has two of these rows. */
export type IntentRow = About & {
  readonly kind: "intent"
  /** The id alone: names are joined when they are shown, so that a person can be forgotten. */
  readonly person: string
  readonly roles: readonly Role[]
  readonly operation: RecordOperation
  readonly decision?: "approve" | "decline" | undefined
  /** The version in `If-Match`. */
  readonly version?: bigint | undefined
  readonly body_hash?: string | undefined
  readonly request_id: string
  /** SHA-256 of the Idempotency-Key. */
  readonly key_hash: string
  /** SHA-256 of path, `If-Match` and body, which a replay must repeat. */
  readonly input_hash: string
}

/** The row that is stored when the upstream has answered, or has given no answer in time. Without this row the outcome is `unknown`. */
export type OutcomeRow = About & {
  readonly kind: "outcome"
  /** The sequence of the intent. */
  readonly intent: number
  /** `held`: the desk keeps an approve until the last one that is needed. */
  readonly outcome: "recorded" | "refused" | "unknown" | "held"
  readonly status?: number | undefined
  readonly replayed?: boolean | undefined
  /** The request certainly did not reach the service. */
  readonly unsent?: true | undefined
  readonly service_actor?: string | undefined
}

/** The place of a row in the chain. */
export type Place = {
  readonly sequence: number
  /** The hash of the row before; 64 zeros for the first row. */
  readonly previous: string
  /** ISO 8601 */
  readonly at: string
}

export type ChainRow = Place & (IntentRow | OutcomeRow)

/** A row that was appended, with its hash. */
export type AppendedRow = ChainRow & { readonly hash: string }

const text = v.exactOptional(v.string())
const about = {
  work_id: text,
  item_id: text,
  summary: text,
  destination: text,
  subject: text,
  content_hash: text,
  payload_hash: text,
}
/** The members of `Place`. */
export const place = { sequence: v.number(), previous: v.string(), at: v.string() }

/** A person's id. Rows that an older desk has stored also have the name. */
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
  roles: v.array(v.picklist(["reader", "answerer", "delegator", "approver"])),
  operation: v.custom<RecordOperation>((value) => typeof value === "string"),
  decision: v.exactOptional(v.picklist(["approve", "decline"])),
  version: v.exactOptional(v.bigint()),
  body_hash: text,
  request_id: v.string(),
  key_hash: v.string(),
  input_hash: v.string(),
})

const outcome = v.object({
  ...place,
  ...about,
  kind: v.literal("outcome"),
  intent: v.number(),
  outcome: v.picklist(["recorded", "refused", "unknown", "held"]),
  status: v.exactOptional(v.number()),
  replayed: v.exactOptional(v.boolean()),
  unsent: v.exactOptional(v.literal(true)),
  service_actor: text,
})

/** The members that an entry of `GET /desk/record` takes from each of its rows. */
export const entryPartOfIntent = v.omit(intent, ["kind", "previous", "person", "key_hash", "input_hash"])
export const entryPartOfOutcome = v.omit(outcome, ["kind", "sequence", "previous", "at", "intent", "unsent"])

const chainRow = v.variant("kind", [intent, outcome])

type StoredRow = v.InferOutput<typeof chainRow>

/** Reads a stored row. Undefined when somebody has edited the row so that it is not valid. */
export function readRow(entry: string): StoredRow | undefined {
  try {
    const found = v.safeParse(chainRow, parseJson(entry))
    return found.success ? found.output : undefined
  } catch {
    return undefined
  }
}

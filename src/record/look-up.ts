/** Looks rows of the record up: for a key, for the creator of a Work, and for decisions. */
import * as v from "valibot"
import type { RecordedDecision } from "../contract/approvals.ts"
import type { Creation } from "../people/rules/rules.ts"
import type { Reader, Row } from "../store/database.ts"
import { parseObject } from "../contract/json-object.ts"
import { archivedAttempts } from "./archive.ts"
import { nameOf } from "./entries.ts"
import { type IntentRow, readRow } from "./rows.ts"

/** An archived intent has no members but `input_hash`. */
export type AttemptedIntent = Pick<IntentRow, "input_hash"> & Partial<IntentRow>

/** An intent with an Idempotency-Key, and its outcome. */
export type Attempt = {
  readonly sequence: number
  readonly personId: string
  /** What a replay is compared with, and what its row says again. Undefined when somebody has edited the row. */
  readonly intent: AttemptedIntent | undefined
  readonly outcome: string
}

/** All intents with a key, oldest first. `keyHash` is the hash of the key. */
export async function attemptsWith({ read }: Reader, keyHash: string): Promise<readonly Attempt[]> {
  const archived = await archivedAttempts({ read }, keyHash)
  const rows = await read(
    `SELECT asked.sequence, asked.person_id, asked.entry, answered.outcome
     FROM record AS asked LEFT JOIN record AS answered ON answered.sequence =
       (SELECT max(sequence) FROM record WHERE intent = asked.sequence AND sequence > asked.sequence)
     WHERE asked.key_hash = ? ORDER BY asked.sequence`,
    keyHash,
  )
  const kept = rows.map((row) => {
    const intent = readRow(String(row["entry"]))
    return {
      sequence: Number(row["sequence"]),
      personId: String(row["person_id"]),
      intent: intent?.kind === "intent" ? intent : undefined,
      outcome: String(row["outcome"] ?? "unknown"),
    }
  })
  return [...archived, ...kept]
}

/** Looks up who created a Work through this desk, and whether the answer to a createWork of the person was lost. */
export async function creationOf({ read }: Reader, workId: string, personId: string): Promise<Creation> {
  const creators = await read("SELECT person_id FROM work_person WHERE work_id = ? AND deed = 'creator'", workId)
  const lost = await read("SELECT intent FROM open_creation WHERE person_id = ? LIMIT 1", personId)
  return { creators: creators.map((row) => String(row["person_id"])), mayHaveLostCreation: lost.length > 0 }
}

/** The ids of the persons who created an upload at this desk. */
export async function uploadersOf({ read }: Reader, uploadId: string): Promise<readonly string[]> {
  const rows = await read(
    `SELECT DISTINCT asked.person_id FROM record AS asked JOIN record AS answered ON answered.intent = asked.sequence
     WHERE answered.item_id = ? AND answered.outcome = 'recorded' AND asked.operation = 'createInputUpload'
       AND asked.person_id <> 'local'
     UNION SELECT person_id FROM archived_key
     WHERE item_id = ? AND outcome = 'recorded' AND operation = 'createInputUpload' AND person_id <> 'local'`,
    uploadId,
    uploadId,
  )
  return rows.map((row) => String(row["person_id"]))
}

/** Whether an intent has no outcome but `unknown`. */
export async function isOutcomeUnknown({ read }: Reader, sequence: number): Promise<boolean> {
  const rows = await read(
    "SELECT outcome FROM record WHERE intent = ? AND outcome IN ('recorded', 'refused')",
    sequence,
  )
  return rows.length === 0
}

/** Whether the service has recorded a decision of this desk about an approval. A decided approval never becomes pending again. */
export async function isDecided(
  { read }: Reader,
  { workId, approvalId }: { readonly workId: string; readonly approvalId: string },
): Promise<boolean> {
  const rows = await read(
    `SELECT asked.sequence FROM record AS asked JOIN record AS answered ON answered.intent = asked.sequence
     WHERE asked.item_id = ? AND asked.work_id = ? AND asked.operation = 'resolveWorkApproval'
       AND answered.outcome = 'recorded'
     UNION SELECT sequence FROM archived_key
     WHERE item_id = ? AND work_id = ? AND operation = 'resolveWorkApproval' AND outcome = 'recorded' LIMIT 1`,
    approvalId,
    workId,
    approvalId,
    workId,
  )
  return rows.length > 0
}

const decided = v.object({ decision: v.string() })

const DECISIONS_PER_STATEMENT = 1_000

/**
 * The decisions that the service has recorded, whose outcome row has a sequence above `after`, in the order of these rows. Sequences have no
 * gaps that are filled later, so nothing is missed, whatever the clocks of the desks say.
 */
export async function decisionsAfter({ read }: Reader, after: number): Promise<readonly RecordedDecision[]> {
  const decisions: RecordedDecision[] = []
  for (let sequence = after; ;) {
    const rows = await read(
      `SELECT answered.sequence, asked.at, asked.work_id, asked.item_id, asked.entry, asked.person_id,
         person.name AS person_name
       FROM record AS answered JOIN record AS asked ON asked.sequence = answered.intent
         LEFT JOIN person ON person.id = asked.person_id
       WHERE answered.outcome = 'recorded' AND answered.sequence > ? AND asked.operation = 'resolveWorkApproval'
       ORDER BY answered.sequence LIMIT ${DECISIONS_PER_STATEMENT}`,
      sequence,
    )
    decisions.push(...rows.flatMap(toDecision))
    const last = rows.at(-1)
    if (last === undefined || rows.length < DECISIONS_PER_STATEMENT) return decisions
    sequence = Number(last["sequence"])
    // Lets other requests run between two pages.
    await new Promise(setImmediate)
  }
}

function toDecision(row: Row): readonly RecordedDecision[] {
  const { work_id: workId, item_id: approvalId, at } = row
  const found = v.safeParse(decided, parseObject(String(row["entry"])))
  if (!found.success || typeof workId !== "string" || typeof approvalId !== "string") return []
  const { decision } = found.output
  const person = nameOf(String(row["person_id"]), row["person_name"])
  return [{ sequence: Number(row["sequence"]), workId, approvalId, decision, at: Number(at), person }]
}

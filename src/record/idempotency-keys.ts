/** What was sent before under an Idempotency-Key, and whether a person may use the key again. */
import type { Refusal } from "../http/refusal.ts"
import { keyOfAnother, keyReused, keyWithdrawn } from "./record-refusals.ts"
import type { Session } from "../people/people.ts"
import type { Reader, Row } from "../store/database.ts"
import { NEWEST_OUTCOME } from "./attempt-state.ts"
import { type Intended, inputHashOf, keyHashOf } from "./mutation.ts"
import { type IntentRow, readIntent } from "./rows.ts"

/** An intent with an Idempotency-Key, and its outcome. */
export type Attempt = {
  readonly sequence: number
  readonly personId: string
  /** An archived intent has `input_hash` alone. Undefined when somebody has edited the row. */
  readonly intent: (Pick<IntentRow, "input_hash"> & Partial<IntentRow>) | undefined
  /** `unknown` also while no outcome is stored. */
  readonly outcome: string
}

/** All intents with a key, oldest first. `keyHash` is the hash of the key. */
export async function attemptsWith({ read }: Reader, keyHash: string): Promise<readonly Attempt[]> {
  // A copy beyond the last checkpoint is of an archive that is not finished: the record still has its row.
  const archived = await read(
    `SELECT sequence, person_id, input_hash, outcome FROM archived_key
     WHERE key_hash = ? AND sequence <= (SELECT max(sequence) FROM record_checkpoint) ORDER BY sequence`,
    keyHash,
  )
  const kept = await read(
    `SELECT asked.sequence, asked.person_id, asked.entry, answered.outcome
     FROM record AS asked LEFT JOIN record AS answered ON answered.sequence =
       ${NEWEST_OUTCOME}
     WHERE asked.key_hash = ? ORDER BY asked.sequence`,
    keyHash,
  )
  return [
    ...archived.map((row) => toAttempt(row, { input_hash: String(row["input_hash"]) })),
    ...kept.map((row) => toAttempt(row, readIntent(row["entry"]))),
  ]
}

const toAttempt = (row: Row, intent: Attempt["intent"]): Attempt => ({
  sequence: Number(row["sequence"]),
  personId: String(row["person_id"]),
  intent,
  outcome: String(row["outcome"] ?? "unknown"),
})

/** Whether an attempt had the same path, `If-Match` and body. */
export const isSameInput = ({ intent }: Attempt, intended: Parameters<typeof inputHashOf>[0]) =>
  intent?.input_hash === inputHashOf(intended)

/** Why a person may not use a key for this input. Undefined: the person may. */
export async function checkKey(
  store: Reader,
  attempts: readonly Attempt[],
  { person }: Session,
  intended: Intended,
): Promise<Refusal | undefined> {
  if (attempts.length === 0) return undefined
  if (attempts.some(({ personId }) => personId !== person.id)) return keyOfAnother
  if (await isWithdrawn(store, keyHashOf(intended))) return keyWithdrawn
  // The service has not heard of what the desk holds, so the desk itself refuses another input under the same key.
  const isReused = attempts.some((attempt) => attempt.outcome === "held" && !isSameInput(attempt, intended))
  return isReused ? keyReused : undefined
}

/** Whether the key belongs to an approve that was withdrawn. */
async function isWithdrawn({ read }: Reader, keyHash: string): Promise<boolean> {
  return (await read("SELECT key_hash FROM withdrawn_key WHERE key_hash = ?", keyHash)).length > 0
}

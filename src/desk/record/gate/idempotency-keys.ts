/** What was sent before under an Idempotency-Key, and whether a person may use it again. Checked before the service is read and in the transaction. */
import { keyOfAnother, keyReused, keyWithdrawn } from "./gate-refusals.ts"
import type { Session } from "../../people/people-interface.ts"
import * as v from "valibot"
import { parseObject } from "../../../platform/http/json-object.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { Reader } from "../../store/database.ts"
import { select } from "../../store/tables.ts"
import { type Intended, inputHashOf, keyHashOf } from "./mutation.ts"
import type { ApprovalRead } from "./recorded-content.ts"
import { type IntentRow, readIntent } from "../record-rows.ts"

/** An intent with an Idempotency-Key, and its state. */
export type Attempt = {
  readonly sequence: number
  readonly personId: string
  /** The part that `record-archive.ts` keeps, if the intent was archived. Undefined if somebody has edited the row. */
  readonly intent: (Pick<IntentRow, "input_hash"> & Partial<IntentRow>) | undefined
  /** `unknown` also while no outcome is stored. */
  readonly outcome: string
}

const attemptRow = v.object({
  sequence: v.number(),
  personId: v.string(),
  entry: v.string(),
  outcome: v.string(),
})

const archivedIntent = v.object({ input_hash: v.string() })

/** The outcomes that an attempt can have. */
const OUTCOMES = ["recorded", "refused", "unknown", "held"]

/** SQL: the first attempt with a key that fulfils a condition. Only an index is read. */
const firstAttempt = (condition: string) =>
  `SELECT intent FROM (SELECT intent FROM attempt WHERE key_hash = ? AND ${condition} LIMIT 1) AS found`

/** How the hash of an attempt's input compares with the intended one: the same, or (`<` and `>`) another. SQLite uses no index for `<>`. */
const COMPARISONS = ["=", "<", ">"]

const ATTEMPTS = `SELECT sequence, record.person_id, entry, attempt.outcome
  FROM attempt JOIN record ON sequence = attempt.intent WHERE attempt.intent IN (
    ${OUTCOMES.flatMap((outcome) =>
      COMPARISONS.map((comparison) =>
        firstAttempt(`outcome = '${outcome}' AND input_hash ${comparison} ? ORDER BY outcome, input_hash, intent`),
      ),
    ).join(" UNION ALL ")}
    UNION ALL ${firstAttempt("person_id < ?")} UNION ALL ${firstAttempt("person_id > ?")}
  ) ORDER BY sequence`

/**
 * Reads the attempts with the key of `intended` that the checks need, oldest first, because a client may have sent a key thousands of times. For each
 * outcome, these are the first attempt with the same input and one or two with another input. One or two more are of other people, if there are any.
 */
export async function attemptsWith(store: Reader, intended: Intended, personId: string): Promise<readonly Attempt[]> {
  const [keyHash, inputHash] = [keyHashOf(intended), inputHashOf(intended)]
  const inputs = OUTCOMES.flatMap(() => COMPARISONS.flatMap(() => [keyHash, inputHash]))
  const rows = await select(store, attemptRow, ATTEMPTS, ...inputs, keyHash, personId, keyHash, personId)
  return rows.map(({ entry, ...row }) => ({ ...row, intent: readAttempted(entry) }))
}

function readAttempted(entry: string): Attempt["intent"] {
  const archived = v.safeParse(archivedIntent, parseObject(entry))
  return readIntent(entry) ?? (archived.success ? archived.output : undefined)
}

/** Whether an attempt had the same path, `If-Match` and body. */
export const isSameInput = ({ intent }: Attempt, intended: Parameters<typeof inputHashOf>[0]) =>
  intent?.input_hash === inputHashOf(intended)

/** The attempts that sent the same input. An approve that the desk holds was never sent. */
export const sentOf = (attempts: readonly Attempt[], intended: Parameters<typeof inputHashOf>[0]) =>
  attempts.filter((attempt) => attempt.outcome !== "held" && isSameInput(attempt, intended))

/**
 * Whether the answer to a decision was lost, so that the decision is sent again without the checks to learn its result. Every earlier attempt with the
 * same input (`sentBefore`) must have an unknown outcome, and the approval must not be pending in `version`. An undefined approval is not listed.
 */
export function isLostDecision(
  sentBefore: readonly Pick<Attempt, "outcome">[],
  approval: Pick<ApprovalRead, "isPending" | "version"> | undefined,
  version: bigint | undefined,
): boolean {
  const isStillUndecided = approval?.isPending === true && approval.version === version
  const areAllUnknown = sentBefore.length > 0 && sentBefore.every(({ outcome }) => outcome === "unknown")
  return areAllUnknown && !isStillUndecided
}

/** Checks that a person may use a key for this input. @throws Refused @throws StoreUnavailableError */
export async function checkKey(
  store: Reader,
  attempts: readonly Attempt[],
  { person }: Session,
  intended: Intended,
): Promise<void> {
  if (attempts.length === 0) return
  if (attempts.some(({ personId }) => personId !== person.id)) throw new Refused(keyOfAnother)
  if (await isWithdrawn(store, keyHashOf(intended))) throw new Refused(keyWithdrawn)
  // The service doesn't know the approves that the desk holds, so the desk itself refuses another input under the same key.
  const isReused = attempts.some((attempt) => attempt.outcome === "held" && !isSameInput(attempt, intended))
  if (isReused) throw new Refused(keyReused)
}

/** Whether the key belongs to an approve that was withdrawn. */
async function isWithdrawn({ read }: Reader, keyHash: string): Promise<boolean> {
  return (await read("SELECT key_hash FROM withdrawn_key WHERE key_hash = ?", keyHash)).length > 0
}

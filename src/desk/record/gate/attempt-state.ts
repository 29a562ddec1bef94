/**
 * The states of an attempt. An attempt is one intent row of the record, and its state is the outcome of its newest outcome row
 * (`docs/architecture.md`, "The states of an attempt", has the table). Every query for a state has NEWEST_OUTCOME or OUTCOME.
 */
import { setTimeout as delay } from "node:timers/promises"
import type { OperationId } from "../../../contract/resources.ts"
import type { Reader } from "../../store/database.ts"
import type { ApprovalId } from "./held-approves.ts"

/** How long the proxy waits for the complete answer to a mutation, counted from the request. */
export const ANSWER_MS = 30_000
/**
 * A mutation that a freeze can refuse leaves the desk within this time after its intent is stored, or never (`upstream-request.ts` of the proxy).
 * A freeze waits so long before its answer. Long enough for a connection whose first packet was lost.
 */
export const LEAVES_MS = 5_000
/** After this time an attempt without an outcome row was sent by a process that has ended. */
const UNDER_WAY_MS = LEAVES_MS + ANSWER_MS
/** How often a request that waits for an outcome looks for it. */
const POLL_MS = 100

/** SQL: the outcome rows of the intent row `asked`. An intent that a desk before schema 3 has archived has its outcome in its own row. */
const OUTCOMES = "FROM record WHERE intent = asked.sequence AND outcome IS NOT NULL"

/** SQL: the sequence of the newest outcome row of the intent row `asked`. */
export const NEWEST_OUTCOME = `(SELECT max(sequence) ${OUTCOMES})`

/** SQL: the outcome of that row. NULL without one: the attempt is under way, or its outcome is unknown. After `recorded` comes no other outcome. */
export const OUTCOME = `(SELECT outcome ${OUTCOMES} ORDER BY sequence DESC LIMIT 1)`

/** A decision whose intent is stored, and which the service may be receiving now. */
export type UnderWay = { readonly intent: number; readonly until: number }

/** Finds a decision about an approval that is on its way to the service, under another key than `exceptKeyHash`. */
export async function findUnderWay(
  { read }: Reader,
  { workId, approvalId }: ApprovalId,
  exceptKeyHash = "",
): Promise<UnderWay | undefined> {
  const [row] = await read(
    `SELECT sequence, at FROM record AS asked
     WHERE item_id = ? AND work_id = ? AND operation = 'resolveWorkApproval' AND key_hash <> ? AND at > ? AND ${OUTCOME} IS NULL
     ORDER BY sequence LIMIT 1`,
    approvalId,
    workId,
    exceptKeyHash,
    Date.now() - UNDER_WAY_MS,
  )
  return row && { intent: Number(row["sequence"]), until: Number(row["at"]) + UNDER_WAY_MS }
}

/** Waits until each decision and each createWork that is stored now has left the desk: until its outcome, or for LEAVES_MS. */
export async function waitForLeaving(database: Reader): Promise<void> {
  const until = Date.now() + LEAVES_MS
  const rows = await database.read(
    `SELECT sequence FROM record AS asked
     WHERE operation IN ('createWork', 'resolveWorkApproval') AND at > ? AND ${OUTCOME} IS NULL`,
    Date.now() - UNDER_WAY_MS,
  )
  await Promise.all(rows.map(({ sequence }) => waitForOutcome(database, { intent: Number(sequence), until })))
}

/** Finds the newest decision after a row of the record of which it is unknown whether the service confirmed it. @returns the sequence of its intent */
export async function findUnknown(
  { read }: Reader,
  { workId, approvalId }: ApprovalId,
  after: number,
): Promise<number | undefined> {
  const [row] = await read(
    `SELECT sequence FROM record AS asked
     WHERE item_id = ? AND work_id = ? AND operation = 'resolveWorkApproval' AND sequence > ?
       AND coalesce(${OUTCOME}, 'unknown') = 'unknown'
     ORDER BY sequence DESC LIMIT 1`,
    approvalId,
    workId,
    after,
  )
  return row && Number(row["sequence"])
}

/** The stored outcome of an attempt. Undefined without an outcome row. */
export async function readOutcome({ read }: Reader, intent: number): Promise<string | undefined> {
  const [row] = await read(`SELECT ${OUTCOME} AS outcome FROM record AS asked WHERE sequence = ?`, intent)
  const outcome = row?.["outcome"]
  return typeof outcome === "string" ? outcome : undefined
}

/** Waits until a decision is not under way any more. @returns its outcome; `unknown` also when its process has ended without one */
export async function waitForOutcome(store: Reader, { intent, until }: UnderWay): Promise<string> {
  for (;;) {
    const outcome = await readOutcome(store, intent)
    if (outcome !== undefined) return outcome
    if (Date.now() >= until) return "unknown"
    await delay(POLL_MS)
  }
}

/** Whether the service has confirmed a decision or an answer of this desk about an item. Such an item never waits again. */
export async function isConfirmed(
  { read }: Reader,
  operation: OperationId,
  workId: string,
  itemId: string,
): Promise<boolean> {
  const rows = await read(
    `SELECT 1 FROM record AS asked
     WHERE item_id = ? AND work_id = ? AND operation = ? AND ${OUTCOME} = 'recorded' LIMIT 1`,
    itemId,
    workId,
    operation,
  )
  return rows.length > 0
}

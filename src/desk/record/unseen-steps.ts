/** Keeps Work that was created and approvals that were decided at this desk until the notices have seen them, however soon they end. */
import type { Statements } from "../store/database.ts"
import { upsert } from "../store/tables.ts"
import type { IntentRow, OutcomeRow } from "./record-rows.ts"

/** The columns that only a desk that has read the Work or the approval can fill. */
const UNSEEN = { colleague: "", priority: "normal", createdAt: "" }

/** Call this in the transaction that stores the outcome. Stores nothing while no desk has a channel for notices. */
export async function keepUnseenStep(
  statements: Statements,
  { operation, item_id: itemId, version, ...intent }: IntentRow,
  outcome: Pick<OutcomeRow, "outcome" | "work_id">,
): Promise<void> {
  const workId = outcome.work_id ?? intent.work_id
  if (outcome.outcome !== "recorded" || workId === undefined) return
  const has = async (sql: string, ...values: string[]) => (await statements.read(sql, ...values)).length > 0
  if (!(await has("SELECT 1 FROM notice_desk WHERE channels <> '{}'"))) return
  if (operation === "createWork") {
    const options = { key: ["workId"], kept: ["status", ...Object.keys(UNSEEN)] }
    await upsert(statements, "noticed_work", options, { ...UNSEEN, workId, status: "created" })
  }
  if (operation !== "resolveWorkApproval" || itemId === undefined || version === undefined) return
  // An approval that the desk has seen waiting ends like any other item.
  if (await has("SELECT 1 FROM noticed_item WHERE work_id = ? AND item_id = ?", workId, itemId)) return
  const options = { key: ["workId", "itemId"], kept: ["version", "endedAt", ...Object.keys(UNSEEN)] }
  const row = { ...UNSEEN, workId, itemId, version: String(version), endedAt: Date.now() }
  await upsert(statements, "ended_approval", options, row)
}

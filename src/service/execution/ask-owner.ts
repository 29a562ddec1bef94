import type { ApprovalRequest, Letter, Question } from "../../colleagues/colleague.ts"
import { contentHash, newId } from "../api-values.ts"
import type { ServiceContext } from "../context.ts"
import type { Store, Transaction } from "../store/store.ts"
import type { WorkState } from "../work-state.ts"

/** Opens a clarification within a transaction, and gives its id. */
export function openAttention(
  { store, events }: ServiceContext,
  state: WorkState,
  transaction: Transaction,
  workId: string,
  question: Question,
): string {
  const id = newId("attention")
  const { title, what_happened, why_needed, recommended_action, consequences } = question
  const now = Date.now()
  store.insert("attention", {
    id,
    work_id: workId,
    source_id: newId("step"),
    title,
    what_happened,
    why_needed,
    recommended_action,
    consequences,
    status: "open",
    version: 1,
    created_at: now,
  })
  events.append(transaction, workId, "attention.opened", { message: `Asked: ${title}`, attention_id: id }, now)
  state.updateStatus(transaction, workId)
  return id
}

/** Inserts a pending approval within a transaction, and gives its id. */
export function insertApproval(store: Store, workId: string, colleagueId: string, request: ApprovalRequest): string {
  const id = newId("approval")
  const { summary, risk, destination, subject, body, policy_reason } = request
  store.insert("approval", {
    id,
    work_id: workId,
    action_id: newId("action"),
    requested_by_colleague: colleagueId,
    summary,
    risk,
    destination,
    subject,
    body,
    payload_hash: payloadHash(request),
    policy_reason,
    status: "pending",
    version: 1,
    created_at: Date.now(),
  })
  return id
}

/** The hash of the letter that an approval binds: of the JSON array of destination, subject and body. */
export function payloadHash({ destination, subject, body }: Letter): string {
  return contentHash(JSON.stringify([destination, subject, body]))
}

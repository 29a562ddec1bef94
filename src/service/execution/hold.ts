import type { ServiceContext } from "../context.ts"
import { optionalText, text } from "../store/rows.ts"
import type { Store, Transaction } from "../store/store.ts"
import type { WorkState } from "../work-state.ts"
import type { Question } from "../../colleagues/colleague.ts"
import { openAttention } from "./perform-step.ts"

/** Who resolves a question or an approval that is taken back. */
const SERVICE = "service"

/** Why a Work is on hold: its colleague was changed, is no longer there, or lost its worker thread too often. */
export type HoldReason = "changed" | "missing" | "lost"

/** A Work whose colleague does not run until the owner has answered a question of the service. */
export type Hold = { readonly reason: HoldReason; readonly answer: string | undefined }

/** Puts a Work on hold within a transaction: takes back what is open, and asks the owner how to go on. */
export function hold(
  context: ServiceContext,
  state: WorkState,
  transaction: Transaction,
  workId: string,
  reason: HoldReason,
  colleagueId: string,
): void {
  takeBack(context, transaction, workId)
  const question = questionOf(reason, colleagueId, countSent(context.store, workId))
  const attentionId = openAttention(context, state, transaction, workId, question)
  context.store.run("UPDATE work SET hold = ?, hold_attention_id = ? WHERE id = ?", reason, attentionId, workId)
}

/** The hold of a Work, with the owner's answer once there is one. */
export function readHold(store: Store, workId: string): Hold | undefined {
  const row = store.get(
    `SELECT hold, resolution FROM work JOIN attention ON attention.id = hold_attention_id
     WHERE work.id = ? AND hold IS NOT NULL`,
    workId,
  )
  if (row === undefined) return undefined
  const reason = text(row, "hold")
  return {
    reason: reason === "changed" || reason === "missing" ? reason : "lost",
    answer: optionalText(row, "resolution"),
  }
}

/** Whether the owner wants the Work to end. Any other answer lets it go on. */
export function wantsEnd(answer: string): boolean {
  return /\b(?:end|ends|stop|cancel|finish|abort|no)\b/i.test(answer)
}

/** Open questions and pending approvals are resolved by the service: nothing would come of an answer to them. */
function takeBack({ store, events }: ServiceContext, transaction: Transaction, workId: string): void {
  const now = Date.now()
  const why = "Taken back, because the colleague cannot go on from here."
  for (const row of store.all("SELECT id, title FROM attention WHERE work_id = ? AND status = 'open'", workId)) {
    store.run(
      `UPDATE attention SET status = 'resolved', version = version + 1, resolved_at = ?, resolved_by = ?, resolution = ?
       WHERE id = ?`,
      now,
      SERVICE,
      why,
      text(row, "id"),
    )
    const payload = { message: `Taken back: ${text(row, "title")}`, attention_id: text(row, "id"), resolution: why }
    events.append(transaction, workId, "attention.resolved", payload, now)
  }
  for (const row of store.all("SELECT id, summary FROM approval WHERE work_id = ? AND status = 'pending'", workId)) {
    store.run(
      `UPDATE approval SET status = 'declined', version = version + 1, resolved_at = ?, resolution_actor = ?,
         resolution_comment = ? WHERE id = ?`,
      now,
      SERVICE,
      why,
      text(row, "id"),
    )
    const payload = { message: `Taken back: ${text(row, "summary")}`, approval_id: text(row, "id"), status: "declined" }
    events.append(transaction, workId, "approval.declined", payload, now)
  }
}

function countSent(store: Store, workId: string): number {
  return store.all("SELECT 1 FROM approval WHERE work_id = ? AND sent_at IS NOT NULL", workId).length
}

function questionOf(reason: HoldReason, colleagueId: string, sent: number): Question {
  const letters =
    sent === 0
      ? "No letter was sent so far."
      : `${sent === 1 ? "One letter was" : `${sent} letters were`} sent before and cannot be taken back.`
  switch (reason) {
    case "changed":
      return {
        title: `The ${colleagueId} was changed since this Work began. Begin it again?`,
        what_happened: `A new version of the ${colleagueId} was installed, and it would not have taken the steps that this Work already took. ${letters}`,
        why_needed: "The new version cannot go on from the middle of another version's steps.",
        recommended_action: "Begin again with the new version.",
        consequences:
          "Begun again, the colleague asks its questions anew, and every letter needs a new approval. Results stay, and new ones become their next version. An answer with the word “end” ends this Work as it is.",
      }
    case "missing":
      return {
        title: `The ${colleagueId} is no longer installed. Go on when it is back?`,
        what_happened: `This Work was delegated to the colleague ${colleagueId}, which this service does not have any more. ${letters}`,
        why_needed: "Nobody else can do this Work.",
        recommended_action: "End this Work.",
        consequences:
          "An answer with the word “end” ends this Work. After any other answer it goes on if the colleague is installed again; otherwise you are asked again.",
      }
    case "lost":
      return {
        title: `The ${colleagueId} failed three times on this Work. Try again?`,
        what_happened: `Three times the ${colleagueId} took too much processor time or memory for a step and was ended. ${letters}`,
        why_needed: "It is not tried again without you, because it would fail in the same way each time.",
        recommended_action: "End this Work, and delegate it again with other inputs.",
        consequences:
          "An answer with the word “end” ends this Work as it is. After any other answer the colleague tries three more times.",
      }
  }
}

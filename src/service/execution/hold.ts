import type { ServiceContext } from "../context.ts"
import { optionalText, text } from "../store/rows.ts"
import type { Store, Transaction } from "../store/store.ts"
import type { WorkState } from "../work-state.ts"
import type { Question } from "../../colleagues/colleague.ts"
import { openAttention } from "./ask-owner.ts"

/** The `resolved_by` or `resolution_actor` of what the service takes back. */
const SERVICE = "service"

/** Why a Work is on hold: its colleague has changed, is no longer installed, or lost its worker thread too often. */
export type HoldReason = "changed" | "missing" | "lost"

/** The hold of a Work. Its colleague does not run until the owner has answered the service's question. `answer` is the owner's answer. */
export type Hold = { readonly reason: HoldReason; readonly answer: string | undefined }

/** Puts a Work on hold within a transaction: takes back its open questions and pending approvals, and asks the owner how to go on. */
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

/** Reads the hold of a Work. Undefined: the Work is not on hold. */
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

/** Whether the owner's answer ends the Work: it has the word “end”, as the question says, and no negation before that word. */
export function wantsEnd(answer: string): boolean {
  return /\bend\b/i.test(answer) && !/(?:\b(?:not|never|without)|n['’]t)\b[^.,;:!?]*\bend\b/i.test(answer)
}

/** Resolves the open questions and declines the pending approvals, because no colleague would use their answers. */
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
      ? "No letter has been sent."
      : `${sent === 1 ? "One letter was" : `${sent} letters were`} sent before and cannot be taken back.`
  switch (reason) {
    case "changed":
      return {
        title: `The ${colleagueId} was changed since this Work began. Begin it again?`,
        what_happened: `A new version of the ${colleagueId} is installed. It takes other steps than those that this Work has already taken. ${letters}`,
        why_needed: "The new version cannot go on where the earlier version stopped.",
        recommended_action: "Begin again with the new version.",
        consequences:
          "If it begins again, the colleague asks its questions again, and every letter needs a new approval. The results stay, and new results become their next versions. If your answer has the word “end”, this Work ends as it is.",
      }
    case "missing":
      return {
        title: `The ${colleagueId} is no longer installed. Go on when it is back?`,
        what_happened: `This Work was delegated to the colleague ${colleagueId}, which this service does not have any more. ${letters}`,
        why_needed: "Nobody else can do this Work.",
        recommended_action: "End this Work.",
        consequences:
          "If your answer has the word “end”, this Work ends. After any other answer, it goes on if the colleague is installed again. If the colleague is not installed, you are asked again.",
      }
    case "lost":
      return {
        title: `The ${colleagueId} failed three times on this Work. Try again?`,
        what_happened: `The ${colleagueId} was ended three times, because a step used too much processor time or memory, or did not go on. ${letters}`,
        why_needed:
          "The service does not try again without you, because the colleague would probably fail in the same way.",
        recommended_action: "End this Work, and delegate it again with other inputs.",
        consequences:
          "If your answer has the word “end”, this Work ends as it is. After any other answer, the colleague tries three more times.",
      }
  }
}

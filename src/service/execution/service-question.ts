/** The question that the service asks the owner when a colleague can't continue. */
import { countOf } from "../../contract/plural.ts"
import { resolveApproval, toApproval } from "../approvals.ts"
import { openAttention, resolveAttention, toAttention } from "../attention.ts"
import type { ServiceContext } from "../context.ts"
import { oneOf, optionalText } from "../store/sqlite-row.ts"
import type { Store } from "../store/store.ts"
import type { Question } from "../colleagues/colleague.ts"

/** The `resolved_by` or `resolution_actor` of what the service takes back. */
const SERVICE = "service"

/** Why the colleague of a Work cannot go on: it has changed, is no longer installed, or lost its thread too often. */
export type StopReason = "changed" | "missing" | "lost"

/** The service's own question to the owner of a Work. Until its `answer` is there, no colleague works on the Work. */
export type ServiceQuestion = { readonly reason: StopReason; readonly answer: string | undefined }

/** Takes back what a Work has asked, and asks its owner how to go on. Only for use within an effect. */
export function askHowToGoOn(context: ServiceContext, workId: string, reason: StopReason, colleagueId: string): void {
  const { store } = context
  const why = "The colleague can't continue from here."
  const open = store.all("SELECT * FROM attention WHERE work_id = ? AND status = 'open'", workId)
  for (const row of open) resolveAttention(context, toAttention(row), "Withdrawn", SERVICE, why)
  const pending = store.all("SELECT * FROM approval WHERE work_id = ? AND status = 'pending'", workId)
  for (const row of pending) resolveApproval(context, toApproval(row), "Withdrawn", SERVICE, why)
  const sent = store.all("SELECT 1 FROM approval WHERE work_id = ? AND sent_at IS NOT NULL", workId).length
  const attentionId = openAttention(context, workId, questionOf(reason, colleagueId, sent))
  store.update("work", workId, { hold: reason, hold_attention_id: attentionId })
}

/** Reads the service's own question about a Work. Undefined: it has none. */
export function readServiceQuestion(store: Store, workId: string): ServiceQuestion | undefined {
  const row = store.get(
    `SELECT hold, resolution FROM work JOIN attention ON attention.id = hold_attention_id
     WHERE work.id = ? AND hold IS NOT NULL`,
    workId,
  )
  return row && { reason: oneOf(row, "hold", ["changed", "missing", "lost"]), answer: optionalText(row, "resolution") }
}

const END = /\bend\b/i
/** A negation before “end”, with no punctuation mark between them: “do not end it”. In “Do not wait, end it”, the comma parts them. */
const NEGATED_END = /(?:\b(?:not|never|without)|n['’]t)\b[^.,;:!?]*\bend\b/i

/** Whether the owner's answer ends the Work: it has the word “end”, as the question says, and no negation before that word in its clause. */
export function wantsEnd(answer: string): boolean {
  return END.test(answer) && !NEGATED_END.test(answer)
}

function questionOf(reason: StopReason, colleagueId: string, sent: number): Question {
  const letters =
    sent === 0
      ? "No letter has been sent."
      : `${countOf(sent, "letter has", "letters have")} already been sent and can't be recalled.`
  switch (reason) {
    case "changed":
      return {
        title: `The ${colleagueId} has changed since this Work began. Start over?`,
        what_happened: `A new version of the ${colleagueId} is installed. Its steps differ from the steps that this Work has already taken. ${letters}`,
        why_needed: "The new version can't continue where the earlier version stopped.",
        recommended_action: "Start over with the new version.",
        consequences:
          "If the colleague starts over, it asks its questions again, and every letter needs a new approval. Existing results are kept, and new results are saved as newer versions of them. If your answer contains the word “end”, this Work ends as it is.",
      }
    case "missing":
      return {
        title: `The ${colleagueId} is no longer installed. Start over when it is back?`,
        what_happened: `This Work was delegated to the colleague ${colleagueId}, which this service no longer has. ${letters}`,
        why_needed: "No other colleague can do this Work.",
        recommended_action: "End this Work.",
        consequences:
          "To end this Work, answer with the word “end”. With any other answer, the colleague starts over: it asks its questions again, and every letter needs a new approval. If the colleague still isn't installed, you'll be asked again.",
      }
    case "lost":
      return {
        title: `The ${colleagueId} failed three times on this Work. Try again?`,
        what_happened: `The ${colleagueId} was stopped three times, because a step used too much processor time or memory, or made no progress. ${letters}`,
        why_needed: "The colleague would probably fail again, so the service doesn't retry without you.",
        recommended_action: "End this Work, and delegate it again with other inputs.",
        consequences:
          "If your answer contains the word “end”, this Work ends as it is. After any other answer, the colleague tries three more times.",
      }
  }
}

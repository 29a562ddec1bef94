import type { ApproveHeld } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"
import { api } from "../client/api.ts"
import { readApproval } from "../client/check-resource.ts"
import { confirmedOf } from "../client/send-intent.ts"
import { answerWith, validOf } from "../client/value-schema.ts"
import { approvalsOptions } from "../client/work-reads.ts"
import { approvalIntents, approvalSnapshots } from "../inbox/item-entries.ts"
import type { ItemVariant } from "../inbox/item-variant.ts"
import { ApprovalLetter } from "./approval-letter.tsx"
import { DecisionBar } from "./decision-bar.tsx"

/** The desk's own answer to an approve that it holds: the service does not know of the decision. */
const approveHeld = answerWith<ApproveHeld>("needed", "given")

/** Approvals: a colleague asks for permission to act, and a person approves or declines (openapi.yaml, resolveWorkApproval). */
export const approvalVariant: ItemVariant<Approval> = {
  kind: "approval",
  waitingOf: ({ approvals }) => approvals,
  itemsOf: approvalsOptions,
  snapshots: approvalSnapshots,
  intents: approvalIntents,
  send: async ([workId, approvalId], { version, text, decision, mustHold, wantsChange }, key, together) => {
    const answer = api.POST("/api/v1/work/{id}/approvals/{approval_id}/resolve", {
      params: {
        path: { id: workId, approval_id: approvalId },
        header: { "If-Match": `"${String(version)}"`, "Idempotency-Key": key },
      },
      // If another person approves at the moment of the click, the desk refuses this approve, because the screen said that it would be kept.
      headers: {
        ...(mustHold && { "desk-approve": "hold" }),
        ...(wantsChange && { "desk-wants-change": "true" }),
        ...(together !== undefined && { "desk-together": together }),
      },
      body: { decision, ...(text !== "" && { comment: text }) },
    })
    const { response, data } = await answer
    const held = response.status === 202 ? validOf(approveHeld, data) : undefined
    return held === undefined ? confirmedOf(answer, readApproval) : { held }
  },
  Letter: ApprovalLetter,
  Controls: DecisionBar,
}

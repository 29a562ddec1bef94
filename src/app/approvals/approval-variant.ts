import type { ApproveHeld } from "../../contract/desk.ts"
import { api } from "../client/api.ts"
import { recordedOf } from "../client/intent.ts"
import { approvalsOptions } from "../client/item-reads.ts"
import type { Approval } from "../../contract/resources.ts"
import { approvalIntents, approvalSnapshots, type DecisionInput } from "../inbox/item-entries.ts"
import type { ItemVariant } from "../inbox/item-variant.ts"
import { ApprovalLetter } from "./approval-letter.tsx"
import { ApprovalOutcome } from "./approval-outcome.tsx"
import { DecisionBar } from "./decision-bar.tsx"
import { DestinationMark } from "./destination-mark.tsx"

const isHeld = (body: unknown): body is ApproveHeld =>
  typeof body === "object" && body !== null && "needed" in body && "given" in body

/** Approvals: a colleague asks for permission to act, and a person approves or declines (openapi.yaml, resolveWorkApproval). */
export const approvalVariant: ItemVariant<Approval, DecisionInput> = {
  name: "approval",
  page: "/approvals",
  operation: "resolveWorkApproval",
  words: {
    sent: "decision",
    typed: "comment",
    heading: "Approvals",
    noneWait: "No approvals are waiting",
    noneWaitMore: "When a colleague wants to do something that needs your approval, its request appears here.",
    choose: "Choose a request to read it. J opens the oldest request.",
    notFound: "The request of this address does not wait any more, or is not visible to this account.",
    textName: "Comment",
    letterName: "The letter",
    doneName: "Decided",
    goneTitle: "A request that no longer waits",
    goneShort: "No longer waits",
    gone: "This no longer waits: it was decided or taken back elsewhere. Nothing can be decided here.",
    resolvedElsewhere: "This was decided elsewhere. Nothing can be decided here.",
  },
  isOpen: ({ status }) => status === "pending",
  titleOf: ({ summary }) => summary,
  colleagueOf: ({ item }) => item.requested_by_colleague,
  waitingOf: ({ approvals }) => approvals,
  itemsOf: approvalsOptions,
  snapshots: approvalSnapshots,
  intents: approvalIntents,
  send: async ([workId, approvalId], { version, text, decision }, key) => {
    const answer = api.POST("/api/v1/work/{id}/approvals/{approval_id}/resolve", {
      params: {
        path: { id: workId, approval_id: approvalId },
        header: { "If-Match": `"${String(version)}"`, "Idempotency-Key": key },
      },
      body: { decision, ...(text !== "" && { comment: text }) },
    })
    const { response, data } = await answer
    // 202 is the desk's own answer (contract/desk.ts, ApproveHeld): the service has not heard of the decision.
    const body: unknown = data
    if (response.status === 202 && isHeld(body)) return { held: body }
    return recordedOf(answer)
  },
  resolutionOf: ({ status, resolution_actor: actor, resolved_at: at, resolution_comment: text }) => ({
    word: status === "approved" ? "Approved" : status === "declined" ? "Declined" : status,
    actor,
    at,
    text,
    mayFollow: (decision) =>
      status === "approved" ? decision === "approve" : status !== "declined" || decision === "decline",
  }),
  Outcome: ApprovalOutcome,
  Letter: ApprovalLetter,
  Mark: DestinationMark,
  Controls: DecisionBar,
}

import { useQueryClient } from "@tanstack/react-query"
import type { Approval } from "../../contract/resources.ts"
import { api, recordedOf } from "../client/api.ts"
import { object, bigint, picklist, string } from "valibot"
import { defineIntents } from "../client/intent.ts"
import { approvalSchema, approvalSnapshots, itemDrafts } from "../inbox/item-entries.ts"
import { useItemIntent } from "../inbox/item-intent.ts"
import { noteDecision } from "./approval-queries.ts"

export type Decision = "approve" | "decline"
export type DecisionInput = { readonly version: bigint; readonly text: string; readonly decision: Decision }

export const approvalIntents = defineIntents<readonly [workId: string, id: string], DecisionInput, Approval>({
  name: "approval-intent",
  input: object({ version: bigint(), text: string(), decision: picklist(["approve", "decline"]) }),
  result: approvalSchema,
})

/** The decision on one approval: what is known of it, and how to send it. `text` is the comment, left out where empty. */
export function useDecision(workId: string, approvalId: string) {
  const client = useQueryClient()
  return useItemIntent<DecisionInput, Approval>(
    {
      draft: itemDrafts("approval", workId, approvalId),
      snapshot: approvalSnapshots(workId, approvalId),
      intent: approvalIntents(workId, approvalId),
    },
    workId,
    ({ version, text, decision }, key) =>
      recordedOf(
        api.POST("/api/v1/work/{id}/approvals/{approval_id}/resolve", {
          params: {
            path: { id: workId, approval_id: approvalId },
            header: { "If-Match": `"${String(version)}"`, "Idempotency-Key": key },
          },
          body: { decision, ...(text !== "" && { comment: text }) },
        }),
      ),
    ({ decision }) => decision,
    (approval) => noteDecision(client, approval),
  )
}

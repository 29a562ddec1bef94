import { useQueryClient } from "@tanstack/react-query"
import type { Attention } from "../../contract/resources.ts"
import { api, recordedOf } from "../client/api.ts"
import { object, bigint, string } from "valibot"
import { defineIntents } from "../client/intent.ts"
import { attentionSchema, attentionSnapshots, itemDrafts } from "../inbox/item-entries.ts"
import { useItemIntent } from "../inbox/item-intent.ts"
import { noteAnswered } from "./attention-queries.ts"

export type AnswerInput = { readonly version: bigint; readonly text: string }

export const answerIntents = defineIntents<readonly [workId: string, id: string], AnswerInput, Attention>({
  name: "answer-intent",
  input: object({ version: bigint(), text: string() }),
  result: attentionSchema,
})

/** The answer to one clarification: what is known of it, and how to send it. */
export function useAnswer(workId: string, attentionId: string) {
  const client = useQueryClient()
  return useItemIntent<AnswerInput, Attention>(
    {
      draft: itemDrafts("answer", workId, attentionId),
      snapshot: attentionSnapshots(workId, attentionId),
      intent: answerIntents(workId, attentionId),
    },
    workId,
    ({ version, text }, key) =>
      recordedOf(
        api.POST("/api/v1/work/{id}/attention/{attention_id}/resolve", {
          params: {
            path: { id: workId, attention_id: attentionId },
            header: { "If-Match": `"${String(version)}"`, "Idempotency-Key": key },
          },
          body: { response: text },
        }),
      ),
    () => "answer",
    (attention) => noteAnswered(client, attention),
  )
}

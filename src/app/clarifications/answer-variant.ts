import { api } from "../client/api.ts"
import { recordedOf } from "../client/intent.ts"
import { clarificationsOptions } from "../client/work-reads.ts"
import type { Clarification } from "../client/waiting.ts"
import { answerIntents, clarificationSnapshots } from "../inbox/item-entries.ts"
import type { ItemVariant } from "../inbox/item-variant.ts"
import { AnswerBox } from "./answer-box.tsx"
import { ClarificationFacts } from "./clarification-facts.tsx"

/** Clarifications: a colleague asks, and a person answers (openapi.yaml, resolveWorkAttention). */
export const answerVariant: ItemVariant<Clarification> = {
  kind: "answer",
  waitingOf: ({ clarifications }) => clarifications,
  itemsOf: clarificationsOptions,
  snapshots: clarificationSnapshots,
  intents: answerIntents,
  send: ([workId, clarificationId], { version, text }, key) =>
    recordedOf(
      api.POST("/api/v1/work/{id}/attention/{attention_id}/resolve", {
        params: {
          path: { id: workId, attention_id: clarificationId },
          header: { "If-Match": `"${String(version)}"`, "Idempotency-Key": key },
        },
        body: { response: text },
      }),
    ),
  Letter: ClarificationFacts,
  Controls: AnswerBox,
}

import { useMemo, useSyncExternalStore } from "react"
import { AnswerBox, ClarificationFacts } from "./answer-box.tsx"
import { api } from "../client/api.ts"
import { confirmedOf } from "../client/intent.ts"
import { onStorageChange } from "../client/storage.ts"
import type { Clarification } from "../client/waiting.ts"
import { clarificationsOptions } from "../client/work-reads.ts"
import { answerIntents, clarificationSnapshots, readAnswered } from "../inbox/item-entries.ts"
import type { ItemVariant } from "../inbox/use-decision.ts"
import { WorkItems, type WorkItemsProps } from "../inbox/work-items.tsx"

/** The clarifications of one Work: the open ones with their controls, and those that were answered from this browser. */
export function WorkClarifications(props: WorkItemsProps) {
  return <WorkItems {...props} variant={clarificationVariant} resolvedIds={useAnsweredIds(props.workId)} />
}

function useAnsweredIds(workId: string): readonly string[] {
  // React compares the snapshots. A text stays equal while the ids do; a new array each time would render for ever.
  const ids = useSyncExternalStore(onStorageChange, () => JSON.stringify(readAnswered(workId).map(({ id }) => id)))
  return useMemo(() => JSON.parse(ids) as readonly string[], [ids])
}

/** Clarifications: a colleague asks, and a person answers (openapi.yaml, resolveWorkAttention). */
export const clarificationVariant: ItemVariant<Clarification> = {
  kind: "clarification",
  waitingOf: ({ clarifications }) => clarifications,
  itemsOf: clarificationsOptions,
  snapshots: clarificationSnapshots,
  intents: answerIntents,
  send: ([workId, clarificationId], { version, text }, key) =>
    confirmedOf(
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

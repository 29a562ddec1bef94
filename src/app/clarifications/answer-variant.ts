import { api } from "../client/api.ts"
import { recordedOf } from "../client/intent.ts"
import { clarificationsOptions } from "../client/item-reads.ts"
import type { Clarification } from "../client/waiting.ts"
import { answerIntents, clarificationSnapshots } from "../inbox/item-entries.ts"
import type { ItemInput, ItemVariant } from "../inbox/item-variant.ts"
import { AnswerBox } from "./answer-box.tsx"
import { AnswerOutcome } from "./answer-outcome.tsx"
import { ClarificationFacts } from "./clarification-facts.tsx"

/** Clarifications: a colleague asks, and a person answers (openapi.yaml, resolveWorkAttention). */
export const answerVariant: ItemVariant<Clarification, ItemInput> = {
  name: "answer",
  page: "/needs-you",
  operation: "resolveWorkAttention",
  words: {
    sent: "answer",
    typed: "answer",
    heading: "Needs You",
    noneWait: "No questions are waiting",
    noneWaitMore: "When a colleague cannot go on without you, its question appears here.",
    choose: "Choose a question to read it. J opens the oldest question.",
    notFound: "The question of this address is not open any more, or is not visible to this account.",
    textName: "Answer",
    letterName: "The question",
    doneName: "Answered",
    goneTitle: "A question that is no longer open",
    goneShort: "No longer open",
    gone: "This was answered elsewhere, or is no longer asked. Nothing can be sent to it.",
    resolvedElsewhere: "This was answered elsewhere. Nothing can be sent to it.",
  },
  isOpen: ({ status }) => status === "open",
  titleOf: ({ title }) => title,
  colleagueOf: ({ work }) => work.colleague_id,
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
  resolutionOf: ({ resolved_by: actor, resolved_at: at, resolution: text }) => ({
    word: "Answered",
    actor,
    at,
    text,
    mayFollow: () => true,
  }),
  Outcome: AnswerOutcome,
  Letter: ClarificationFacts,
  Controls: AnswerBox,
}

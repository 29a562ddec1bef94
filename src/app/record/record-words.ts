import type { RecordEntry, RecordOutcome } from "../../contract/desk.ts"
import type { OperationId } from "../../contract/resources.ts"
import type { IconName } from "../ui/icon.tsx"

/** The five mutations, as the control `Operation` names them. */
export const operationNames: readonly (readonly [operation: OperationId, name: string])[] = [
  ["resolveWorkApproval", "Approvals"],
  ["resolveWorkAttention", "Answers"],
  ["createWork", "New Work"],
  ["createInputUpload", "Uploads"],
  ["retryInputUploadProcessing", "Scans again"],
]

export const outcomeNames: readonly (readonly [outcome: RecordOutcome, name: string])[] = [
  ["recorded", "Recorded"],
  ["refused", "Refused"],
  ["unknown", "Outcome unknown"],
]

type Verb = { readonly did: string; readonly tried: string }

const verbs: Readonly<Partial<Record<string, Verb>>> = {
  approve: { did: "approved", tried: "tried to approve" },
  decline: { did: "declined", tried: "tried to decline" },
  resolveWorkAttention: { did: "answered", tried: "tried to answer" },
  createWork: { did: "created Work", tried: "tried to create Work" },
  createInputUpload: { did: "uploaded an input", tried: "tried to upload an input" },
  retryInputUploadProcessing: { did: "asked for another scan", tried: "tried to ask for another scan" },
}

/** What the person did. Only what the service has recorded counts as done. */
export function actionOf({ operation, decision, outcome }: RecordEntry): string {
  const verb = verbs[decision ?? ""] ?? verbs[operation] ?? { did: operation, tried: `tried ${operation}` }
  return outcome === "recorded" ? verb.did : verb.tried
}

/** The outcome in words, with the status where the service refused. */
export function outcomeOf({ outcome, status, replayed }: RecordEntry): {
  tone: "good" | "warn" | "bad"
  icon: IconName
  words: string
} {
  switch (outcome) {
    case "recorded":
      return { tone: "good", icon: "done", words: replayed === true ? "Already recorded" : "Recorded" }
    case "refused":
      return { tone: "bad", icon: "close", words: status === undefined ? "Refused" : `Refused (${status})` }
    case "unknown":
      return { tone: "warn", icon: "unknown", words: "Outcome unknown" }
  }
}

import type { RecordEntry, RecordOperation, RecordOutcome } from "../../contract/desk-work.ts"
import type { IconName } from "../ui/icon.tsx"

/** The operations that the record has entries of, each with its name in the filter `Operation`. */
export const operationNames: readonly (readonly [operation: RecordOperation, name: string])[] = [
  ["resolveWorkApproval", "Approvals"],
  ["withdrawApproval", "Withdrawn approvals"],
  ["resolveWorkAttention", "Answers"],
  ["takeItem", "Items taken"],
  ["handItem", "Items handed over"],
  ["giveBackItem", "Items given back"],
  ["createWork", "New Work"],
  ["createInputUpload", "Uploads"],
  ["retryInputUploadProcessing", "Repeated scans"],
]

export const outcomeNames: readonly (readonly [outcome: RecordOutcome, name: string])[] = [
  ["recorded", "Recorded"],
  ["refused", "Refused"],
  ["held", "Held"],
  ["unknown", "Outcome unknown"],
]

type Verb = { readonly did: string; readonly tried: string }

const verbs: Readonly<Partial<Record<string, Verb>>> = {
  approve: { did: "approved", tried: "tried to approve" },
  withdrawApproval: { did: "withdrew an approval", tried: "tried to withdraw an approval" },
  decline: { did: "declined", tried: "tried to decline" },
  resolveWorkAttention: { did: "answered", tried: "tried to answer" },
  takeItem: { did: "took an item", tried: "tried to take an item" },
  handItem: { did: "handed an item over", tried: "tried to hand an item over" },
  giveBackItem: { did: "gave an item back", tried: "tried to give an item back" },
  createWork: { did: "created Work", tried: "tried to create Work" },
  createInputUpload: { did: "uploaded an input", tried: "tried to upload an input" },
  retryInputUploadProcessing: { did: "asked for another scan", tried: "tried to ask for another scan" },
}

/** What the person did, in words. An act counts as done where the service has recorded it, or the desk holds it. */
export function actionOf({ operation, decision, outcome }: RecordEntry): string {
  const verb = verbs[decision ?? ""] ?? verbs[operation] ?? { did: operation, tried: `tried ${operation}` }
  return outcome === "recorded" || outcome === "held" ? verb.did : verb.tried
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
    case "held":
      return { tone: "warn", icon: "unknown", words: "Held: more approvals are needed" }
    case "unknown":
      return { tone: "warn", icon: "unknown", words: "Outcome unknown" }
  }
}

/** The decision shown above the card: the last one of this visit, or one whose outcome is unknown. */
import { useSyncExternalStore } from "react"
import { createStore, useStore } from "../client/create-store.ts"
import { onStorageChange } from "../client/storage.ts"
import { answerIntents, approvalIntents, approvalSnapshots, clarificationSnapshots } from "./item-entries.ts"
import { type ItemId, type ItemKind, outcomeOf, type Resolved, titleOf } from "./item.ts"

type DecisionLine = {
  readonly id: ItemId
  readonly title: string
  /** "Approved", "Outcome unknown". */
  readonly word: string
  /** "Can't be undone"; empty if the outcome is unknown. */
  readonly note: string
  readonly isUnknown?: true
}

/** Kept until the next reload, on every page of the app. */
const lastDecision = createStore<DecisionLine | undefined>(undefined)

/** Remembers a decision that the service confirmed. */
export function noteResolved(kind: ItemKind, id: ItemId, { title, status }: Resolved): void {
  lastDecision.set({ id, title, word: outcomeOf(kind, status).word, note: "Can't be undone" })
}

/** Remembers an approve that the desk keeps until more people have approved. `note`: what is missing. */
export function noteHeld(id: ItemId, title: string, note: string): void {
  lastDecision.set({ id, title, word: "Approved by you", note })
}

/** A decision with an unknown outcome comes first, whichever tab of this browser sent it. */
export function useLastDecision(): DecisionLine | undefined {
  // React compares the snapshots, so the ids are compared as a text.
  const oldest = useSyncExternalStore(onStorageChange, () => JSON.stringify(unknownIds()[0] ?? null))
  const unknown = JSON.parse(oldest) as ReturnType<typeof unknownIds>[number] | null
  const last = useStore(lastDecision)
  if (unknown === null) return last
  const [kind, ...id] = unknown
  const sent = kind === "approval" ? approvalSnapshots(...id).read() : clarificationSnapshots(...id).read()
  const title = sent === undefined ? "" : titleOf(sent)
  return { id, title, word: "Outcome unknown", note: "", isUnknown: true }
}

function unknownIds(): readonly (readonly [kind: ItemKind, ...id: ItemId])[] {
  const approvals = approvalIntents.ids().filter((id) => approvalIntents(...id).read()?.state === "unknown")
  const answers = answerIntents.ids().filter((id) => answerIntents(...id).read()?.state === "unknown")
  return [
    ...approvals.map(([work, id]) => ["approval", work, id] as const),
    ...answers.map(([work, id]) => ["clarification", work, id] as const),
  ]
}

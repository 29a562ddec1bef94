/** What the line above the card says: the last decision of this visit, or a decision whose outcome is not known. */
import { useSyncExternalStore } from "react"
import { createStore, useStore } from "../client/create-store.ts"
import { onStorageChange } from "../client/storage.ts"
import { answerIntents, approvalIntents, approvalSnapshots, clarificationSnapshots } from "./item.ts"
import { type ItemId, type ItemKind, outcomeOf, type Resolved, titleOf } from "./item.ts"

type DecisionLine = {
  readonly kind: ItemKind
  readonly id: ItemId
  readonly title: string
  /** "Approved", "Outcome unknown". */
  readonly word: string
  /** "Can't be undone"; empty where the outcome is unknown. */
  readonly note: string
  readonly isUnknown?: true
  readonly isHeld?: true
}

/** It lasts as long as the page is loaded, on every page of it. */
const lastDecision = createStore<DecisionLine | undefined>(undefined)

/** Remembers what the service confirmed. */
export function noteResolved(kind: ItemKind, id: ItemId, { title, status }: Resolved): void {
  lastDecision.set({ kind, id, title, word: outcomeOf(kind, status).word, note: "Can’t be undone" })
}

/** Remembers an approve that the desk keeps until more people have approved. `note`: what is missing. */
export function noteHeld(id: ItemId, title: string, note: string): void {
  lastDecision.set({ kind: "approval", id, title, word: "Approved by you", note, isHeld: true })
}

/** Whether the last decision is an approve of this item that the desk keeps. */
export function isLastHeld([work, item]: ItemId): boolean {
  const last = lastDecision.get()
  return last?.isHeld === true && last.id[0] === work && last.id[1] === item
}

/** A decision without a known outcome comes first, from any page and tab of this browser, until its outcome is known. */
export function useLastDecision(): DecisionLine | undefined {
  // React compares the snapshots. A text stays equal while the ids do.
  const ids = useSyncExternalStore(onStorageChange, () => JSON.stringify(unknownIds()[0] ?? null))
  const unknown = JSON.parse(ids) as ReturnType<typeof unknownIds>[number] | null
  const last = useStore(lastDecision)
  if (unknown === null) return last
  const [kind, ...id] = unknown
  const sent = kind === "approval" ? approvalSnapshots(...id).read() : clarificationSnapshots(...id).read()
  const title = sent === undefined ? "" : titleOf(sent)
  return { kind, id, title, word: "Outcome unknown", note: "", isUnknown: true }
}

function unknownIds(): readonly (readonly [kind: ItemKind, ...id: ItemId])[] {
  const approvals = approvalIntents.ids().filter((id) => approvalIntents(...id).read()?.state === "unknown")
  const answers = answerIntents.ids().filter((id) => answerIntents(...id).read()?.state === "unknown")
  return [
    ...approvals.map(([work, id]) => ["approval", work, id] as const),
    ...answers.map(([work, id]) => ["clarification", work, id] as const),
  ]
}

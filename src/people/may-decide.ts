/** The one answer to "may this person see this item, and answer or decide it?", for notices, assignment and lists of people. */
import { type AskedApproval, isApproverOf, type Viewer, whySees, type WorkFacts } from "./visibility.ts"
import { needsCreator, rulesFor } from "./rules/rules.ts"

/** A clarification, or an approval as its rules look at it. */
export type ItemInQuestion = { readonly kind: "clarification" } | ({ readonly kind: "approval" } & AskedApproval)

/**
 * Whether a person sees the Work, has the role for the item, and, for an approval, satisfies the `approvers` and `preventSelfApproval` of
 * every rule that matches. The age of the sign-in does not count, because a person can sign in again (`docs/operating.md`, "Roles and rules").
 */
export function mayDecide(viewer: Viewer, facts: WorkFacts, item: ItemInQuestion): boolean {
  if (whySees(viewer, facts) === undefined) return false
  if (item.kind === "clarification") return viewer.isAnswerer
  if (!isApproverOf(viewer, item)) return false
  return !facts.creators.has(viewer.id) || !needsCreator(rulesFor(viewer.access, item))
}

/** What clarifications and approvals share as items: their members, outcomes and words. `item-entries.ts` has what the browser stores about them. */
import type { Approval } from "../../contract/resources.ts"
import type { Clarification, WaitingItem } from "../client/waiting.ts"
import { type Unread, unreadOf } from "../client/check-resource.ts"
import { hasTooManyMarks } from "../ui/hidden-characters.ts"

/** The two kinds of items that need a person. */
export type Item = Approval | Clarification

/** openapi.yaml does not say that the id of an item is unique across Work, so the id of the Work goes with it. */
export type ItemId = readonly [workId: string, id: string]

/** What a person sends about an item: the version that was on the screen, and the text that was typed. */
export type AnswerInput = { readonly version: bigint; readonly text: string }
export type DecisionInput = AnswerInput & {
  readonly decision: "approve" | "decline"
  /** True if the screen said that the desk keeps this approve until others have approved. */
  readonly mustHold?: true
  /** True for a decline whose comment says what should be different. */
  readonly wantsChange?: true
}
export type InputOf<Of extends Item> = Of extends Approval ? DecisionInput : AnswerInput

/** Only an approval has something to send, and so the hash of what is sent. */
export const isApproval = (item: Item): item is Approval => "proposed_action_payload_hash" in item

export const kindOf = (item: Item): ItemKind => (isApproval(item) ? "approval" : "clarification")

export const isOpen = (item: Item): boolean => item.status === (isApproval(item) ? "pending" : "open")

export const titleOf = (item: Item): string => (isApproval(item) ? item.summary : item.title)

/** The destination and the subject of an approval; undefined for a clarification. */
export const destinationOf = (item: Item): string | undefined => (isApproval(item) ? item.destination : undefined)
export const subjectOf = (item: Item): string | undefined => (isApproval(item) ? item.subject : undefined)

/** The id of the colleague who asks. */
export const colleagueOf = ({ work, item }: WaitingItem<Item>): string =>
  isApproval(item) ? item.requested_by_colleague : work.colleague_id

/** Why nobody can read an item. `too many marks`: thousands of hidden characters. */
export type WhyUnreadable = Unread | "too many marks"

const examined = new WeakMap<Item, WhyUnreadable | "readable">()

/** Why `item` can't be approved or answered here; undefined for an item that can be read. Its texts may be long, so they are examined once. */
export function whyUnreadable(item: Item): WhyUnreadable | undefined {
  const known = examined.get(item) ?? unreadOf(item) ?? (hasTooManyMarks(textsOf(item)) ? "too many marks" : "readable")
  examined.set(item, known)
  return known === "readable" ? undefined : known
}

const textsOf = (item: Item): readonly string[] =>
  Object.values(item).filter((value: unknown): value is string => typeof value === "string")

/** How an item was answered or decided: what the browser keeps of it, without the letter, and what the card says. */
export type Resolved = {
  readonly version: bigint
  readonly status: string
  readonly title: string
  /** ISO 8601. */
  readonly at?: string
  /** The name of the service's account that resolved the item. */
  readonly actor?: string
  /** What was answered, or the comment of the decision. */
  readonly text?: string
}

export function resolvedOf(item: Item): Resolved {
  const { version, status, resolved_at: at } = item
  const actor = isApproval(item) ? item.resolution_actor : item.resolved_by
  const text = isApproval(item) ? item.resolution_comment : item.resolution
  return {
    version,
    status,
    title: titleOf(item),
    ...(at !== undefined && { at }),
    ...(actor !== undefined && { actor }),
    ...(text !== undefined && { text }),
  }
}

type Outcome = {
  /** The verb of the sentence that says who did it: "Approved", "Answered". */
  readonly word: string
  readonly tone: "good" | "bad" | "neutral"
  readonly icon: "done" | "close" | "unknown"
  /** The decision in the record that leads to the status of the item; undefined where any decision may. */
  readonly decision?: "approve" | "decline"
}

export function outcomeOf(kind: ItemKind, status: string): Outcome {
  if (kind === "clarification") return { word: "Answered", tone: "good", icon: "done" }
  if (status === "approved") return { word: "Approved", tone: "good", icon: "done", decision: "approve" }
  if (status === "declined") return { word: "Declined", tone: "bad", icon: "close", decision: "decline" }
  return { word: status, tone: "neutral", icon: "unknown" }
}

/** What the screen says about each kind of item. */
export const ITEM_WORDS = {
  clarification: {
    /** In the middle of a sentence: what is sent, and what the person types. */
    sent: "answer",
    typed: "answer",
    /** The names of the text of a resolved item, of the disclosure that shows the letter, and of who did it. */
    textName: "Answer",
    letterName: "The question",
    doneName: "Answered",
    /** The title of an item where only its id is known. */
    goneTitle: "A question that is no longer open",
    goneShort: "No longer open",
    gone: "This was answered or withdrawn elsewhere. You can't answer it here.",
    resolvedElsewhere: "This was answered elsewhere. You can't answer it here.",
  },
  approval: {
    sent: "decision",
    typed: "comment",
    textName: "Comment",
    letterName: "The letter",
    doneName: "Decided",
    goneTitle: "A request that is no longer pending",
    goneShort: "No longer pending",
    gone: "This was decided or withdrawn elsewhere. You can't decide it here.",
    resolvedElsewhere: "This was decided elsewhere. You can't decide it here.",
  },
} as const

export type ItemKind = keyof typeof ITEM_WORDS

/** The operation that resolves an item of each kind (openapi.yaml). */
export const ITEM_OPERATIONS = { clarification: "resolveWorkAttention", approval: "resolveWorkApproval" } as const

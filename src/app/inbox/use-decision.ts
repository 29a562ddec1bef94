/**
 * How an item is decided. The rule: a click does what the screen said when the person began to move to the button. So what a person reads changes
 * only when they ask (`readOn` of item-state.ts), a button acts only after its card has stood still (`useArmed`), and a decision is about the version
 * on the screen.
 */
import { queryOptions, skipToken, useQuery, useQueryClient, type UseQueryOptions } from "@tanstack/react-query"
import { type ComponentType, useEffect, useEffectEvent, useRef, useState } from "react"
import type { ApprovalsGiven } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"
import { changeEntry, useEntryOf } from "../client/team-changes.ts"
import type { DeskError } from "../client/desk-error.ts"
import { useWhyFrozen } from "../client/freeze-state.ts"
import { useIntent } from "../client/send-intent.ts"
import { useMissingRole } from "../client/person.ts"
import { type Entry, type Kind, useDraft, useEntry } from "../client/storage.ts"
import { type Intent, retryAtOf } from "../client/stored-intent.ts"
import { type Clarification, removeResolved, type Waiting, type WaitingItem } from "../client/waiting.ts"
import { workKey } from "../client/work-reads.ts"
import { itemKey } from "./addresses.ts"
import { formatMissing } from "./claim-words.ts"
import {
  colleagueOf,
  draftOf,
  type InputOf,
  isOpen,
  type Item,
  ITEM_OPERATIONS,
  type ItemId,
  type ItemKind,
  type Resolved,
  resolvedOf,
  titleOf,
  type WhyUnreadable,
  whyUnreadable,
} from "./item.ts"
import { noteHeld, noteResolved } from "./last-decision.ts"
import { type ItemState, itemState, type Listing, type OpenState, type Reading, readOn } from "./item-state.ts"
import { useIsWaiting } from "../ui/clocks.tsx"
import { type Shortcuts, useShortcuts } from "../ui/shortcuts.ts"

/** What a person reads and can do while the card of an item is open. */
export type OpenDecision<Of extends Item> = OpenState<Of> & {
  readonly id: ItemId
  /** What the person has typed and not sent. */
  readonly text: string
  readonly setText: (text: string) => void
  readonly draft: Entry<string>
  /** A text that changes whenever something on the card changes, for `useArmed`. */
  readonly cardState: string
  /** Why the item cannot be read. Then nobody can approve or answer it here. */
  readonly unread: WhyUnreadable | undefined
  /** Why the person may not answer or decide at all, and whom to ask. */
  readonly missingRole: string | undefined
  /** Who has frozen the desk or one of the item's colleagues, in words. Undefined if nobody has. */
  readonly whyFrozen: string | undefined
  /** Why an approve whose answer was lost can't be sent again now: the item is still open, so the freeze refuses the approve. */
  readonly whyNotAgain: string | undefined
  /** Shows the newer version, beside the one on the screen. */
  readonly showNewer: () => void
  /** Sends a decision about the version on the screen. */
  readonly decide: (input: InputOf<Of>) => void
  readonly sendAgain: () => void
  /** Discards the last attempt. What was typed stays. */
  readonly discard: () => void
}

/** An item that is no longer open, with what the person typed about it. */
export type GoneDecision<Of extends Item> = Extract<ItemState<Of>, { kind: "gone" }> & {
  readonly typed: string
  readonly discard: () => void
}

/** What was answered or decided here. `letter` is the item, as far as this page knows it. */
type ConfirmedDecision<Of extends Item> = Extract<ItemState<Of>, { kind: "confirmed" }> & {
  readonly letter: Of | undefined
}

type Decision<Of extends Item> =
  | { readonly kind: "loading" }
  | ConfirmedDecision<Of>
  | GoneDecision<Of>
  | OpenDecision<Of>

/**
 * The state of one item, and how to decide it: freezes what the person reads, keeps what they type, and sends their decision once. All tabs of
 * a browser share the draft and the intent.
 *
 * @param onDone called once when a decision that was sent from this page is confirmed, or kept by the desk
 */
export function useDecision<Of extends Item>(
  variant: ItemVariant<Of>,
  id: ItemId,
  listing: Listing<Of>,
  onDone: (() => void) | undefined,
): Decision<Of> {
  const { latest } = listing
  const resolvedHere = useQuery(resolvedHereOptions<Of>(variant.kind, id))
  const draft = draftOf(variant.kind, ...id)
  const snapshotEntry = variant.snapshots(...id)
  const [text, setText] = useDraft(draft)
  const { intent, send, sendAgain, discard } = useDecisionIntent(variant, id)
  const snapshot = useEntry(snapshotEntry)
  const sentSnapshot = intent === undefined || intent.state === "confirmed" ? undefined : snapshot
  const [reading, setReading] = useReadingOf(latest, sentSnapshot, intent)
  const isPausing = useIsWaiting(retryAtOf(intent))
  const state = itemState({ ...listing, intent, reading, isOpen, isPausing })
  const missingRole = useMissingRole(ITEM_OPERATIONS[variant.kind])
  const entry = useEntryOf(variant.kind, ...id)
  const whyFrozen = useWhyFrozen(entry && colleagueOf(entry), entry?.work.colleague_id)
  const markSentHere = useOutcome(id, intent?.state, onDone)

  if (state.kind === "gone") return { ...state, typed: text === "" ? (intent?.input.text ?? "") : text, discard }
  if (state.kind === "loading") return state
  if (state.kind === "confirmed") return { ...state, letter: resolvedHere.data ?? latest ?? reading?.shown }
  const { shown, newer } = state
  const isApprove = intent !== undefined && "decision" in intent.input && intent.input.decision === "approve"
  return {
    ...state,
    id,
    text,
    setText,
    draft,
    cardState: [...id, shown.version, newer?.version, intent?.state, intent?.since].map(String).join(" "),
    unread: whyUnreadable(shown),
    missingRole,
    whyFrozen,
    whyNotAgain: isApprove && state.phase === "ready" ? whyFrozen : undefined,
    showNewer: () => {
      if (newer === undefined) return
      setReading({ shown: newer, before: shown })
      // The refusal was about the version that `newer` replaces.
      if (intent?.state === "refused") discard()
    },
    decide: (input) => {
      const isDecline = "decision" in input && input.decision === "decline"
      if (whyUnreadable(shown) !== undefined && !isDecline) return
      snapshotEntry.write(shown)
      markSentHere()
      send(input)
    },
    sendAgain: () => {
      markSentHere()
      sendAgain()
    },
    discard,
  }
}

/**
 * The intent of a decision. After the answer, the draft and the snapshot of the item are removed. A confirmed decision also removes the item
 * from the list of pending items; a held approve is added to the approvals of the item there.
 */
function useDecisionIntent<Of extends Item>(variant: ItemVariant<Of>, id: ItemId) {
  const client = useQueryClient()
  return useIntent(variant.intents(...id), async (input, key) => {
    const answer = await variant.send(id, input, key)
    const draft = draftOf(variant.kind, ...id)
    if (draft.read() === input.text) draft.remove()
    const snapshotEntry = variant.snapshots(...id)
    const sent = snapshotEntry.read()
    snapshotEntry.remove()
    if ("held" in answer) {
      noteHeld(id, sent === undefined ? "" : titleOf(sent), formatMissing(answer.held))
      changeEntry(client, ...id, { approvals: { ...answer.held, earlier: [] } })
      return "held"
    }
    noteResolved(variant.kind, id, resolvedOf(answer.data))
    client.setQueryData(resolvedHereOptions<Of>(variant.kind, id).queryKey, answer.data)
    removeResolved(client, variant.kind, answer.data)
    return { data: resolvedOf(answer.data), replayed: answer.replayed }
  })
}

/** What the person reads (`readOn`). After a reload, it is the version of the sent decision until the item has been read. */
function useReadingOf<Of extends Item>(
  latest: Of | undefined,
  sentSnapshot: Of | undefined,
  intent: Intent<InputOf<Of>, Resolved> | undefined,
) {
  const [lastReading, setReading] = useState<Reading<Of>>()
  const reading = readOn(lastReading, latest, sentSnapshot, intent)
  if (reading !== lastReading) setReading(reading)
  return [reading ?? (sentSnapshot && { shown: sentSnapshot, before: undefined }), setReading] as const
}

/** The item as it was in the service's answer when it was resolved on this page. The service no longer lists answered clarifications. */
const resolvedHereOptions = <Of extends Item>(kind: ItemKind, id: ItemId) =>
  queryOptions<Of>({ queryKey: ["answered", kind, ...id], queryFn: skipToken, staleTime: Infinity })

/**
 * After every outcome, reads the Work and its items again, even if another tab sent the decision. Calls `onDone` only for a decision that
 * this page sent. Returns a function to call when the person sends.
 *
 * @param state the state of the intent
 */
function useOutcome(id: ItemId, state: string | undefined, onDone: (() => void) | undefined): () => void {
  const client = useQueryClient()
  const lastState = useRef(state)
  const sentHere = useRef(false)
  const onStateChange = useEffectEvent((previous: string | undefined) => {
    if (state === "sending") return
    if (state !== undefined) void client.invalidateQueries({ queryKey: workKey(id[0]) })
    if (state === "unknown") return
    // An intent that is removed while it is being sent is an approve that the desk now keeps.
    const isHeld = previous === "sending" && state === undefined
    const isDone = sentHere.current && (state === "confirmed" || isHeld)
    sentHere.current = false
    if (isDone) onDone?.()
  })
  useEffect(() => {
    const previous = lastState.current
    if (previous === state) return
    lastState.current = state
    onStateChange(previous)
  }, [state])
  return () => {
    sentHere.current = true
  }
}

/** An item to be read, beside its older version. */
export type LetterProps<Of extends Item> = { readonly item: Of; readonly before?: Of | undefined }

export type ControlsProps<Of extends Item> = {
  readonly decision: OpenDecision<Of>
  /** Whether single keys act on this item, and its buttons stay in the window on a phone. */
  readonly current: boolean
  /** Whether the card still shows what the app wrote. If not, nothing may be sent. */
  readonly isIntact: boolean
}

/** Why nothing can be sent about a card that the browser has changed. */
export const CHANGED_BY_BROWSER =
  "Your browser or an extension changed this text, perhaps by translating it. Turn that off to decide on the original."

/** How the items of one kind are read, kept, sent and drawn. What the kinds share is in `item.ts`. */
export type ItemVariant<Of extends Item> = {
  readonly kind: ItemKind
  readonly waitingOf: (waiting: Waiting) => readonly WaitingItem<Of>[]
  readonly itemsOf: (workId: string) => UseQueryOptions<readonly Of[], DeskError>
  readonly snapshots: Kind<ItemId, Of>
  readonly intents: Kind<ItemId, Intent<InputOf<Of>, Resolved>>
  /** Sends a decision. `held`: the desk keeps the decision until enough people have approved. @throws DeskError */
  readonly send: (
    id: ItemId,
    input: InputOf<Of>,
    key: string,
  ) => Promise<{ data: Of; replayed: boolean } | { held: ApprovalsGiven }>
  readonly Letter: ComponentType<LetterProps<Of>>
  readonly Controls: ComponentType<ControlsProps<Of>>
}

/** The variant of each kind. */
export type ItemVariants = {
  readonly clarification: ItemVariant<Clarification>
  readonly approval: ItemVariant<Approval>
}

/**
 * Single keys that act on the item whose card has the focus, else on the `current` item.
 *
 * @param active false switches the keys off
 */
export function useItemKeys(id: ItemId, current: boolean, shortcuts: Shortcuts, active: boolean): void {
  const takes = ({ target }: KeyboardEvent) => {
    const card = target instanceof Element ? target.closest<HTMLElement>("[data-card]") : null
    return card === null ? current : card.dataset["card"] === itemKey(id)
  }
  useShortcuts(shortcuts, { active, takes })
}

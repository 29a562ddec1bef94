/**
 * How an item is decided. The rule: a click does what the screen said when the person began to move to the button. So what a person reads changes
 * only when they ask (`nextReading` of item-state.ts), a button acts only after its card has stood still (`useArmed`), and a decision is about the
 * version on the screen.
 */
import { type QueryClient, queryOptions, skipToken, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useEffectEvent, useRef, useState } from "react"
import { changeEntry, useEntryOf } from "../client/team-changes.ts"
import { useWhyFrozen } from "../client/freeze-state.ts"
import { type SendIntent, useIntent } from "../client/send-intent.ts"
import { useMissingRole } from "../client/person.ts"
import { type Entry, useDraft, useEntry } from "../client/storage.ts"
import { type Intent, retryAtOf } from "../client/stored-intent.ts"
import { removeResolved } from "../client/write-waiting.ts"
import { workKey } from "../client/work-reads.ts"
import { formatMissing } from "./claim-words.ts"
import type { ItemVariant } from "./item-variant.ts"
import { draftOf } from "./item-entries.ts"
import {
  colleagueOf,
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
import { type ItemState, itemState, type Listing, nextReading, type OpenState, type Reading } from "./item-state.ts"
import { useIsWaiting } from "../ui/clocks.tsx"

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

/** What was answered or decided here. `item` is undefined if this page doesn't know it. */
type ConfirmedDecision<Of extends Item> = Extract<ItemState<Of>, { kind: "confirmed" }> & {
  readonly item: Of | undefined
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
  const { kind } = variant
  const { intent, send, sendAgain, discard } = useDecisionIntent(variant, id)
  const [reading, setReading] = useReadVersion(variant, id, listing.latest, intent)
  const isPausing = useIsWaiting(retryAtOf(intent))
  const state = itemState({ ...listing, intent, reading, isOpen, isPausing })

  const draft = draftOf(kind, ...id)
  const [text, setText] = useDraft(draft)
  const resolvedHere = useQuery(resolvedHereOptions<Of>(kind, id))
  const missingRole = useMissingRole(ITEM_OPERATIONS[kind])
  const entry = useEntryOf(kind, ...id)
  const whyFrozen = useWhyFrozen(entry && colleagueOf(entry), entry?.work.colleague_id)
  const markSentHere = useOutcome(id, intent?.state, onDone)

  if (state.kind === "loading") return state
  if (state.kind === "gone") return { ...state, typed: text === "" ? (intent?.input.text ?? "") : text, discard }
  if (state.kind === "confirmed") return { ...state, item: resolvedHere.data ?? listing.latest ?? reading?.shown }
  const { shown, newer } = state
  const unread = whyUnreadable(shown)
  const wasApproveSent = intent !== undefined && decisionIn(intent.input) === "approve"
  const canSendAgain = state.phase === "ready"
  return {
    ...state,
    id,
    text,
    setText,
    draft,
    cardState: [...id, shown.version, newer?.version, intent?.state, intent?.since].map(String).join(" "),
    unread,
    missingRole,
    whyFrozen,
    whyNotAgain: wasApproveSent && canSendAgain ? whyFrozen : undefined,
    showNewer: () => {
      if (newer === undefined) return
      setReading({ shown: newer, before: shown })
      // The refusal was about the version that `newer` replaces.
      if (intent?.state === "refused") discard()
    },
    decide: (input) => {
      if (unread !== undefined && decisionIn(input) !== "decline") return
      variant.snapshots(...id).write(shown)
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

/** The decision about an approval; undefined for an answer. */
const decisionIn = (input: InputOf<Item>) => ("decision" in input ? input.decision : undefined)

function useDecisionIntent<Of extends Item>(variant: ItemVariant<Of>, id: ItemId) {
  const client = useQueryClient()
  return useIntent(variant.intents(...id), decisionSender(client, variant, id))
}

/**
 * How a decision about an item is sent. After the answer, the draft and the snapshot of the item are removed. A confirmed decision also removes the
 * item from the list of pending items; a held approve is added to the approvals of the item there.
 *
 * @param together as for `ItemVariant.send`
 */
export function decisionSender<Of extends Item>(
  client: QueryClient,
  variant: ItemVariant<Of>,
  id: ItemId,
  together?: string,
): SendIntent<InputOf<Of>, Resolved> {
  return async (input, key) => {
    const answer = await variant.send(id, input, key, together)
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
  }
}

/**
 * What the person reads (`nextReading`), and how to change it. After a reload, it is the version of the sent decision until the item has been
 * read.
 */
function useReadVersion<Of extends Item>(
  variant: ItemVariant<Of>,
  id: ItemId,
  latest: Of | undefined,
  intent: Intent<InputOf<Of>, Resolved> | undefined,
) {
  const snapshot = useEntry(variant.snapshots(...id))
  const sentVersion = intent === undefined || intent.state === "confirmed" ? undefined : snapshot
  const [lastReading, setReading] = useState<Reading<Of>>()
  const reading = nextReading(lastReading, latest, sentVersion, intent)
  // To set state while rendering is React's pattern for state that is derived from earlier renders.
  if (reading !== lastReading) setReading(reading)
  // `nextReading` gives no reading before the item was read. Until then, the sent version is shown.
  return [reading ?? (sentVersion && { shown: sentVersion, before: undefined }), setReading] as const
}

/** The item as it was in the service's answer when it was resolved on this page. The service no longer lists answered clarifications. */
const resolvedHereOptions = <Of extends Item>(kind: ItemKind, id: ItemId) =>
  queryOptions<Of>({ queryKey: ["answered", kind, ...id], queryFn: skipToken, staleTime: Infinity })

/**
 * After every outcome, reads the Work and its items again, even if another tab sent the decision. Calls `onDone` only for a decision that
 * this page sent. Returns `markSentHere`, to call when the person sends.
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
    // The person may send again, and then a later state is the outcome.
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
  const markSentHere = () => {
    sentHere.current = true
  }
  return markSentHere
}

import { queryOptions, skipToken, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useEffectEvent, useRef, useState } from "react"
import { type Entry, useDraft, useEntry } from "../client/storage.ts"
import { useIntent } from "../client/intent.ts"
import { retryAtOf } from "../client/stored-intent.ts"
import { useMissingRole } from "../client/missing-role.ts"
import { workKey } from "../client/work-reads.ts"
import { changeEntry, removeResolved } from "../client/waiting.ts"
import { useIsWaiting } from "../ui/clocks.tsx"
import { itemDrafts } from "./item-entries.ts"
import { type ItemNow, type ItemState, itemState, type OpenState, type Reading, readOn } from "./item-state.ts"
import type { ItemVariant } from "./item-variant.ts"
import { type InputOf, isOpen, type Item, ITEM_OPERATIONS, type ItemId, type ItemKind, resolvedOf } from "./item.ts"

/** What a person reads and can do while the card of an item is open. */
export type OpenDecision<Of extends Item> = OpenState<Of> & {
  readonly id: ItemId
  /** What the person has typed and not sent. */
  readonly text: string
  readonly setText: (text: string) => void
  readonly draft: Entry<string>
  /** A text that changes whenever something on the card changes, for `useArmed`. */
  readonly cardState: string
  /** Why the person may not answer or decide at all, and whom to ask. */
  readonly missingRole: string | undefined
  /** Shows the newer version, beside the one on the screen. */
  readonly showNewer: () => void
  /** Sends a decision about the version on the screen. */
  readonly decide: (input: InputOf<Of>) => void
  readonly sendAgain: () => void
  /** Discards the last attempt. What was typed stays. */
  readonly discard: () => void
}

/** An item that no longer waits, with what the person typed about it. */
export type GoneDecision<Of extends Item> = Extract<ItemState<Of>, { kind: "gone" }> & {
  readonly typed: string
  readonly discard: () => void
}

/** What was answered or decided here. `letter` is what this page knows of the request itself. */
export type RecordedDecision<Of extends Item> = Extract<ItemState<Of>, { kind: "recorded" }> & {
  readonly letter: Of | undefined
}

type Decision<Of extends Item> =
  | { readonly kind: "loading" }
  | RecordedDecision<Of>
  | GoneDecision<Of>
  | OpenDecision<Of>

/**
 * The state of one item, and how to decide it: freezes what the person reads, keeps what they type, and sends their decision once. All tabs of
 * a browser share the draft and the intent.
 *
 * @param onRecorded called once when a decision that was sent from this page is recorded
 */
export function useDecision<Of extends Item>(
  variant: ItemVariant<Of>,
  id: ItemId,
  now: ItemNow<Of>,
  onRecorded: (() => void) | undefined,
): Decision<Of> {
  const { latest } = now
  const client = useQueryClient()
  const answered = useQuery(answeredOptions<Of>(variant.kind, id))
  const draft = itemDrafts(variant.kind, ...id)
  const snapshotEntry = variant.snapshots(...id)
  const [text, setText] = useDraft(draft)
  const { intent, send, sendAgain, discard } = useIntent(variant.intents(...id), async (input, key) => {
    const answer = await variant.send(id, input, key)
    if (draft.read() === input.text) draft.remove()
    snapshotEntry.remove()
    if ("held" in answer) {
      changeEntry(client, ...id, { approvals: { ...answer.held, earlier: [] } })
      return "held"
    }
    client.setQueryData(answeredOptions<Of>(variant.kind, id).queryKey, answer.data)
    removeResolved(client, variant.kind, answer.data)
    return { data: resolvedOf(answer.data), replayed: answer.replayed }
  })
  const snapshot = useEntry(snapshotEntry)
  const sentSnapshot = intent === undefined || intent.state === "recorded" ? undefined : snapshot
  const [reading, setReading] = useState<Reading<Of>>()
  const nextReading = readOn(reading, latest, sentSnapshot, intent)
  if (nextReading !== reading) setReading(nextReading)
  // After a reload, the card shows the version of the sent decision until the item has been read.
  const readingOrSent = nextReading ?? (sentSnapshot && { shown: sentSnapshot, before: undefined })
  const state = itemState({ ...now, intent, reading: readingOrSent, isOpen })
  const isPausing = useIsWaiting(retryAtOf(intent))
  const missingRole = useMissingRole(ITEM_OPERATIONS[variant.kind])
  const markSentHere = useOutcome(id[0], intent?.state, onRecorded)

  if (state.kind === "gone") return { ...state, typed: text === "" ? (intent?.input.text ?? "") : text, discard }
  if (state.kind === "loading") return state
  if (state.kind === "recorded") return { ...state, letter: answered.data ?? latest ?? readingOrSent?.shown }
  const { shown, newer } = state
  return {
    ...state,
    // Nothing is sent before a `Retry-After` is over.
    phase: isPausing && state.phase === "ready" ? "busy" : state.phase,
    id,
    text,
    setText,
    draft,
    cardState: [...id, shown.version, newer?.version, intent?.state, intent?.since].map(String).join(" "),
    missingRole,
    showNewer: () => {
      if (newer === undefined) return
      setReading({ shown: newer, before: shown })
      // A refusal is about the version that `newer` takes the place of.
      if (intent?.state === "refused") discard()
    },
    decide: (input) => {
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

/** The item as the service answered when it was resolved on this page. The service lists no clarification that was answered. */
const answeredOptions = <Of extends Item>(kind: ItemKind, id: ItemId) =>
  queryOptions<Of>({ queryKey: ["answered", kind, ...id], queryFn: skipToken, staleTime: Infinity })

/**
 * After every outcome, reads the Work and its parts again, also where another tab sent the decision. Calls `onRecorded` only for a decision that
 * this page sent. Returns a function to call when the person sends.
 *
 * @param state the state of the intent
 */
function useOutcome(workId: string, state: string | undefined, onRecorded: (() => void) | undefined): () => void {
  const client = useQueryClient()
  const before = useRef(state)
  const sentHere = useRef(false)
  const settle = useEffectEvent(() => {
    if (state !== "sending") void client.invalidateQueries({ queryKey: workKey(workId) })
    if (state !== "recorded" || !sentHere.current) return
    sentHere.current = false
    onRecorded?.()
  })
  useEffect(() => {
    if (before.current === state) return
    before.current = state
    if (state !== undefined) settle()
  }, [state])
  return () => {
    sentHere.current = true
  }
}

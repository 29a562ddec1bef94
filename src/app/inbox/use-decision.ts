import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { workKey } from "../client/work-reads.ts"
import { useDraft } from "../client/draft.ts"
import { type Entry, useEntry } from "../client/storage.ts"
import { useIntent } from "../client/intent.ts"
import { changeEntry, removeResolved } from "../client/waiting.ts"
import { type DecisionState, decisionState, type Frozen, type Reading, readOn, type Refusal } from "./decision-state.ts"
import { itemDrafts } from "./item-entries.ts"
import { type InputOf, isOpen, type Item, type ItemId } from "./item.ts"
import type { ItemVariant } from "./item-variant.ts"

/**
 * - `ready`: the service lists the item as open, and no request is under way.
 * - `busy`: a request is under way or waits, and its outcome is not known.
 * - `not-listed`: the service does not list the item as open.
 */
export type DecisionPhase = "ready" | "busy" | "not-listed"

/** What a person reads and can do while the card of an item is open. */
export type OpenDecision<Of extends Item> = {
  readonly id: ItemId
  /** What is on the screen, with the version before it and the newer version that waits. */
  readonly frozen: Frozen<Of>
  readonly showNewer: () => void
  readonly text: string
  readonly setText: (text: string) => void
  readonly draft: Entry<string>
  readonly phase: DecisionPhase
  /** Changes whenever something on the card changes. The buttons act only after it has been the same for a moment. */
  readonly cardState: string
  /** Why the last attempt was refused. */
  readonly refused: { readonly refusal: Refusal; readonly detail: string } | undefined
  /** Sends a decision about the version on the screen. */
  readonly decide: (input: InputOf<Of>) => void
  /** Discards the last attempt. What was typed stays. */
  readonly discard: () => void
}

export type DecisionController<Of extends Item> = {
  readonly state: DecisionState<Of>
  /** What the person typed and has not sent. */
  readonly text: string
  /** What the person can do; undefined where the item is not open. */
  readonly open: OpenDecision<Of> | undefined
  readonly sendAgain: () => void
  readonly discard: () => void
}

export type ItemNow<Of> = {
  /** The item as the service lists it now; undefined where it is not listed. */
  readonly latest: Of | undefined
  /** Whether the list of the service has been read. An item that is not in it is gone. */
  readonly listed: boolean
}

/**
 * The decision controller of one item. It freezes what the person reads, keeps what they type, sends their decision once, and gives the
 * state. All tabs of a browser share the draft and the intent.
 *
 * @param now the item as the service lists it
 * @param onRecorded called once when a decision that was sent from this page is recorded
 */
export function useDecision<Of extends Item>(
  variant: ItemVariant<Of>,
  id: ItemId,
  { latest, listed }: ItemNow<Of>,
  onRecorded: (() => void) | undefined,
): DecisionController<Of> {
  const client = useQueryClient()
  const draft = itemDrafts(variant.name, ...id)
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
    removeResolved(client, variant.name, answer.data)
    return answer
  })
  const snapshot = useEntry(snapshotEntry)
  const isSettled = intent === undefined || intent.state === "recorded"
  const sentSnapshot = isSettled ? undefined : snapshot
  const [reading, setReading] = useState<Reading<Of>>()
  const now = readOn(reading, latest, sentSnapshot, intent)
  if (now !== reading) setReading(now)
  const state = decisionState({
    intent,
    // After a reload, what was sent is shown until the item is read.
    reading: now ?? (sentSnapshot && { shown: sentSnapshot, before: undefined }),
    latest,
    listed,
    isOpen,
  })
  useReadAgain(id[0], intent?.state)
  const markSentHere = useWhenRecorded(intent?.state, onRecorded)

  const isBusy = intent?.state === "sending" || intent?.state === "waiting"
  const open: OpenDecision<Of> | undefined =
    state.kind === "open"
      ? {
          id,
          frozen: state.frozen,
          showNewer: () => {
            const { shown, newer } = state.frozen
            if (newer !== undefined) setReading({ shown: newer, before: shown })
          },
          text,
          setText,
          draft,
          phase: isBusy ? "busy" : latest !== undefined && isOpen(latest) ? "ready" : "not-listed",
          cardState: [...id, state.frozen.shown.version, state.frozen.newer?.version, intent?.state, intent?.since]
            .map(String)
            .join(" "),
          refused:
            state.refusal !== undefined && state.intent?.state === "refused"
              ? { refusal: state.refusal, detail: state.intent.error.detail }
              : undefined,
          decide: (input) => {
            snapshotEntry.write(state.frozen.shown)
            markSentHere()
            send(input)
          },
          discard,
        }
      : undefined
  return {
    state,
    text: text === "" ? (intent?.input.text ?? "") : text,
    open,
    sendAgain: () => {
      markSentHere()
      sendAgain()
    },
    discard,
  }
}

/** Reads the Work and its parts again after every outcome, also of a decision that another tab has sent. */
function useReadAgain(workId: string, state: string | undefined): void {
  const client = useQueryClient()
  const before = useRef(state)
  useEffect(() => {
    if (before.current === state) return
    before.current = state
    if (state !== undefined && state !== "sending") void client.invalidateQueries({ queryKey: workKey(workId) })
  }, [client, state, workId])
}

/**
 * Calls `onRecorded` once when a decision that was sent from this page is recorded, and not for one that another tab sent. Returns a function
 * to call when the person sends.
 */
function useWhenRecorded(state: string | undefined, onRecorded: (() => void) | undefined): () => void {
  const sentHere = useRef(false)
  const latest = useRef(onRecorded)
  useEffect(() => {
    latest.current = onRecorded
  })
  useEffect(() => {
    if (state !== "recorded" || !sentHere.current) return
    sentHere.current = false
    latest.current?.()
  }, [state])
  return () => {
    sentHere.current = true
  }
}

import { useQuery } from "@tanstack/react-query"
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react"
import { useNavigate, useSearchParams } from "react-router"
import { type DeskError, isSameError } from "../client/desk-error.ts"
import { useIntentError } from "../client/intent.ts"
import type { Waiting } from "../client/waiting.ts"
import { useShortcuts } from "../ui/shortcuts.ts"
import { itemKey } from "./addresses.ts"
import type { InboxLine } from "./inbox-lines.ts"
import { type InboxRow, rowAfter, useInboxRows } from "./inbox-rows.ts"
import type { ItemNow } from "./item-state.ts"
import type { ItemVariant } from "./item-variant.ts"
import { isOpen, type Item, type ItemId } from "./item.ts"
import { useTouched } from "./use-touched.ts"

/** An item, by its own id and the id of its Work. */
type Choice = { readonly id: ItemId; readonly key: string }

type InboxOptions = {
  readonly listed: readonly InboxLine[]
  /** The keys of all items that wait, also of those that are not in the list. */
  readonly keys: ReadonlySet<string>
  /** Names the filter and the order of the list. */
  readonly view: string
  /** Gives the id of the Work of an item that waits. */
  readonly workIdOf: (id: string) => string | undefined
  /** Gives the ids of the items about which something was sent from this browser. */
  readonly sentIds: () => readonly ItemId[]
}

/**
 * The rows of an inbox page, and the chosen item, which the address names. Where the address lacks the id of the Work, the item is found by its
 * own id.
 *
 * @param list the element whose arrow keys choose an item
 */
export function useInbox({ listed, keys, view, workIdOf, sentIds }: InboxOptions, list: RefObject<HTMLElement | null>) {
  const [parameters] = useSearchParams()
  const navigate = useNavigate()
  const [done, setDone] = useState<Choice & { readonly shownWith: string }>()

  const id = parameters.get("item") ?? undefined
  const [found, setFound] = useState<ItemId>()
  const listedUnder = id && (parameters.get("work") ?? workIdOf(id))
  if (id && listedUnder && (found?.[0] !== listedUnder || found[1] !== id)) setFound([listedUnder, id])
  // A resolved item leaves the list and stays chosen: its Work is remembered. After a reload, the sent decision names the Work.
  const remembered = () => (found?.[1] === id ? found?.[0] : sentIds().find(([, sentId]) => sentId === id)?.[0])
  const workId = id && (listedUnder ?? remembered())
  const selected: Choice | undefined = id && workId ? { id: [workId, id], key: itemKey([workId, id]) } : undefined
  // The address names an item that has not been found.
  const notFound = id !== undefined && selected === undefined

  const rows = useInboxRows(listed, { frozen: useTouched(), chosen: selected?.key, view, waiting: keys })
  const selectedKey = notFound ? "" : selected?.key
  useInboxKeys(rows.rows, selectedKey, list)

  return {
    ...rows,
    selected,
    /** The key of the chosen item; empty where that item has not been found, and undefined where the address names no item. */
    selectedKey,
    notFound,
    /** The item that was resolved last. It stays on the screen while the item after it is chosen. */
    done: done?.shownWith === selected?.key ? done : undefined,
    /**
     * Removes the row of `from`, and chooses the next item unless the person has chosen another item meanwhile. `stays`: the item `from` stays
     * on the screen, above the next item.
     */
    advance: (from: Choice, { stays }: { readonly stays: boolean }) => {
      rows.drop(from.key)
      if (selected?.key !== from.key) return
      const next = rowAfter(rows.rows, from.key)
      setDone(stays && next ? { ...from, shownWith: next.key } : undefined)
      if (next !== undefined) void navigate(next.to, { replace: true })
      focusPane()
    },
  }
}

export type InboxState = ReturnType<typeof useInbox>

/** Gives the focus to the reading pane, which shows the next item after one was resolved. */
function focusPane(): void {
  document.querySelector<HTMLElement>("[data-pane]")?.focus({ preventScroll: true })
}

/** Keys that choose the next and the previous item: J and K outside text fields, arrows while `list` has the focus. Both skip tombstones. */
function useInboxKeys(
  rows: readonly InboxRow<InboxLine>[],
  selected: string | undefined,
  list: RefObject<HTMLElement | null>,
): void {
  const navigate = useNavigate()
  // The key of the item that the last key press chose, until its link has the focus. A key press before that starts from this item.
  const focusWanted = useRef<string>(undefined)
  useEffect(() => {
    if (selected === undefined || focusWanted.current !== selected) return
    focusWanted.current = undefined
    const link = list.current?.querySelector<HTMLElement>("a[aria-current]")
    link?.focus({ preventScroll: true })
    link?.scrollIntoView({ block: "nearest" })
  }, [selected, list])
  const move = (step: number) => {
    const from = focusWanted.current ?? selected
    const at = rows.findIndex(({ item }) => item.key === from)
    const ahead = step > 0 ? rows.slice(at + 1) : rows.slice(0, Math.max(at, 0)).toReversed()
    const next = ahead.find(({ gone }) => !gone)
    if (next === undefined) return
    focusWanted.current = next.item.key
    void navigate(next.item.to, { replace: selected !== undefined })
  }
  useShortcuts({ j: () => move(1), k: () => move(-1) }, { repeat: true })
  const moveByArrow = useEffectEvent((event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    move(step)
  })
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    list.current?.addEventListener("keydown", (event) => moveByArrow(event), { signal })
    const giveUp = () => {
      focusWanted.current = undefined
    }
    addEventListener("pointerdown", giveUp, { signal })
    return () => ended.abort()
  }, [list])
}

/** The chosen item from a read of its own Work and from the list of what waits, the newer version of both. An empty id is no item. */
export function useChosenItem<Of extends Item>(
  variant: ItemVariant<Of>,
  [workId, id]: ItemId,
  waiting: Waiting | undefined,
): { readonly now: ItemNow<Of>; readonly readError: DeskError | null; readonly sendError: DeskError | undefined } {
  const { data, error, refetch, isFetchedAfterMount } = useQuery({ ...variant.itemsOf(workId), enabled: id !== "" })
  const own = data?.find((each) => each.id === id)
  const entries = waiting === undefined ? [] : variant.waitingOf(waiting)
  const listed = entries.find(({ work, item }) => work.id === workId && item.id === id)?.item

  // The list of what waits is newer than the read of the Work: the item came, changed or went after that read.
  const isBehind = data !== undefined && listed !== undefined && (own === undefined || own.version < listed.version)
  const hasGone = waiting?.complete === true && own !== undefined && isOpen(own) && listed === undefined
  // Each new value reads the Work once more; false reads nothing.
  const readAgainFor = isBehind ? listed.version : hasGone
  useEffect(() => {
    if (readAgainFor !== false) void refetch()
  }, [readAgainFor, refetch])

  const sendError = useIntentError(variant.intents(workId, id))
  const latest = own !== undefined && listed !== undefined && own.version < listed.version ? listed : (own ?? listed)
  return {
    // Only a list that was read after this page was opened says what is gone.
    now: { latest, listed: data !== undefined && isFetchedAfterMount },
    readError: isSameError(error, sendError) ? null : error,
    sendError,
  }
}

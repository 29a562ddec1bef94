/** The state of an inbox page: the rows, the chosen item, and how the choice moves. */
import { useQuery } from "@tanstack/react-query"
import { type KeyboardEvent, useEffect, useMemo, useState } from "react"
import { flushSync } from "react-dom"
import { useLocation, useNavigate, useSearchParams } from "react-router"
import { useStore } from "../client/create-store.ts"
import { type DeskError, isSameError } from "../client/desk-error.ts"
import { useIntentError } from "../client/send-intent.ts"
import { useIsComplete, useWaiting } from "../client/waiting.ts"
import { approvalsOptions } from "../client/work-reads.ts"
import { rowKey } from "./addresses.ts"
import type { InboxLine } from "./inbox-lines.ts"
import type { Listing } from "./item-state.ts"
import { isOpen, type Item, type ItemId, type ItemKind } from "./item.ts"
import type { ItemVariant } from "./item-variant.ts"
import { type InboxRow, rowAfter, useInboxRows } from "./steady-rows.ts"
import { createRestingChoice } from "../ui/at-rest.ts"
import { useTouched } from "../ui/list-parts.tsx"
import { useRowKeys } from "../ui/row-keys.ts"

type Choice = { readonly id: ItemId; readonly kind: ItemKind; readonly key: string }

/** The item that an address names: the id of its Work, and its kind. */
export type Found = { readonly workId: string; readonly kind: ItemKind }
/** Finds an item by its id, in the Work `workId` if the address names one. */
export type FindItem = (id: string, workId: string | undefined) => Found | undefined

type InboxOptions = {
  readonly listed: readonly InboxLine[]
  /** The keys of all pending items, including items that are not in the list. */
  readonly keys: ReadonlySet<string>
  /** The person's pending items, without any filter. */
  readonly waits: readonly InboxLine[]
  /** Names the filter and the order of the list. */
  readonly view: string
  /** The kind of the listed items; undefined if both kinds are listed. */
  readonly kind: ItemKind | undefined
  /** The key of the first of the letters that are read together in place of the list; undefined while the list is shown. */
  readonly together?: string | undefined
  /** Finds an item among all pending items. */
  readonly findWaiting: FindItem
  /** Finds an item that something was sent about from this browser. */
  readonly findSent: FindItem
}

/** The rows of an inbox page, and the chosen item, which the address names. An item opens even if its kind is not listed. */
export function useInbox(options: InboxOptions) {
  const { listed, keys, waits, view, together } = options
  const navigate = useNavigate()
  const { id, workId, named } = useNamedItem(options)
  const move = useMove()
  const selected: Choice | undefined = move.chosen ?? named
  // The address names an item that has not been found (yet).
  const notFound = id !== undefined && selected === undefined

  const frozen = useTouched()
  const rows = useInboxRows(listed, { frozen, chosen: selected?.key, view, waiting: keys, unfiltered: waits })
  const selectedKey = notFound ? "" : selected?.key
  const listedKeys = new Set(listed.map(({ key }) => key))
  const openKey = selectedKey ?? together
  const [lastKey, setLastKey] = useState(openKey)
  if (openKey !== undefined && openKey !== lastKey) setLastKey(openKey)
  const choose = (key: string) => {
    const row = rows.rows.find(({ item }) => item.key === key)
    if (row === undefined) return
    rows.dropLeftOut(key)
    move.to(row.item, { replace: id !== undefined })
  }
  const rowKeys = useRowKeys({
    keys: together === undefined ? rows.rows.map(({ item }) => item.key) : [],
    chosen: selectedKey,
    choose,
    skips: (key) => !listedKeys.has(key),
  })
  const steps = stepsFrom(rows.rows, listedKeys, selectedKey)
  const stepTo = (key: string | undefined) => (key === undefined ? undefined : () => choose(key))

  return {
    ...rows,
    /** Whether the person has touched the page, so that no row moves any more. */
    frozen,
    first: rowKeys.first,
    /** The arrows act while the list has the focus. Home and End scroll the letter. */
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key.startsWith("Arrow")) rowKeys.onKeyDown(event)
    },
    selected,
    /** Whether the address names the chosen item. False while a held key is moving through the list. */
    isAtRest: move.chosen === undefined,
    /** The key of the chosen item; empty if the item has not been found, undefined if the address names no item. */
    selectedKey,
    /** The key of the item that was chosen last, or of the first of the letters read together, also after the person went back to the list. */
    lastKey,
    notFound,
    isLooking: notFound && workId !== undefined,
    /** "2 of 12"; "12" if the chosen item is not in the list. */
    position: steps.position,
    /** Choose the row above or below; undefined at the ends of the list. */
    previous: stepTo(steps.previous),
    next: stepTo(steps.next),
    /** Removes the row of `from`, and chooses the next item that needs the person, unless they have chosen another item in the meantime. */
    advance: (from: Choice) => {
      rows.drop(from.key)
      // By the time of the answer, the person may be reading another item or page. The address names what they read now.
      const reading = new URLSearchParams(location.search).get("item")
      if (reading !== from.id[1] || selected?.key !== from.key) return
      const waiting = rows.rows.filter(({ item: { key } }) => key === from.key || listedKeys.has(key))
      const next = rowAfter(waiting, from.key)
      if (next !== undefined) void navigate(next.to, { replace: true })
    },
  }
}

type NamedOptions = Pick<InboxOptions, "kind" | "findWaiting" | "findSent">

/**
 * The item that the address names: its ids, as far as they are known, and the item once it has been found. If the address lacks the id of the Work,
 * the item is found by its own id.
 */
function useNamedItem({ kind: listedKind, findWaiting, findSent }: NamedOptions) {
  const [parameters] = useSearchParams()
  const id = parameters.get("item") ?? undefined
  const namedWorkId = parameters.get("work") ?? undefined
  const waiting = useRemembered(id, id === undefined ? undefined : findWaiting(id, namedWorkId))
  // After a reload, a sent decision names the Work of an item that the list does not have any more.
  const found = waiting ?? (id === undefined ? undefined : findSent(id, namedWorkId))
  const workId = namedWorkId ?? found?.workId
  const knownKind = found?.kind ?? listedKind
  const readKind = useReadKind(knownKind === undefined ? [workId ?? "", id ?? ""] : ["", ""])
  const kind = knownKind ?? readKind
  const named: Choice | undefined =
    id && workId && kind ? { id: [workId, id], kind, key: rowKey(kind, [workId, id]) } : undefined
  return { id, workId, named }
}

/** The position of the chosen item among the pending rows, and the keys of the rows before and after it. */
function stepsFrom(rows: readonly InboxRow<InboxLine>[], listed: ReadonlySet<string>, chosen: string | undefined) {
  const keys = rows.map(({ item: { key } }) => key)
  const waiting = keys.filter((key) => key === chosen || listed.has(key))
  const at = waiting.indexOf(chosen ?? "")
  const count = waiting.filter((key) => listed.has(key)).length
  return {
    position: at < 0 || !listed.has(chosen ?? "") ? String(count) : `${at + 1} of ${count}`,
    previous: at < 0 ? undefined : waiting[at - 1],
    next: waiting[at + 1],
  }
}

export type InboxState = ReturnType<typeof useInbox>

/**
 * A move through the list by keys. `chosen` is the item that a key has chosen, until the address names it. The address follows when the keys rest,
 * because a held key would change it 30 times a second. Any other change of the address ends the move.
 */
function useMove() {
  const entry = useLocation().key
  const navigate = useNavigate()
  const { store, choose } = useMemo(() => createMove(entry), [entry])
  return {
    chosen: useStore(store),
    to: (line: InboxLine, { replace }: { readonly replace: boolean }) => {
      const { href } = location
      choose(line, () => {
        // The field `Find words` may have changed the address since, and the change may not be rendered yet.
        if (location.href !== href) return
        // A key before the render would continue from the move that the new address ends.
        flushSync(() => void navigate(line.to, { replace }))
      })
    },
  }
}

/** Each entry of the history has a move of its own. */
const createMove = (_entry: string) => createRestingChoice<InboxLine>()

/** Remembers what was found for the item `id`, because a resolved item leaves the list but stays chosen. */
function useRemembered(id: string | undefined, found: Found | undefined): Found | undefined {
  const [last, setLast] = useState({ id, found })
  const isSame = last.id === id && last.found?.workId === found?.workId && last.found?.kind === found?.kind
  if (found !== undefined && !isSame) setLast({ id, found })
  return found ?? (last.id === id ? last.found : undefined)
}

/**
 * The kind of an item that is no longer pending, from the approvals of its Work: the service lists decided approvals too. Undefined while they are
 * being read. An empty id reads nothing.
 */
function useReadKind([workId, id]: ItemId): ItemKind | undefined {
  const enabled = workId !== "" && id !== ""
  const { data, isError } = useQuery({ ...approvalsOptions(workId), enabled })
  if (!enabled || (data === undefined && !isError)) return undefined
  return data?.some((each) => each.id === id) ? "approval" : "clarification"
}

/** The newer version of the chosen item, from a read of its Work or from the list of pending items. An empty id is no item. */
export function useChosenItem<Of extends Item>(
  variant: ItemVariant<Of>,
  [workId, id]: ItemId,
  isAtRest: boolean,
): { readonly listing: Listing<Of>; readonly readError: DeskError | null; readonly sendError: DeskError | undefined } {
  const { data, error, refetch, isFetchedAfterMount, dataUpdatedAt } = useQuery({
    ...variant.itemsOf(workId),
    enabled: id !== "" && isAtRest,
  })
  const own = data?.find((each) => each.id === id)
  const isComplete = useIsComplete()
  const listed = useWaiting(({ waiting }) =>
    (waiting && variant.waitingOf(waiting))?.find(({ work, item }) => work.id === workId && item.id === id),
  )?.item

  // The list of pending items is newer than the read of the Work if the item appeared, changed or left after that read.
  const isBehind = data !== undefined && listed !== undefined && (own === undefined || own.version < listed.version)
  const hasGone = isComplete && own !== undefined && isOpen(own) && listed === undefined
  // Each new value reads the Work again; false reads nothing.
  const readAgainFor = isAtRest && (isBehind ? listed.version : hasGone && "gone")
  useEffect(() => {
    if (readAgainFor !== false) void refetch()
  }, [readAgainFor, refetch])

  const sendError = useIntentError(variant.intents(workId, id))
  const latest = own !== undefined && listed !== undefined && own.version < listed.version ? listed : (own ?? listed)
  return {
    // Only a list that was read after this page was opened shows that an item is gone.
    listing: {
      latest,
      isListRead: data !== undefined && isFetchedAfterMount,
      readAt: latest === own ? dataUpdatedAt : 0,
    },
    readError: isSameError(error, sendError) ? null : error,
    sendError,
  }
}

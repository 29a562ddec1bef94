import { useEffect, useRef, useState } from "react"
import { useNavigate, useSearchParams } from "react-router"
import { rowAfter, useInboxRows } from "./inbox-rows.ts"
import { keyOf } from "./inbox-address.ts"
import { focusPane, type InboxItem } from "./inbox.tsx"
import type { ItemId } from "./item-noun.ts"

/** An item by its own id and its Work's. */
export type InboxChoice = { readonly id: ItemId; readonly key: string }

/**
 * The choice of an inbox page, which is in the address, and the way on after something was dealt with. An address without the
 * Work's id serves too, once the item has been found.
 *
 * @param find the Work of an item that is known by its id alone
 * @param sentIds the items about which something was sent from this browser
 */
export function useInbox(
  items: readonly InboxItem[],
  settled: boolean,
  find: (id: string) => string | undefined,
  sentIds: () => readonly ItemId[],
) {
  const [parameters] = useSearchParams()
  const navigate = useNavigate()
  const list = useInboxRows(items, settled)
  const [done, setDone] = useState<InboxChoice & { readonly shownWith: string }>()

  const id = parameters.get("item") ?? undefined
  const [found, setFound] = useState<{ readonly id: string; readonly workId: string }>()
  const listedUnder = id === undefined ? undefined : (parameters.get("work") ?? find(id))
  if (id !== undefined && listedUnder !== undefined && (found?.id !== id || found.workId !== listedUnder))
    setFound({ id, workId: listedUnder })
  // What is resolved leaves the list while it is read: it stays what the address means, after a reload too if it was sent from here.
  const workId =
    listedUnder ??
    (id === undefined
      ? undefined
      : found?.id === id
        ? found.workId
        : sentIds().find(([, sentId]) => sentId === id)?.[0])
  const selected: InboxChoice | undefined =
    id === undefined || workId === undefined ? undefined : { id: [workId, id], key: keyOf([workId, id]) }

  const advancedTo = useRef<string>(undefined)
  const selectedKey = selected?.key
  useEffect(() => {
    if (selectedKey === undefined || advancedTo.current !== selectedKey) return
    advancedTo.current = undefined
    focusPane()
  }, [selectedKey])

  return {
    ...list,
    selected,
    /** The address names an item that has not been found. */
    missing: id !== undefined && workId === undefined,
    /** What was dealt with last, while the next item that followed it is shown. */
    done: done !== undefined && done.shownWith === selected?.key ? done : undefined,
    /** Goes on to the next item, unless the person has gone elsewhere meanwhile. */
    advance: (from: InboxChoice) => {
      list.drop(from.key)
      if (selected?.key !== from.key) return
      const next = rowAfter(list.rows, from.key)
      if (next === undefined) {
        setDone(undefined)
        return focusPane()
      }
      setDone({ ...from, shownWith: next.key })
      advancedTo.current = next.key
      void navigate(next.to, { replace: true })
    },
  }
}

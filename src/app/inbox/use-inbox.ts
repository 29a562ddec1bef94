import { useEffect, useRef, useState } from "react"
import { useNavigate, useSearchParams } from "react-router"
import { rowAfter, useInboxRows } from "./inbox-rows.ts"
import { itemKey } from "./addresses.ts"
import { focusPane, type InboxItem } from "./inbox.tsx"
import type { ItemId } from "./item-noun.ts"

/** An item, by its own id and the id of its Work. */
export type InboxChoice = { readonly id: ItemId; readonly key: string }

/**
 * The chosen item of an inbox page, which is in the address, and the way to the next item. An address without the id of the Work works too,
 * once the item is found.
 *
 * @param find finds the Work of an item by the id of the item
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
  // A resolved item leaves the list while the person reads it. The address still means it, after a reload too if it was resolved from here.
  const workId =
    listedUnder ??
    (id === undefined
      ? undefined
      : found?.id === id
        ? found.workId
        : sentIds().find(([, sentId]) => sentId === id)?.[0])
  const selected: InboxChoice | undefined =
    id === undefined || workId === undefined ? undefined : { id: [workId, id], key: itemKey([workId, id]) }

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
    /** The item that was resolved last, while the item after it is shown. */
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

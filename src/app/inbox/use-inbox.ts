import { useEffect, useRef, useState } from "react"
import { useNavigate } from "react-router"
import { useSearchParams } from "../ui/router.tsx"
import { rowAfter, type RowsOptions, useInboxRows } from "./inbox-rows.ts"
import { itemKey } from "./addresses.ts"
import type { InboxLine } from "./inbox-lines.ts"
import { focusPane } from "./inbox-panes.tsx"
import type { ItemId } from "./item.ts"

/** An item, by its own id and the id of its Work. */
export type InboxChoice = { readonly id: ItemId; readonly key: string }

/**
 * The rows of an inbox page, and the chosen item, which the address names. The address may lack the id of the Work: then the item is found by
 * its own id.
 *
 * @param find gives the id of the Work of a listed item by the item's id
 * @param sentIds gives the ids of the items about which something was sent from this browser
 */
export function useInbox(
  items: readonly InboxLine[],
  options: Omit<RowsOptions, "chosen">,
  find: (id: string) => string | undefined,
  sentIds: () => readonly ItemId[],
) {
  const [parameters] = useSearchParams()
  const navigate = useNavigate()
  const [done, setDone] = useState<InboxChoice & { readonly shownWith: string }>()

  const id = parameters.get("item") ?? undefined
  const [found, setFound] = useState<{ readonly id: string; readonly workId: string }>()
  const listedUnder = id === undefined ? undefined : (parameters.get("work") ?? find(id))
  if (id !== undefined && listedUnder !== undefined && (found?.id !== id || found.workId !== listedUnder))
    setFound({ id, workId: listedUnder })
  // A resolved item leaves the list while the person reads it, and stays chosen. After a reload, what was sent from here names its Work.
  const workId =
    listedUnder ??
    (id === undefined
      ? undefined
      : found?.id === id
        ? found.workId
        : sentIds().find(([, sentId]) => sentId === id)?.[0])
  const selected: InboxChoice | undefined =
    id === undefined || workId === undefined ? undefined : { id: [workId, id], key: itemKey([workId, id]) }

  const list = useInboxRows(items, { ...options, chosen: selected?.key })
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
    notFound: id !== undefined && workId === undefined,
    /** The item that was resolved last. It stays on the screen while the item after it is chosen. */
    done: done !== undefined && done.shownWith === selected?.key ? done : undefined,
    /**
     * Removes the row of `from`, and chooses the next item unless the person has chosen another one meanwhile. `stays`: the item `from` stays
     * on the screen beside it.
     */
    advance: (from: InboxChoice, { stays }: { readonly stays: boolean }) => {
      list.drop(from.key)
      if (selected?.key !== from.key) return
      const next = rowAfter(list.rows, from.key)
      if (next === undefined) {
        setDone(undefined)
        return focusPane()
      }
      setDone(stays ? { ...from, shownWith: next.key } : undefined)
      advancedTo.current = next.key
      void navigate(next.to, { replace: true })
    },
  }
}

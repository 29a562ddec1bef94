import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useRef } from "react"
import { useShortcuts } from "../ui/shortcuts.ts"
import { useHistoryState } from "./use-history-state.ts"

const linkOf = (id: string): HTMLElement | null => document.querySelector(`[data-work="${CSS.escape(id)}"]`)

/**
 * The selected row, and the keys that move the selection: J and K outside text fields; arrows, Home and End while the list has the focus. The
 * selected row gets the focus, so that Enter opens it.
 *
 * @param ids the ids of the rows in their order
 * @param onEnd called when the last row is selected, to read more rows
 */
export function useSelection(ids: readonly string[], onEnd: () => void) {
  const [selectedId, change] = useHistoryState("selected", "")
  const select = useCallback((id: string) => change(() => id), [change])
  /** The id of the row that gets the focus once it is rendered; empty for none. */
  const focusWanted = useRef(selectedId)

  useLayoutEffect(() => {
    // The row may not be rendered before its page has been read, or before a long list has scrolled to the row.
    const wanted = focusWanted.current
    const link = wanted === "" ? null : linkOf(wanted)
    if (!link) return
    focusWanted.current = ""
    link.focus({ preventScroll: true })
    link.scrollIntoView({ block: "nearest" })
  })
  useEffect(() => {
    const giveUp = () => {
      focusWanted.current = ""
    }
    addEventListener("pointerdown", giveUp)
    return () => removeEventListener("pointerdown", giveUp)
  }, [])

  const moveTo = (index: number) => {
    const id = ids[Math.max(0, Math.min(index, ids.length - 1))]
    if (index >= ids.length - 1) onEnd()
    if (id === undefined) return
    focusWanted.current = id
    select(id)
  }
  const selectedIndex = ids.indexOf(selectedId)
  const next = () => moveTo(selectedIndex + 1)
  const previous = () => moveTo(selectedIndex < 0 ? 0 : selectedIndex - 1)
  useShortcuts({ j: next, k: previous }, { repeat: true })

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const acts = { ArrowDown: next, ArrowUp: previous, Home: () => moveTo(0), End: () => moveTo(ids.length - 1) }
    const act = new Map(Object.entries(acts)).get(event.key)
    if (!act) return
    event.preventDefault()
    act()
  }
  return { selectedId, select, selectFirst: () => moveTo(0), onKeyDown }
}

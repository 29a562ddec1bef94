import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from "react"
import { lookUp } from "./look-up.ts"
import { useShortcuts } from "./shortcuts.ts"

type Options = {
  /** The keys of the rows, in their order. The link of a row has the key as `data-row`. */
  readonly keys: readonly string[]
  /** The key of the chosen row, from which the next key starts. */
  readonly chosen: string | undefined
  readonly choose: (key: string) => void
  /** Whether the keys pass over a row. */
  readonly skips?: (key: string) => boolean
  /** Called when the last row is chosen, to read more rows. */
  readonly onEnd?: () => void
  /** Whether the row that is chosen at first gets the focus. */
  readonly focusesFirst?: boolean
}

/**
 * The keys that choose a row of a list: J and K outside text fields; arrows, Home and End while the list has the focus. The row that a key has
 * chosen gets the focus as soon as it is drawn, so that Enter opens it. The list calls `onKeyDown`, because the keys bubble up from its links.
 */
export function useRowKeys({ keys, chosen, choose, skips, onEnd, focusesFirst = false }: Options) {
  /** The row that a key has chosen, until it has the focus. The next key starts from this row. */
  const focusWanted = useRef(focusesFirst ? chosen : undefined)
  const focusRow = () => {
    // The row may not be drawn before its page has been read, or before a long list has scrolled to it.
    if (focusWanted.current === undefined || focusWanted.current !== chosen) return
    const link = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(focusWanted.current)}"]`)
    if (link === null) return
    focusWanted.current = undefined
    link.focus({ preventScroll: true })
    link.scrollIntoView({ block: "nearest" })
  }
  useLayoutEffect(focusRow)
  useEffect(() => {
    const onPointerDown = () => {
      focusWanted.current = undefined
    }
    addEventListener("pointerdown", onPointerDown)
    return () => removeEventListener("pointerdown", onPointerDown)
  }, [])

  /** Chooses the first of these rows that is not passed over. Where there is none, the chosen row gets the focus. */
  const goTo = (candidates: readonly string[]) => {
    const key = candidates.find((each) => skips?.(each) !== true) ?? focusWanted.current ?? chosen
    if (key === undefined) return
    if (key === keys.at(-1)) onEnd?.()
    focusWanted.current = key
    if (key === chosen) focusRow()
    else choose(key)
  }
  const position = () => keys.indexOf(focusWanted.current ?? chosen ?? "")
  const first = () => goTo(keys)
  const last = () => goTo(keys.toReversed())
  const next = () => goTo(keys.slice(position() + 1))
  const previous = () => (position() < 0 ? first() : goTo(keys.slice(0, position()).toReversed()))
  useShortcuts({ j: next, k: previous }, { repeat: true })

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const act = lookUp({ ArrowDown: next, ArrowUp: previous, Home: first, End: last }, event.key)
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  return { onKeyDown, first }
}

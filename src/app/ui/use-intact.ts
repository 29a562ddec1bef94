import { type RefCallback, useCallback, useState } from "react"

/** Whether a change of the page was made by something else than React: a browser that translates wraps the texts in `font` elements. */
function isForeign({ target, type, addedNodes, removedNodes }: MutationRecord): boolean {
  if ([...addedNodes].some(({ nodeName }) => nodeName === "FONT")) return true
  const element = target instanceof Element ? target : target.parentElement
  // React draws a letter anew for each version, and changes no text within it.
  if (element === null || element.closest("[data-letter]") === null || element.closest("button, [hidden]") !== null)
    return false
  return type === "characterData" || [...removedNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE)
}

/**
 * Whether an element still shows what React wrote. React updates the texts that it has created, also after a browser has replaced them on the
 * screen (docs/decisions/07-no-translation.md), so nothing may be decided about such an element. `redraw` changes `drawing`, the React key of what the
 * element holds. `watch` is the ref of the element.
 */
export function useIntact() {
  const [drawing, setDrawing] = useState(0)
  const [changed, setChanged] = useState<number>()
  const watch: RefCallback<HTMLElement> = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined
      const observer = new MutationObserver((records) => {
        if (records.some(isForeign)) setChanged(drawing)
      })
      observer.observe(element, { childList: true, characterData: true, subtree: true })
      return () => observer.disconnect()
    },
    [drawing],
  )
  return { isIntact: changed !== drawing, drawing, watch, redraw: () => setDrawing(drawing + 1) }
}

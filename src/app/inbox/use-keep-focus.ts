import { type RefObject, useEffect, useRef } from "react"

/**
 * Keeps the focus within `area` when the focused control is removed or disabled. A browser then moves the focus to the body, and a keyboard
 * user would have to begin at the top of the page.
 */
export function useKeepFocus(area: RefObject<HTMLElement | null>): void {
  const wasInside = useRef(false)
  useEffect(() => {
    const note = ({ target }: Event) => {
      wasInside.current = target instanceof Node && area.current?.contains(target) === true
    }
    document.addEventListener("focusin", note)
    document.addEventListener("pointerdown", note)
    return () => {
      document.removeEventListener("focusin", note)
      document.removeEventListener("pointerdown", note)
    }
  }, [area])
  useEffect(() => {
    const { activeElement: active } = document
    const isLost = active === null || active === document.body || active.matches(":disabled")
    if (wasInside.current && isLost) area.current?.focus({ preventScroll: true })
  })
}

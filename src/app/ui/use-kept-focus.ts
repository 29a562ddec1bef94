import { type RefObject, useEffect, useLayoutEffect, useRef } from "react"

/**
 * Moves the focus to the element that `fallback` gives when the focused element of `container` is removed or disabled. A browser
 * moves the focus to the body then, and a person who uses the keyboard has to begin again at the top of the page.
 */
export function useKeptFocus(container: RefObject<HTMLElement | null>, fallback: () => HTMLElement | null | undefined) {
  const focused = useRef<Element>(undefined)
  useEffect(() => {
    const element = container.current
    const focusIn = ({ target }: FocusEvent) => {
      focused.current = target instanceof Element ? target : undefined
    }
    // A removed element may lose the focus before it is removed. A person who leaves an element leaves it in the page.
    const focusOut = ({ target }: FocusEvent) => {
      setTimeout(() => {
        if (focused.current === target && canHaveFocus(target)) focused.current = undefined
      })
    }
    element?.addEventListener("focusin", focusIn)
    element?.addEventListener("focusout", focusOut)
    return () => {
      element?.removeEventListener("focusin", focusIn)
      element?.removeEventListener("focusout", focusOut)
    }
  }, [container])
  useLayoutEffect(() => {
    const before = focused.current
    if (before === undefined || canHaveFocus(before)) return
    focused.current = undefined
    const active = document.activeElement
    if (active === null || active === document.body || active === before) fallback()?.focus()
  })
}

function canHaveFocus(element: EventTarget | null): boolean {
  return element instanceof Element && element.isConnected && !element.matches(":disabled")
}

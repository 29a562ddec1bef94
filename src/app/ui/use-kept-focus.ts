import { type RefObject, useEffect, useLayoutEffect, useRef } from "react"

/**
 * Moves the focus to the element that `fallback` gives when the focused element of `container` is removed, disabled or hidden. Otherwise the
 * browser moves the focus to the body, and a person with a keyboard has to begin again at the top of the page.
 */
export function useKeptFocus(container: RefObject<HTMLElement | null>, fallback: () => HTMLElement | null | undefined) {
  const focused = useRef<Element>(undefined)
  useEffect(() => {
    const element = container.current
    const focusIn = ({ target }: FocusEvent) => {
      focused.current = target instanceof Element ? target : undefined
    }
    // A browser may blur an element before the element is removed. Only an element that stays in the page was left by the person.
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
    const active = document.activeElement
    if (active === null || active === document.body || active === before) fallback()?.focus({ preventScroll: true })
    // The focus may go to an element of this container: then `focusIn` has named that element.
    if (focused.current === before) focused.current = undefined
  })
}

/** Whether an element can have the focus: it is in the page, enabled and not hidden. */
export function canHaveFocus(element: EventTarget | null): boolean {
  return element instanceof Element && element.isConnected && !element.matches(":disabled") && element.checkVisibility()
}

import { type RefObject, useEffect, useLayoutEffect, useRef } from "react"
import { NavigationType, useLocation, useNavigationType } from "react-router"

/** How long to wait for a page that is still loading. */
const LOADING_MS = 5000

history.scrollRestoration = "manual"

/** The scroll position of every entry of the history, by React Router's key. */
const positions = new Map<string, number>()

/**
 * Restores the scroll position of each history entry. A new page begins at its top, and a new query of the same page does not scroll. The
 * browser's own restoration is switched off, because it comes before React has rendered the page.
 */
export function useScrollPositions(): void {
  const { key, pathname } = useLocation()
  const type = useNavigationType()
  const before = useRef<string>(undefined)
  useLayoutEffect(() => {
    // A page that was just loaded is at its top. Scrolling there would make the browser compute the layout twice.
    const isBackOrForward = type === NavigationType.Pop
    const staysWhereItIs = before.current === undefined || (before.current === pathname && !isBackOrForward)
    before.current = pathname
    const wanted = staysWhereItIs ? undefined : isBackOrForward ? (positions.get(key) ?? 0) : 0
    let end = () => {}
    if (wanted !== undefined) end = scrollWhenPossible(wanted)
    const remember = () => positions.set(key, scrollY)
    addEventListener("scroll", remember, { passive: true })
    return () => {
      end()
      removeEventListener("scroll", remember)
    }
  }, [key, pathname, type])
}

/** Scrolls to `wanted` pixels as soon as the page is that high, unless the person scrolls first. */
function scrollWhenPossible(wanted: number): () => void {
  const end = new AbortController()
  const attempt = () => {
    scrollTo({ top: wanted, behavior: "instant" })
    if (Math.abs(scrollY - wanted) < 2) end.abort()
  }
  attempt()
  if (end.signal.aborted) return () => {}
  const observer = new ResizeObserver(attempt)
  observer.observe(document.body)
  const timer = setTimeout(() => end.abort(), LOADING_MS)
  end.signal.addEventListener("abort", () => {
    observer.disconnect()
    clearTimeout(timer)
  })
  for (const event of ["wheel", "touchmove", "keydown", "pointerdown"])
    addEventListener(event, () => end.abort(), { passive: true, signal: end.signal })
  return () => end.abort()
}

/**
 * Gives the focus to the heading after a navigation to another page, so that assistive technology reads it. A page that has taken the focus
 * itself keeps it, as the list does on the way back. The first load leaves the focus where the browser puts it.
 */
export function useFocusOnNavigation(main: RefObject<HTMLElement | null>): void {
  const { pathname } = useLocation()
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    const focusHeading = (): boolean => {
      const heading = main.current?.querySelector("h1")
      if (!main.current || !heading) return false
      if (main.current.contains(document.activeElement) && document.activeElement !== main.current) return true
      if (!heading.hasAttribute("tabindex")) heading.tabIndex = -1
      heading.focus({ preventScroll: true })
      return true
    }
    if (focusHeading() || !main.current) return
    // Until the page has a heading, the focus is not lost.
    if (document.activeElement === document.body) main.current.focus({ preventScroll: true })
    const observer = new MutationObserver(() => {
      if (focusHeading()) observer.disconnect()
    })
    observer.observe(main.current, { childList: true, subtree: true })
    const timer = setTimeout(() => observer.disconnect(), LOADING_MS)
    return () => {
      observer.disconnect()
      clearTimeout(timer)
    }
  }, [pathname, main])
}

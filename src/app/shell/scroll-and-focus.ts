/** Scroll positions and the focus when the person moves between pages. */
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react"
import { NavigationType, useLocation, useNavigationType } from "react-router"
import { schemaOf, validOf } from "../client/value-schema.ts"

/** How long the focus waits for the heading of a page that is still loading. */
const LOADING_MS = 5000
/** How long a scroll position waits for a page that is still loading. Scrolling ends the wait, so it may be long. */
const SCROLL_MS = 30_000

history.scrollRestoration = "manual"

/** The session storage keeps the positions under this name, so that a reload finds them. */
const STORED = "workdesk/scroll"
/** The oldest positions are forgotten. */
const KEPT_MAX = 100

/** How far the window and the list in it are scrolled. A wide window scrolls the list of an inbox by itself. */
type Position = readonly [page: number, list: number]

const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) && value.length === 2 && value.every((pixels) => typeof pixels === "number")

const storedPositions = schemaOf(
  (value): value is readonly (readonly [string, Position])[] =>
    Array.isArray(value) && value.every((entry) => Array.isArray(entry) && isPosition(entry[1])),
)

/** The scroll positions by history entry. The address is part of the name, because React Router gives every first page the key `default`. */
const positions = new Map<string, Position>(readPositions())

function readPositions(): readonly (readonly [string, Position])[] {
  try {
    const stored = validOf(storedPositions, JSON.parse(sessionStorage.getItem(STORED) ?? "[]")) ?? []
    const [load] = performance.getEntriesByType("navigation")
    const isOpened = load !== undefined && "type" in load && load.type === "navigate"
    // A page that was opened by its address, and not by a reload or Back, begins at its top, even if the address has a stored position.
    const opened = isOpened ? `default ${location.pathname}${location.search}` : undefined
    return stored.filter(([entry]) => entry !== opened)
  } catch {
    // The person has forbidden this site to store anything, or something else has written there.
    return []
  }
}

globalThis.addEventListener?.("pagehide", () => {
  try {
    sessionStorage.setItem(STORED, JSON.stringify([...positions].slice(-KEPT_MAX)))
  } catch {
    // Then a reload begins at the top.
  }
})

/** The element with `data-scrolls`: a list that is scrolled by itself, where its style says so. */
const scrolledList = (): Element | null => document.querySelector("[data-scrolls]")

const TOP: Position = [0, 0]

/**
 * Scrolls after a navigation. The browser's own restoration is switched off, because it comes before React has rendered the page.
 *
 * | navigation                   | scrolls                                       |
 * | ---------------------------- | --------------------------------------------- |
 * | Back, Forward, or a reload   | to where the history entry was scrolled       |
 * | to another page              | to the top                                    |
 * | to a query of the same page  | nowhere                                       |
 */
export function useScrollPositions(): void {
  const { key, pathname, search } = useLocation()
  const entry = `${key} ${pathname}${search}`
  const type = useNavigationType()
  const before = useRef<string>(undefined)
  useLayoutEffect(() => {
    const isBackOrForward = type === NavigationType.Pop
    const isSamePage = before.current === pathname
    // A page that is loaded for the first time is at its top. Scrolling there would make the browser compute the layout twice.
    const isFirst = before.current === undefined && !positions.has(entry)
    before.current = pathname
    const remember = () => {
      positions.delete(entry)
      positions.set(entry, [scrollY, scrolledList()?.scrollTop ?? 0])
    }
    const staysInPlace = isSamePage && !isBackOrForward
    if (staysInPlace) remember()
    const wanted = isBackOrForward ? (positions.get(entry) ?? TOP) : TOP
    const end = isFirst || staysInPlace ? () => {} : scrollWhenPossible(wanted)
    addEventListener("scroll", remember, { passive: true, capture: true })
    return () => {
      end()
      removeEventListener("scroll", remember, { capture: true })
    }
  }, [entry, pathname, type])
}

/** Scrolls to `wanted` as soon as the page and the list are that high, unless the person scrolls first. */
function scrollWhenPossible(wanted: Position): () => void {
  const [page, inList] = wanted
  const end = new AbortController()
  const observer = new ResizeObserver(() => attempt())
  const attempt = () => {
    const list = scrolledList()
    scrollTo({ top: page, behavior: "instant" })
    if (list !== null) list.scrollTop = inList
    if (list?.firstElementChild) observer.observe(list.firstElementChild)
    const isListThere = inList === 0 || Math.abs((list?.scrollTop ?? 0) - inList) < 2
    if (Math.abs(scrollY - page) < 2 && isListThere) end.abort()
  }
  end.signal.addEventListener("abort", () => {
    observer.disconnect()
    clearTimeout(timer)
  })
  const timer = setTimeout(() => end.abort(), SCROLL_MS)
  observer.observe(document.body)
  attempt()
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

import { type RefObject, useEffect, useState } from "react"

/** How long the content under a button has to stay the same before the button acts, in milliseconds. */
const ARMING_MS = 500

/**
 * True once `cardState` has been the same for half a second while `ready`. `cardState` changes whenever something on the card changes, so a
 * click that was meant for what was under the pointer before does nothing.
 */
export function useArmed(cardState: string, ready = true): boolean {
  const [armedFor, setArmedFor] = useState<string>()
  useEffect(() => {
    if (!ready) return
    const timer = setTimeout(() => setArmedFor(cardState), ARMING_MS)
    return () => {
      clearTimeout(timer)
      setArmedFor(undefined)
    }
  }, [cardState, ready])
  return ready && armedFor === cardState
}

/** More pixels than any letter is long. */
const ABOVE = 10_000_000

/**
 * How many pixels at the lower edge of the window may be covered: by the two buttons, and on a phone by the menu below them. In a low
 * window (a phone on its side, 400 % zoom) at most half counts as covered, because otherwise a letter could never be read to its end.
 */
const covered = () => Math.min(150, innerHeight / 2)

/**
 * True once the person could read `version` of a text to its end: at once where `text` fits into the window, else when the element
 * `end` was on the screen and not covered, or was scrolled past.
 */
export function useReadToEnd(
  text: RefObject<HTMLElement | null>,
  end: RefObject<HTMLElement | null>,
  version: string,
): boolean {
  const [readFor, setReadFor] = useState<string>()
  useEffect(() => {
    if (!text.current || !end.current) return
    const inWindow = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setReadFor(version)
      },
      // In a low window one key press may scroll past the end. An end above the window counts as read.
      { rootMargin: `${String(ABOVE)}px 0px -${String(Math.round(covered()))}px` },
    )
    const height = new ResizeObserver(([entry]) => {
      const tall = entry?.contentRect.height ?? 0
      if (tall > 0 && tall <= innerHeight - covered()) setReadFor(version)
    })
    inWindow.observe(end.current)
    height.observe(text.current)
    return () => {
      inWindow.disconnect()
      height.disconnect()
    }
  }, [text, end, version])
  return readFor === version
}

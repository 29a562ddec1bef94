import { type RefObject, useEffect, useState } from "react"

/** How long what is under a button has to have stood still before it acts, in milliseconds (design, "Buttons arm"). */
const ARMING_MS = 500

/**
 * False until `under`, which names everything that stands under the buttons, has been the same for half a second while `ready`:
 * a click that was meant for what stood there before does nothing.
 */
export function useArmed(under: string, ready = true): boolean {
  const [armedFor, setArmedFor] = useState<string>()
  useEffect(() => {
    if (!ready) return
    const timer = setTimeout(() => setArmedFor(under), ARMING_MS)
    return () => {
      clearTimeout(timer)
      setArmedFor(undefined)
    }
  }, [under, ready])
  return ready && armedFor === under
}

/** What may lie over the window's lower edge: the two buttons, and on a phone the navigation below them. */
const COVERED = "0px 0px -150px"

/**
 * True once the element of `end` has been on the screen, uncovered, while `text` was what it ends; at once where what it ends, its
 * parent, is no longer than the screen.
 */
export function useSeenToEnd(end: RefObject<HTMLElement | null>, text: string): boolean {
  const [seen, setSeen] = useState<string>()
  useEffect(() => {
    if (!end.current) return
    const isShort = (end.current.parentElement?.offsetHeight ?? Infinity) <= innerHeight
    const observer = new IntersectionObserver(
      (entries) => {
        if (isShort || entries.some(({ isIntersecting }) => isIntersecting)) setSeen(text)
      },
      { rootMargin: COVERED },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [end, text])
  return seen === text
}

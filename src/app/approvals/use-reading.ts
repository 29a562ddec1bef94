import { type RefCallback, useCallback, useRef, useState } from "react"
import { followReading } from "./seen-parts.ts"

/**
 * Whether the person has seen every part of a card in this version that must be read. `frame` is for the element around the letter; `scrollOn` scrolls
 * to what has not been seen.
 *
 * @param version undefined while reading does not count
 */
export function useReading(version: string | undefined) {
  const [readVersion, setReadVersion] = useState<string>()
  const reading = useRef<ReturnType<typeof followReading>>(undefined)
  const frame: RefCallback<HTMLElement> = useCallback(
    (element: HTMLElement | null) => {
      if (element === null || version === undefined) return undefined
      // The title and the callouts of the card stand above the letter.
      const card = element.closest("article") ?? element
      const following = followReading(card, (isRead) => setReadVersion(isRead ? version : undefined))
      reading.current = following
      return following.stop
    },
    // Another version makes another function, so that its reading begins anew.
    [version],
  )
  return {
    isRead: version !== undefined && readVersion === version,
    frame,
    scrollOn: () => reading.current?.scrollOn(),
  }
}

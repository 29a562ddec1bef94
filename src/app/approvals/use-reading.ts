import { type RefCallback, useCallback, useRef, useState } from "react"
import { followReading } from "./seen-parts.ts"

/**
 * Whether the person has seen every part of a letter in this version. `frame` is for the element around the letter; `scrollOn` scrolls to what has
 * not been seen.
 *
 * @param version undefined while reading does not count
 */
export function useReading(version: string | undefined) {
  const [readVersion, setReadVersion] = useState<string>()
  const reading = useRef<ReturnType<typeof followReading>>(undefined)
  const frame: RefCallback<HTMLElement> = useCallback(
    (element: HTMLElement | null) => {
      if (element === null || version === undefined) return undefined
      const following = followReading(element, (isRead) => setReadVersion(isRead ? version : undefined))
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

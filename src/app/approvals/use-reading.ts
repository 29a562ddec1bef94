import { type RefCallback, useCallback, useRef, useState } from "react"
import { followReading } from "./seen-parts.ts"

/**
 * Whether the person has read every part of a card that must be read (`followReading`). `frame` is the ref of the element around the letter, and
 * `scrollOn` scrolls towards the first unread part.
 *
 * @param shown names the content of the card, so that other content has to be read anew; undefined while reading does not count
 */
export function useReading(shown: string | undefined) {
  const [read, setRead] = useState<string>()
  const reading = useRef<ReturnType<typeof followReading>>(undefined)
  const frame: RefCallback<HTMLElement> = useCallback(
    (element: HTMLElement | null) => {
      if (element === null || shown === undefined) return undefined
      // The title and the callouts of the card stand above the letter. A dialog of the card is read for itself.
      const card = element.closest<HTMLElement>("article, dialog") ?? element
      const following = followReading(card, (isRead) => setRead(isRead ? shown : undefined))
      reading.current = following
      return following.stop
    },
    // Another text makes another function, so that reading begins anew.
    [shown],
  )
  return {
    isRead: shown !== undefined && read === shown,
    frame,
    scrollOn: () => reading.current?.scrollOn(),
  }
}

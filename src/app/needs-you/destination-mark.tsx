/** What is unusual about the destination of an approval, as the list of items says it. */
import { useQuery } from "@tanstack/react-query"
import { use, useCallback, useState } from "react"
import styles from "../approvals/before-you-decide.module.css"
import { contextOptions } from "../approvals/decision-context.ts"
import type { ItemId } from "../inbox/item.ts"
import { AtRest } from "../ui/at-rest.ts"
import { classes } from "../ui/classes.ts"
import { OutsideText } from "../ui/outside-text.tsx"

type MarkProps = { id: ItemId; version: bigint }

/** Says in the list that the destination of an item is new, or looks like a known one. Asks the desk while the line is visible, and no key is held. */
export function DestinationMark({ id, version }: MarkProps) {
  const [isVisible, setIsVisible] = useState(false)
  const follow = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    const observer = new IntersectionObserver((entries) => setIsVisible(entries.at(-1)?.isIntersecting === true))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const isAtRest = use(AtRest)
  const { data } = useQuery({
    ...contextOptions(id, version),
    enabled: isVisible && isAtRest,
    staleTime: 60_000,
    refetchInterval: false,
    refetchOnWindowFocus: false,
  })
  const lookAlike = data?.look_alikes[0]
  return (
    <div ref={follow} className={classes(styles["mark"], lookAlike && styles["warnMark"])}>
      {lookAlike ? (
        <>
          Looks like <OutsideText>{lookAlike.destination}</OutsideText>
        </>
      ) : (
        data?.destination.first === true && "New destination"
      )}
    </div>
  )
}

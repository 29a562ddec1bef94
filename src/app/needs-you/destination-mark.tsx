/** Reads what is unusual about the destination of an approval, for its row in the inbox. */
import { useQuery } from "@tanstack/react-query"
import { use, useCallback, useState } from "react"
import { contextOptions } from "../approvals/decision-context.ts"
import styles from "../inbox/inbox-row.module.css"
import type { ItemMark } from "../inbox/inbox-row.tsx"
import { AtRest } from "../ui/at-rest.ts"

/** Asks the desk while the row is visible, and no key is held. */
export const DestinationMark: ItemMark = ({ id, version, children }) => {
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
  return (
    <div ref={follow} className={styles["mark"]}>
      {children({ lookAlike: data?.look_alikes[0]?.destination, isNew: data?.destination.first })}
    </div>
  )
}

import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import type { ItemId } from "../inbox/item.ts"
import { classes } from "../ui/classes.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./before-you-decide.module.css"
import { contextOptions } from "./decision-context.ts"

/** Shown within the link of an item: its destination is new, or looks like a known one. Read when the line becomes visible. */
export function DestinationMark({ id, version }: { id: ItemId; version: bigint }) {
  const place = useRef<HTMLDivElement>(null)
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    if (isSeen || !place.current) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsSeen(true)
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [isSeen])
  const { data } = useQuery({
    ...contextOptions(id, version),
    enabled: isSeen,
    staleTime: 60_000,
    refetchInterval: false,
    refetchOnWindowFocus: false,
  })
  const [lookAlike] = data?.look_alikes ?? []
  return (
    <div ref={place} className={classes(styles["mark"], lookAlike && styles["warnMark"])}>
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

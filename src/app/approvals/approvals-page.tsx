import { useQuery } from "@tanstack/react-query"
import { use, useCallback, useState } from "react"
import { Navigate, useSearchParams } from "react-router"
import { approvalVariant } from "./approval.ts"
import styles from "./before-you-decide.module.css"
import { contextOptions } from "./decision-context.ts"
import { Inbox, useClaimHints } from "../inbox/inbox.tsx"
import type { ItemId } from "../inbox/item.ts"
import { AtRest } from "../ui/at-rest.ts"
import { classes } from "../ui/classes.ts"
import { KeyHints } from "../ui/kbd.tsx"
import { OutsideText } from "../ui/outside-text.tsx"

/** Everything that waits for a decision, across all Work. */
export default function ApprovalsPage() {
  const [parameters] = useSearchParams()
  const claimHints = useClaimHints()
  // An older desk kept a list of decisions in the browser at this address.
  if (parameters.has("decided")) return <Navigate to="/record" replace />
  return (
    <Inbox
      variant={approvalVariant}
      Mark={DestinationMark}
      bar={<KeyHints hints={[[["J", "K"], "next, previous"], [["A"], "approve"], [["D"], "decline"], ...claimHints]} />}
    />
  )
}

type MarkProps = { id: ItemId; version: bigint }

/** Says in the list that the destination of an item is new, or looks like a known one. Asks the desk while the line is visible, and no key is held. */
function DestinationMark({ id, version }: MarkProps) {
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

import { useQuery } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import { Navigate, useSearchParams } from "react-router"
import { approvalVariant } from "./approval.ts"
import styles from "./before-you-decide.module.css"
import { contextOptions } from "./decision-context.ts"
import { Inbox, useClaimHints } from "../inbox/inbox.tsx"
import type { ItemId } from "../inbox/item.ts"
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

/** Says in the list that the destination of an item is new, or looks like a known one. Asks the desk when the line becomes visible. */
function DestinationMark(mark: MarkProps) {
  const [isSeen, setIsSeen] = useState(false)
  const place = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      setIsSeen(true)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return isSeen ? <KnownDestination {...mark} /> : <div ref={place} />
}

function KnownDestination({ id, version }: MarkProps) {
  const { data } = useQuery({
    ...contextOptions(id, version),
    staleTime: 60_000,
    refetchInterval: false,
    refetchOnWindowFocus: false,
  })
  const lookAlike = data?.look_alikes[0]
  return (
    <div className={classes(styles["mark"], lookAlike && styles["warnMark"])}>
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

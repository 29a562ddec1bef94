import { useState } from "react"
import { deskNow } from "../client/clock.ts"
import { useWaiting, waitingError } from "../client/waiting.ts"
import { Callout } from "../ui/callout.tsx"
import { useClock } from "../ui/clocks.tsx"
import { wordsFor } from "../ui/error-words.ts"
import { formatClock } from "../ui/time-words.ts"

/** Says on every page since when nothing newer has come from the desk, or from the service behind it. */
export function Silence() {
  const error = waitingError(useWaiting())
  if (error === undefined) return null
  return <Since why={error.kind === "unreachable" ? undefined : wordsFor(error).happened} />
}

/** Mounted when the first answer is missing, so that moment is the beginning. */
function Since({ why }: { why: string | undefined }) {
  const [since] = useState(deskNow)
  const at = useClock((now) => formatClock(since, now))
  return (
    <Callout announce="status" tone="warn" icon="offline" compact>
      {why === undefined ? `The desk has not answered since ${at}.` : `Nothing newer has come since ${at}. ${why}`}{" "}
      Counts and lists may be out of date. What you type is kept, and the desk is asked again by itself.
    </Callout>
  )
}

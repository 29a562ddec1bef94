import type { Absence } from "../../contract/desk-people.ts"
import { useAbsenceWrite } from "../client/change-absence.ts"
import { Banner } from "../ui/banner.tsx"
import { Button } from "../ui/button.tsx"
import { useClock } from "../ui/clocks.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { focusTitle } from "../ui/page-parts.tsx"
import { useAct } from "../ui/use-act.ts"
import { formatEnd } from "../ui/time-words.ts"

/** Asks a person who is here, on every page, whether they are still away. */
export function AbsenceBanner({ away, etag }: { away: Absence; etag: string }) {
  const write = useAbsenceWrite(undefined)
  const until = useClock((now) => {
    const [from, end] = [Date.parse(away.from), Date.parse(away.until)]
    return from <= now && now < end ? formatEnd(end, now) : undefined
  })
  // The button goes when the absence has ended.
  const end = useAct(etag, (seen) => write(seen, null), { ready: until !== undefined, onDone: focusTitle })
  if (until === undefined) return null
  return (
    <Banner
      announce="status"
      icon="clock"
      action={
        <Button size="small" inactive={!end.isArmed} onClick={() => end.act()}>
          End it
        </Button>
      }
      below={<ErrorAlert error={end.error} compact />}
    >
      You are marked as away until {until}. End it?
    </Banner>
  )
}

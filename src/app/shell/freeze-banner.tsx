import { useId } from "react"
import type { SignedIn } from "../../contract/desk-people.ts"
import type { Freeze } from "../../contract/desk-work.ts"
import { useDeskMutation } from "../client/desk-writes.ts"
import { endFreeze, sayFrozen } from "../client/freezes.ts"
import { mayFreeze } from "../client/session.ts"
import { useWaiting } from "../client/waiting.ts"
import { Button } from "../ui/button.tsx"
import { RelativeTime } from "../ui/clocks.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { focusTitle } from "../ui/page-parts.tsx"
import styles from "./freeze-banner.module.css"

/** Says on every page what is frozen, since when and why. An overseer can end it here. */
export function FreezeBanner({ session }: { session: SignedIn }) {
  const freezes = useWaiting(({ waiting }) => waiting?.freezes) ?? []
  return (
    <div role="alert" className={styles["banner"]}>
      {freezes.map((freeze) => (
        <Frozen key={freeze.colleague ?? ""} freeze={freeze} session={session} />
      ))}
    </div>
  )
}

function Frozen({ freeze, session }: { freeze: Freeze; session: SignedIn }) {
  // The button goes when the freeze has ended.
  const whatId = useId()
  const end = useDeskMutation(() => endFreeze(freeze.colleague), { onDone: focusTitle })
  return (
    <div className={styles["frozen"]}>
      <Icon name="paused" size={16} />
      <div className={styles["words"]}>
        <strong id={whatId}>
          <OutsideText>{sayFrozen(freeze, session)}</OutsideText>
        </strong>{" "}
        <OutsideText>{freeze.reason}</OutsideText>
        <div className="small">
          Frozen <RelativeTime at={freeze.since} />. {freeze.colleague === null ? "Nothing" : "Nothing of it"} can be
          approved, and no new Work can be created
          {freeze.colleague === null ? "" : " for it"}. Declining and answering go on.
        </div>
        <ErrorAlert error={end.error} compact />
      </div>
      {mayFreeze(session) && (
        <Button size="small" inactive={end.isPending} aria-describedby={whatId} onClick={() => end.mutate()}>
          End the freeze
        </Button>
      )}
    </div>
  )
}

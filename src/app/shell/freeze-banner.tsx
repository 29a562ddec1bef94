import { useCallback, useId, useRef, useState } from "react"
import type { SignedIn } from "../../contract/desk-people.ts"
import type { Freeze } from "../../contract/desk-work.ts"
import { endFreeze, formatFrozen } from "../client/freeze-state.ts"
import { mayFreeze } from "../client/session.ts"
import { useWaiting } from "../client/waiting.ts"
import { Banner } from "../ui/banner.tsx"
import { Button } from "../ui/button.tsx"
import { RelativeTime } from "../ui/clocks.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { focusTitle } from "../ui/page-parts.tsx"
import { SendingDialog } from "../ui/sending-dialog.tsx"
import { useArmed } from "../ui/use-armed.ts"

/** Says on every page what is frozen, since when and why. An overseer can end it here. */
export function FreezeBanner({ session }: { session: SignedIn }) {
  const freezes = useWaiting(({ waiting }) => waiting?.freezes) ?? []
  const [asking, setAsking] = useState<Freeze>()
  const endsHere = useRef(false)
  /** The button that had the focus goes with its freeze. */
  const keepFocus = useCallback(
    () => () => {
      if (!endsHere.current) return
      setTimeout(() => document.activeElement?.matches("body, main") === true && focusTitle())
    },
    [],
  )
  return (
    <>
      {freezes.map((freeze) => (
        <div key={freeze.colleague ?? ""} ref={keepFocus}>
          <Frozen freeze={freeze} session={session} onEnd={() => setAsking(freeze)} />
        </div>
      ))}
      {asking && (
        <EndFreeze
          freeze={asking}
          isStill={freezes.some((freeze) => isSameFreeze(freeze, asking))}
          session={session}
          onEnd={() => {
            endsHere.current = true
          }}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  )
}

const isSameFreeze = (one: Freeze, other: Freeze) =>
  one.colleague === other.colleague && one.since === other.since && one.reason === other.reason

function Frozen({ freeze, session, onEnd }: { freeze: Freeze; session: SignedIn; onEnd: () => void }) {
  const whatId = useId()
  const isWholeDesk = freeze.colleague === null
  return (
    <Banner
      announce="alert"
      tone="bad"
      icon="paused"
      first={
        <span id={whatId}>
          <OutsideText>{formatFrozen(freeze, session)}</OutsideText>
        </span>
      }
      short="Frozen:"
      action={
        mayFreeze(session) && (
          <Button size="small" aria-describedby={whatId} onClick={onEnd}>
            End the freeze
          </Button>
        )
      }
      more={
        <>
          Frozen <RelativeTime at={freeze.since} />.{" "}
          {isWholeDesk
            ? "Nothing can be approved, and no new Work can be created."
            : "Its requests can't be approved, and no new Work can be created for it."}{" "}
          You can still decline and answer.
        </>
      }
    >
      <OutsideText>{freeze.reason}</OutsideText>
    </Banner>
  )
}

type EndProps = {
  freeze: Freeze
  /** False where the freeze has ended or changed since the dialog was opened. */
  isStill: boolean
  session: SignedIn
  /** Called before the end is sent. */
  onEnd: () => void
  onClose: () => void
}

/** Asks whether the freeze that the person saw is to end. */
function EndFreeze({ freeze, isStill, session, onEnd, onClose }: EndProps) {
  const isArmed = useArmed(freeze.since)
  return (
    <SendingDialog
      title="End the freeze?"
      saw={freeze}
      action="Confirm the end"
      input={isArmed ? freeze.colleague : undefined}
      whyNot={isStill ? undefined : HAS_CHANGED}
      send={(_, colleague) => {
        onEnd()
        return endFreeze(colleague)
      }}
      onClose={onClose}
    >
      {() => (
        <>
          <p>
            <OutsideText>{formatFrozen(freeze, session)}</OutsideText> <OutsideText>{freeze.reason}</OutsideText>
          </p>
          <output>{!isStill && HAS_CHANGED}</output>
        </>
      )}
    </SendingDialog>
  )
}

const HAS_CHANGED = "This freeze ended or changed while this dialog was open."

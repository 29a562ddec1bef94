import { useState } from "react"
import { deskNow, onDeskClock } from "../client/clock.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Field } from "../ui/field.tsx"
import { momentOf } from "../ui/time-words.ts"
import styles from "./team.module.css"
import { asideChoices } from "./team-words.ts"
import { useAct } from "./use-act.ts"

type Props = {
  /** Urgent Work can be set aside for four hours, other Work for seven days. */
  isUrgent: boolean
  /** ISO 8601: by when it is to be decided. */
  decideBy: string | undefined
  /** Sets the item aside until a moment (ISO 8601). @throws DeskError */
  onSetAside: (until: string) => Promise<void>
  onClose: () => void
}

/** Asks for how long an item is set aside. */
export function SetAside({ isUrgent, decideBy, onSetAside, onClose }: Props) {
  const [now] = useState(deskNow)
  const [day, setDay] = useState("")
  const { error, act } = useAct()
  const by = decideBy === undefined ? undefined : momentOf(decideBy)
  const { latest, choices } = asideChoices(now, { isUrgent, decideBy: by })
  // A field of this kind holds a local time without a zone.
  const wanted = day === "" ? undefined : onDeskClock(Date.parse(day))
  const isPossible = wanted !== undefined && wanted > now && wanted <= latest
  const put = (until: number) => act(() => onSetAside(new Date(until).toISOString()).then(onClose))
  if (by !== undefined && by <= now)
    return (
      <Dialog title="Set aside" onCancel={onClose}>
        <p>This should have been decided already, so it cannot be set aside.</p>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <Dialog title="Set aside" onCancel={onClose}>
      <p className="small soft">It leaves your list and comes back at this time, or earlier when something changes.</p>
      <div className={styles["choices"]}>
        {choices.map(({ name, until }) => (
          <Button key={name} onClick={() => put(until)}>
            {name}
          </Button>
        ))}
      </div>
      <Field
        label="Day and time"
        error={
          wanted === undefined || isPossible
            ? undefined
            : `Choose a time in the next ${isUrgent ? "4 hours" : "7 days"}${by === undefined ? "" : ", before it is to be decided"}.`
        }
      >
        {(control) => (
          <input {...control} type="datetime-local" value={day} onChange={(event) => setDay(event.target.value)} />
        )}
      </Field>
      {error && <ErrorAlert error={error} compact />}
      <DialogActions>
        <Button kind="primary" disabled={!isPossible} onClick={() => wanted !== undefined && put(wanted)}>
          Set aside until then
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </DialogActions>
    </Dialog>
  )
}

/** The dialogs "Hand to" and "Set aside" of an item. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { type AssignedPerson, longestAsideMs, NOTE_MAX_CHARACTERS } from "../../contract/desk-people.ts"
import { countCharacters } from "../../contract/limits.ts"
import { deskNow } from "../client/clock.ts"
import { assigneesOptions, type Holder } from "../client/team-changes.ts"
import { Button } from "../ui/button.tsx"
import { formatExcess, Select, TextArea, TextField } from "../ui/field.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { Read } from "../ui/error-alert.tsx"
import { SendingDialog } from "../ui/sending-dialog.tsx"
import { Skeleton } from "../ui/page-parts.tsx"
import { formatAge, formatEnd, momentOf } from "../ui/time-words.ts"
import type { ItemId } from "./item.ts"
import styles from "./claims.module.css"

type HandToProps = {
  id: ItemId
  /** The ETag of the assignment that the person sees. */
  etag: string
  /** Hands the item over. @throws DeskError */
  onHand: (etag: string, to: Holder, note: string) => Promise<void>
  onClose: () => void
}

/** The dialog that asks who an item is handed to, with a note for them. */
export function HandTo({ id, etag, onHand, onClose }: HandToProps) {
  const read = useQuery(assigneesOptions(...id))
  const [chosen, setChosen] = useState<string>()
  const [note, setNote] = useState("")
  const choices = [
    ...(read.data?.people ?? []).map((person) => ({
      value: `person ${person.id}`,
      name: formatPerson(person, deskNow()),
      to: { person: person.id },
    })),
    ...(read.data?.teams ?? []).map((team) => ({ value: `team ${team}`, name: team, to: { team } })),
  ]
  const choice = choices.find(({ value }) => value === chosen)
  return (
    <SendingDialog
      title="Hand to"
      saw={etag}
      action="Hand over"
      input={choice?.to}
      whyNot={formatExcess(countCharacters(note), NOTE_MAX_CHARACTERS)}
      send={(seen, to) => onHand(seen, to, note)}
      kept="Your note is kept."
      onClose={onClose}
    >
      {() => (
        <Read query={read} loading={<Skeleton width="60%" />}>
          {() =>
            choices.length === 0 ? (
              <p>There is nobody else to hand this to.</p>
            ) : (
              <div className={styles["fields"]}>
                <Select
                  label="To"
                  none="Choose a person or a team"
                  data-autofocus=""
                  value={chosen}
                  choices={choices.map(({ value, name }) => [value, name])}
                  onChoose={setChosen}
                />
                <TextArea label="Note" aside="optional" limit={NOTE_MAX_CHARACTERS} value={note} onText={setNote} />
              </div>
            )
          }
        </Read>
      )}
    </SendingDialog>
  )
}

/** "Ada Lovelace", "Ada Lovelace, away until Monday". */
export function formatPerson({ name, away }: AssignedPerson, now: number): string {
  const end = away && momentOf(away.until)
  return end === undefined ? name : `${name}, away until ${formatEnd(end, now)}`
}

type SetAsideProps = {
  /** Whether the Work of the item is urgent. */
  isUrgent: boolean
  /** The deadline for the decision (ISO 8601). */
  decideBy: string | undefined
  /** The version that the person reads. */
  version: bigint
  /** Sets this version of the item aside until a moment (ISO 8601). @throws DeskError */
  onSetAside: (version: bigint, until: string) => Promise<void>
  onClose: () => void
}

/** The dialog that asks how long an item is set aside. */
export function SetAside({ isUrgent, decideBy, version, onSetAside, onClose }: SetAsideProps) {
  const [now] = useState(deskNow)
  const [day, setDay] = useState("")
  const by = decideBy === undefined ? undefined : momentOf(decideBy)
  const { latest, choices } = asideChoices(now, { isUrgent, decideBy: by })
  const wanted = day === "" ? undefined : Date.parse(day)
  const isPossible = wanted !== undefined && wanted > now && wanted <= latest
  if (by !== undefined && by <= now)
    return (
      <Dialog title="Set aside" onCancel={onClose}>
        <p>This is overdue, so it can't be set aside.</p>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <SendingDialog
      title="Set aside"
      saw={version}
      action="Set aside until then"
      input={isPossible ? wanted : undefined}
      send={(seen, until: number) => onSetAside(seen, new Date(until).toISOString())}
      onClose={onClose}
    >
      {({ send, isSending }) => (
        <>
          <p className="small soft">
            This item will be hidden from your list until the time you choose, or until it changes.
          </p>
          <div className={styles["choices"]}>
            {choices.map(({ name, until }) => (
              <Button key={name} inactive={isSending} onClick={() => send(until)}>
                {name}
              </Button>
            ))}
          </div>
          <TextField
            label="Day and time"
            type="datetime-local"
            error={
              wanted === undefined || isPossible
                ? undefined
                : `Choose a time in the next ${formatAge(longestAsideMs(isUrgent))}${by === undefined ? "" : " and before the deadline"}.`
            }
            value={day}
            onText={setDay}
          />
        </>
      )}
    </SendingDialog>
  )
}

const HOUR = 60 * 60_000

/** Until when a person may set an item aside: the choices, and the latest moment, which is never after `decideBy`. All in ms since 1970. */
export function asideChoices(now: number, { isUrgent, decideBy }: { isUrgent: boolean; decideBy: number | undefined }) {
  const latest = Math.min(now + longestAsideMs(isUrgent), decideBy ?? Infinity)
  const atNine = (daysAhead: number) => {
    const day = new Date(now)
    day.setDate(day.getDate() + daysAhead)
    return day.setHours(9, 0, 0, 0)
  }
  // 1 to 7 days: on a Monday, the choice is the next Monday.
  const daysToMonday = (8 - new Date(now).getDay()) % 7 || 7
  const choices = [
    { name: "In an hour", until: now + HOUR },
    { name: "Tomorrow, 9:00", until: atNine(1) },
    { name: "Monday, 9:00", until: atNine(daysToMonday) },
  ]
  return { latest, choices: choices.filter(({ until }) => until <= latest) }
}

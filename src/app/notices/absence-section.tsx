import { useQuery } from "@tanstack/react-query"
import { useId, useState } from "react"
import { type Absence, ABSENCE_MAX_MS, type SignedIn } from "../../contract/desk-people.ts"
import { absenceOptions, type AbsenceAnswer } from "../client/absence.ts"
import { standInsOptions, useAbsenceWrite } from "../client/change-absence.ts"
import { deskNow } from "../client/clock.ts"
import { formatPerson } from "../inbox/claim-dialogs.tsx"
import { Button } from "../ui/button.tsx"
import { ErrorAlert, Read } from "../ui/error-alert.tsx"
import { Select, TextField } from "../ui/field.tsx"
import { formatClock } from "../ui/time-words.ts"
import { useAct } from "../ui/use-act.ts"
import styles from "./notices.module.css"

/** When the person is away, and who stands in. An overseer may say so for somebody else. Nothing where the desk is of an older version. */
export function AbsenceSection({ session }: { session: SignedIn }) {
  const id = useId()
  const [other, setOther] = useState<string>()
  const query = useQuery(absenceOptions(other))
  const people = useQuery(standInsOptions)
  const others = people.data?.people.filter((person) => person.id !== session.person.id) ?? []
  if (other === undefined && (query.error?.status === 404 || query.isPending)) return null
  return (
    <section aria-labelledby={id} className={styles["section"]}>
      <h2 id={id}>Away</h2>
      {session.is_overseer === true && (
        <Select
          label="Who is away"
          none="You"
          hint="As an overseer, you can also set this for others."
          value={other}
          choices={others.map((person) => [person.id, formatPerson(person, deskNow())])}
          onChoose={setOther}
        />
      )}
      <p className="soft">
        {other === undefined
          ? "While you are away, a stand-in gets your notices and finds your items under Mine."
          : "While they are away, a stand-in gets their notices and finds their items under Mine."}{" "}
        Stand-ins get no extra rights.
      </p>
      <Read query={query} loading={null}>
        {(read) => <AbsenceForm key={other} read={read} about={other} myId={session.person.id} />}
      </Read>
    </section>
  )
}

type FormProps = {
  read: AbsenceAnswer
  /** Whose absence it is. Undefined: the reader's own. */
  about: string | undefined
  myId: string
}

type Typed = { readonly from?: string; readonly until?: string; readonly standIn?: string | null }

function AbsenceForm({ read: { away, etag }, about, myId }: FormProps) {
  const standIns = useQuery(standInsOptions)
  const [now] = useState(deskNow)
  const [typed, setTyped] = useState<Typed>({})
  const writeAbsence = useAbsenceWrite(about)
  const write = useAct(etag, (seen, wanted: Absence | null) => writeAbsence(seen, wanted), {
    onDone: () => setTyped({}),
  })
  // Somebody else, another tab or a field may have changed it since.
  const isAsWritten = write.result?.etag === etag && Object.keys(typed).length === 0
  const hasEnded = write.result?.away === null
  const [storedFrom, storedUntil] = away === null ? [now, undefined] : [Date.parse(away.from), Date.parse(away.until)]
  const from = typed.from ?? toField(storedFrom)
  const until = typed.until ?? (storedUntil === undefined ? "" : toField(storedUntil))
  const people = standIns.data?.people.filter(({ id }) => id !== (about ?? myId))
  const chosen = typed.standIn === undefined ? (away?.stand_in ?? null) : typed.standIn
  // Somebody who cannot stand in any more is not sent again.
  const standIn = people === undefined || people.some(({ id }) => id === chosen) ? chosen : null
  const [start, end] = [fromField(from, storedFrom), fromField(until, storedUntil)]
  const error = until === "" ? undefined : whyNotAbsent(start, end, deskNow())
  const isComplete = from !== "" && until !== "" && error === undefined && !standIns.isPending
  const iso = (moment: number) => new Date(moment).toISOString()
  const save = () => write.act({ from: iso(start), until: iso(end), stand_in: standIn })
  return (
    <>
      <div className={styles["dates"]}>
        <TextField
          label="From"
          type="datetime-local"
          value={from}
          onText={(text) => setTyped({ ...typed, from: text })}
        />
        <TextField
          label="Until"
          type="datetime-local"
          error={error}
          value={until}
          onText={(text) => setTyped({ ...typed, until: text })}
        />
      </div>
      <Select
        label="Stand-in"
        none="Nobody"
        hint="Without a stand-in, everybody who may decide is notified instead."
        value={standIn ?? undefined}
        choices={(people ?? []).map((person) => [person.id, formatPerson(person, deskNow())])}
        onChoose={(person) => setTyped({ ...typed, standIn: person ?? null })}
      />
      <ErrorAlert error={standIns.error} compact />
      <div className={styles["act"]}>
        <Button kind="primary" disabled={!isComplete} inactive={!write.isArmed} onClick={save}>
          Save
        </Button>
        {(away !== null || hasEnded) && (
          // The button stays when it has ended the absence, so that it keeps the focus.
          <Button inactive={!write.isArmed || away === null} onClick={() => write.act(null)}>
            End the absence
          </Button>
        )}
        <output className="small soft">{isAsWritten && (away === null ? "Ended" : "Saved")}</output>
      </div>
      <ErrorAlert
        error={write.error}
        kept="What you chose is kept."
        {...(write.error?.failure === "stale" && {
          words: { happened: formatSet(away, deskNow()), toDo: "Check it, then save again." },
        })}
        compact
      />
    </>
  )
}

/** Why a person cannot be away so; undefined where they can. All are in milliseconds since 1970. */
export function whyNotAbsent(from: number, until: number, now: number): string | undefined {
  if (until <= now) return "Choose a time in the future."
  if (until <= from) return "Choose a time after the start."
  return until - from > ABSENCE_MAX_MS ? "Choose a time within 90 days of the start." : undefined
}

/** What is set now, for a person whose change came too late. */
function formatSet(away: Absence | null, now: number): string {
  if (away === null) return "The absence has been ended elsewhere."
  const [from, until] = [Date.parse(away.from), Date.parse(away.until)].map((moment) => formatClock(moment, now))
  return `The absence was changed elsewhere. It now runs from ${from} until ${until}.`
}

/** A moment as a field `datetime-local` has it, in the browser's zone. */
function toField(moment: number): string {
  const zoneMs = new Date(moment).getTimezoneOffset() * 60_000
  return new Date(moment - zoneMs).toISOString().slice(0, 16)
}

/**
 * The moment of a field. A field has no seconds, and the hour that a clock repeats looks the same twice, so a text that shows the `stored` moment
 * stands for that moment.
 */
function fromField(text: string, stored: number | undefined): number {
  return stored !== undefined && text === toField(stored) ? stored : Date.parse(text)
}

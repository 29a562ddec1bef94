import { useQuery } from "@tanstack/react-query"
import { useId, useState } from "react"
import { type Away, AWAY_MAX_MS } from "../../contract/desk-people.ts"
import { awayOptions } from "../client/away.ts"
import { standInsOptions, useAwayChange } from "../client/away-changes.ts"
import { deskNow } from "../client/clock.ts"
import { useSession } from "../client/session.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert, Read } from "../ui/error-alert.tsx"
import { Select, TextField } from "../ui/field.tsx"
import styles from "./notices.module.css"

/** When the person is away, and who stands in. Nothing where the desk is of an older version. */
export function AwaySection() {
  const id = useId()
  const query = useQuery(awayOptions)
  if (query.error?.status === 404 || query.isPending) return null
  return (
    <section aria-labelledby={id} className={styles["section"]}>
      <h2 id={id}>Away</h2>
      <p className="soft">
        While you are away, a stand-in hears of what is given to you, and finds it in their list. A stand-in decides
        only what they may decide themselves.
      </p>
      <Read query={query} loading={null}>
        {(away) => <AwayForm away={away} />}
      </Read>
    </section>
  )
}

type Typed = { readonly from?: string; readonly until?: string; readonly standIn?: string | null }

function AwayForm({ away }: { away: Away | null }) {
  const myId = useSession()?.person.id
  const standIns = useQuery(standInsOptions)
  const [now] = useState(deskNow)
  const [typed, setTyped] = useState<Typed>({})
  const write = useAwayChange(() => setTyped({}))
  const from = typed.from ?? localMinute(away === null ? now : Date.parse(away.from))
  const until = typed.until ?? (away === null ? "" : localMinute(Date.parse(away.until)))
  const people = standIns.data?.people.filter(({ id }) => id !== myId)
  const chosen = typed.standIn === undefined ? (away?.stand_in ?? null) : typed.standIn
  // Somebody who cannot stand in any more is not sent again.
  const standIn = people === undefined || people.some(({ id }) => id === chosen) ? chosen : null
  const error = until === "" ? undefined : whyNotAway(Date.parse(from), Date.parse(until), deskNow())
  const isComplete = from !== "" && until !== "" && error === undefined && !standIns.isPending
  const save = () => {
    const [start, end] = [from, until].map((text) => new Date(text).toISOString())
    if (start !== undefined && end !== undefined) write.mutate({ from: start, until: end, stand_in: standIn })
  }
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
        hint="Without a stand-in, all others who may decide hear of what is given to you."
        value={standIn ?? undefined}
        choices={(people ?? []).map(({ id, name }) => [id, name])}
        onChoose={(person) => setTyped({ ...typed, standIn: person ?? null })}
      />
      <ErrorAlert error={standIns.error} compact />
      <div className={styles["act"]}>
        <Button kind="primary" disabled={!isComplete} inactive={write.isPending} onClick={save}>
          Save
        </Button>
        {away !== null && (
          <Button inactive={write.isPending} onClick={() => write.mutate(null)}>
            End it
          </Button>
        )}
        <output className="small soft">{write.isSuccess && (write.data === null ? "Ended" : "Saved")}</output>
      </div>
      <ErrorAlert error={write.error} kept="What you chose is kept." compact />
    </>
  )
}

/** Why a person cannot be away so; undefined where they can. All are in milliseconds since 1970. */
export function whyNotAway(from: number, until: number, now: number): string | undefined {
  if (until <= now) return "Choose a time that is not past."
  if (until <= from) return "Choose a time after the beginning."
  return until - from > AWAY_MAX_MS ? "Choose a time at most 90 days after the beginning." : undefined
}

/** A moment as a field `datetime-local` has it, in the browser's zone. */
function localMinute(moment: number): string {
  const zoneMs = new Date(moment).getTimezoneOffset() * 60_000
  return new Date(moment - zoneMs).toISOString().slice(0, 16)
}

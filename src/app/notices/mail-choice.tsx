import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useId } from "react"
import type { LastDelivery, NoticeChoice, NoticeSettings, NoticeTest } from "../../contract/desk-people.ts"
import { timeZone } from "../client/clock.ts"
import type { DeskError } from "../client/desk-error.ts"
import { changeMailSettings, mailSettingsOptions, sendTestMail } from "../client/mail-settings.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Field } from "../ui/field.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import styles from "./notices.module.css"

const MAIL = [
  ["at-once", "At once", "A few minutes after something begins to wait, and not while you use the desk."],
  ["hourly", "Hourly", "At the full hour, when something new waits."],
  ["daily", "Daily", "At 8:00, when something new waits."],
  ["off", "Off", "No mail at all."],
] as const satisfies readonly (readonly [value: NoticeChoice["mail"], name: string, hint: string])[]

/** Every half hour of a day, `HH:MM`. */
const TIMES = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0")).flatMap((hour) => [
  `${hour}:00`,
  `${hour}:30`,
])
/** Where a person chooses only one end of the quiet hours, the other end becomes this time. */
const USUAL_HOURS = { quiet_from: "20:00", quiet_until: "08:00" }

/** The choice of mail, each change of which is sent at once, a test mail, and what became of the last mail. */
export function MailChoice() {
  const client = useQueryClient()
  const urgentId = useId()
  const { data, error } = useQuery(mailSettingsOptions)
  const change = useMutation<NoticeSettings, DeskError, Partial<NoticeChoice>>({
    networkMode: "always",
    mutationFn: changeMailSettings,
    onSuccess: (settings) => client.setQueryData(mailSettingsOptions.queryKey, settings),
  })
  if (data === undefined)
    return error === null ? <Skeleton width="320px" /> : <ErrorAlert error={error} retryAt={error.retryAt} />
  const shown = change.isPending ? { ...data, ...change.variables } : data
  const choose = (next: Partial<NoticeChoice>) => change.mutate(next)
  return (
    <>
      <Field label="Mail" hint={MAIL.find(([value]) => value === shown.mail)?.[2]}>
        {(control) => (
          <select
            {...control}
            value={shown.mail}
            onChange={({ target }) => {
              const chosen = MAIL.find(([value]) => value === target.value)
              if (chosen !== undefined) choose({ mail: chosen[0] })
            }}
          >
            {MAIL.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className={styles["check"]}>
        <input
          id={urgentId}
          type="checkbox"
          checked={shown.urgent_at_once}
          onChange={({ target }) => choose({ urgent_at_once: target.checked })}
        />
        <label htmlFor={urgentId}>Urgent Work at once</label>
      </div>
      <div className={styles["pair"]}>
        <QuietTime name="Quiet from" member="quiet_from" choice={shown} onChoose={choose} />
        <QuietTime name="Quiet until" member="quiet_until" choice={shown} onChoose={choose} />
      </div>
      <p className="small soft">
        {change.isPending ? "Saving…" : `In your time zone, ${timeZone()}.`} Mail that is due within the quiet hours
        leaves at their end, urgent Work too. Only approvals that have waited too long by a rule of this desk are mailed
        in them as well.
      </p>
      {change.error && <ErrorAlert error={change.error} kept="Your choice is as it was." compact />}
      <TestMail last={data.last_delivery} />
    </>
  )
}

type QuietProps = {
  name: string
  member: "quiet_from" | "quiet_until"
  choice: NoticeChoice
  onChoose: (next: Partial<NoticeChoice>) => void
}

function QuietTime({ name, member, choice, onChoose }: QuietProps) {
  const other = member === "quiet_from" ? "quiet_until" : "quiet_from"
  const value = choice[member]
  const otherEnd = choice[other] ?? USUAL_HOURS[other]
  const choose = (time: string) =>
    onChoose(time === "" ? { [member]: null, [other]: null } : { [member]: time, [other]: otherEnd })
  return (
    <Field label={name}>
      {(control) => (
        <select {...control} value={value ?? ""} onChange={({ target }) => choose(target.value)}>
          <option value="">None</option>
          {value !== null && !TIMES.includes(value) && <option value={value}>{value}</option>}
          {TIMES.map((time) => (
            // Quiet hours that end when they begin would be none.
            <option key={time} value={time} disabled={time === otherEnd}>
              {time}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

const STATES: Readonly<Record<LastDelivery["state"], string>> = {
  delivered: "Last mail delivered",
  refused: "The mail server refused your address",
  stopped: "The mail server refused your address three times. No mail is sent until you sign in again. Refused",
  failed: "The last mail could not be sent, and is tried again. Last tried",
}

function TestMail({ last }: { last: LastDelivery | null }) {
  const client = useQueryClient()
  const test = useMutation<NoticeTest, DeskError>({
    networkMode: "always",
    mutationFn: sendTestMail,
    onSuccess: () => client.invalidateQueries(mailSettingsOptions),
  })
  const shown = test.data ?? last
  return (
    <>
      <div className={styles["act"]}>
        <Button inactive={test.isPending} onClick={() => test.mutate()}>
          Send a test mail
        </Button>
        <output className="small soft">
          {test.isPending && "Sending…"}
          {!test.isPending && shown === null && "No mail was sent to you yet."}
          {!test.isPending && shown !== null && (
            <>
              {STATES[shown.state]} <RelativeTime at={shown.at} />
            </>
          )}
        </output>
      </div>
      {test.error && <ErrorAlert error={test.error} retryAt={test.error.retryAt} compact />}
    </>
  )
}

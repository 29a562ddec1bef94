/** The choice of mail, and the quiet hours, which hold for push too. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useId } from "react"
import type { LastDelivery, NoticeChoice } from "../../contract/desk-people.ts"
import { timeZone } from "../client/clock.ts"
import { useDeskMutation } from "../client/desk-writes.ts"
import { changeMailSettings, type MailSettings, mailSettingsOptions, sendTestMail } from "../client/mail-settings.ts"
import { Button } from "../ui/button.tsx"
import { RelativeTime } from "../ui/clocks.tsx"
import { ErrorAlert, Read } from "../ui/error-alert.tsx"
import { Select } from "../ui/field.tsx"
import { Skeleton } from "../ui/page-parts.tsx"
import styles from "./notices.module.css"

const MAIL: readonly (readonly [value: NoticeChoice["mail"], words: string])[] = [
  ["at-once", "At once"],
  ["hourly", "Hourly"],
  ["daily", "Daily"],
  ["off", "Off"],
]
const MAIL_HINTS: Readonly<Record<NoticeChoice["mail"], string>> = {
  "at-once": "A few minutes after a new item, unless you're using the desk.",
  hourly: "On the hour, if there is something new.",
  daily: "At 8:00, if there is something new.",
  off: "No mail at all.",
}

export function useMailChange() {
  const client = useQueryClient()
  return useDeskMutation(changeMailSettings, {
    onDone: (settings) => client.setQueryData(mailSettingsOptions.queryKey, settings),
    queue: "notices",
  })
}

/** Every half hour of a day, `HH:MM`. */
const TIMES = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0")).flatMap((hour) => [
  `${hour}:00`,
  `${hour}:30`,
])
/** Where a person chooses only one end of the quiet hours, the other end becomes this time. */
const USUAL_HOURS = { quiet_from: "20:00", quiet_until: "08:00" }

/** The choice of mail, each change of which is sent at once, a test mail, and the result of the last mail. */
export function MailChoice() {
  return (
    <Read query={useQuery(mailSettingsOptions)} loading={<Skeleton width="320px" />}>
      {(settings) => <Choices data={settings} />}
    </Read>
  )
}

function Choices({ data }: { data: MailSettings }) {
  const urgentId = useId()
  const change = useMailChange()
  const shown = change.isPending ? { ...data, ...change.variables } : data
  const choose = (next: Partial<NoticeChoice>) => change.mutate(next)
  return (
    <>
      <Select
        label="Mail"
        hint={MAIL_HINTS[shown.mail]}
        value={shown.mail}
        choices={MAIL}
        onChoose={(mail) => mail !== undefined && choose({ mail })}
      />
      <div className={styles["check"]}>
        <input
          id={urgentId}
          type="checkbox"
          checked={shown.urgent_at_once}
          onChange={({ target }) => choose({ urgent_at_once: target.checked })}
        />
        <label htmlFor={urgentId}>Urgent Work at once</label>
      </div>
      <QuietHours choice={shown} onChoose={choose} isSaving={change.isPending}>
        During quiet hours, only escalations are sent. Other mail, even about urgent Work, is sent afterwards.
      </QuietHours>
      <ErrorAlert error={change.error} kept="Your choice hasn't changed." compact />
      <TestMail last={data.last_delivery} />
    </>
  )
}

type QuietProps = {
  choice: Pick<NoticeChoice, "quiet_from" | "quiet_until">
  onChoose: (next: Partial<NoticeChoice>) => void
}

/** The choice of the quiet hours. The children say what they mean. */
export function QuietHours({ isSaving, children, ...quiet }: QuietProps & { isSaving: boolean; children: ReactNode }) {
  return (
    <>
      <div className={styles["pair"]}>
        <QuietTime name="Quiet from" member="quiet_from" {...quiet} />
        <QuietTime name="Quiet until" member="quiet_until" {...quiet} />
      </div>
      <p className="small soft">
        {isSaving ? "Saving…" : `In your time zone, ${timeZone()}.`} {children}
      </p>
    </>
  )
}

type QuietTimeProps = QuietProps & { name: string; member: "quiet_from" | "quiet_until" }

function QuietTime({ name, member, choice, onChoose }: QuietTimeProps) {
  const other = member === "quiet_from" ? "quiet_until" : "quiet_from"
  const value = choice[member]
  const otherEnd = choice[other] ?? USUAL_HOURS[other]
  return (
    <Select
      label={name}
      value={value ?? undefined}
      none="None"
      // Quiet hours that end when they begin would be none.
      choices={TIMES.filter((time) => time !== otherEnd).map((time) => [time, time])}
      onChoose={(time) =>
        onChoose(time === undefined ? { [member]: null, [other]: null } : { [member]: time, [other]: otherEnd })
      }
    />
  )
}

const STATES: Readonly<Record<LastDelivery["state"], string>> = {
  delivered: "Last mail delivered",
  refused: "The mail server refused your address",
  stopped:
    "The mail server refused your address three times. No mail will be sent until you sign in again. Last refused",
  failed: "The last mail couldn't be sent. The desk will try again. Last tried",
}

function TestMail({ last }: { last: LastDelivery | null }) {
  const test = useDeskMutation(sendTestMail, { stale: mailSettingsOptions.queryKey })
  const shown = test.data ?? last
  return (
    <>
      <div className={styles["act"]}>
        <Button inactive={test.isPending} onClick={() => test.mutate()}>
          Send a test mail
        </Button>
        <output className="small soft">
          {test.isPending && "Sending…"}
          {!test.isPending && shown === null && "No mail has been sent to you yet."}
          {!test.isPending && shown !== null && (
            <>
              {STATES[shown.state]} <RelativeTime at={shown.at} />
            </>
          )}
        </output>
      </div>
      <ErrorAlert error={test.error} compact />
    </>
  )
}

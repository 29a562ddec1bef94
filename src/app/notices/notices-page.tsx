import { useId, useState } from "react"
import { changeMailSettings, type MailSettings, mailSettingsOptions, sendTestMail } from "../client/mail-settings.ts"
import { switchNotificationsOff, switchNotificationsOn, useNotificationState } from "../client/notification-choice.ts"
import { useSession } from "../client/session.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageBar, Skeleton } from "../ui/page-parts.tsx"
import styles from "./notices.module.css"
import { AwaySection } from "./away-section.tsx"
import { Push } from "./push.tsx"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import type { LastDelivery, NoticeChoice } from "../../contract/desk-people.ts"
import { timeZone } from "../client/clock.ts"
import { useDeskMutation } from "../client/desk-writes.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert, Read } from "../ui/error-alert.tsx"
import { Select } from "../ui/field.tsx"
import { RelativeTime } from "../ui/clocks.tsx"

/** When and how the person hears that something waits: by mail, and by notifications of this browser. */
export default function NoticesPage() {
  const session = useSession()
  return (
    <>
      <PageBar title="Notices" />
      <div className={styles["page"]}>
        <Mail />
        <OwnWork />
        <ThisBrowser />
        {session?.mode === "sign-in" && <AwaySection session={session} />}
      </div>
    </>
  )
}

function Mail() {
  const session = useSession()
  const id = useId()
  if (session === undefined) return null
  const { person, mode, sends_mail: sendsMail } = session
  return (
    <section aria-labelledby={id} className={styles["section"]}>
      <h2 id={id}>Mail</h2>
      {sendsMail === true ? (
        <>
          <p className="soft">
            {person.email === undefined ? (
              "Your sign-in names no verified address, so this desk cannot send you mail."
            ) : (
              <>
                To <OutsideText>{person.email}</OutsideText>, when something waits that you may answer or decide, and
                when your own Work changes.
              </>
            )}{" "}
            A mail says how much waits and for how long, never what.
          </p>
          <MailChoice />
        </>
      ) : (
        <p className="soft">
          {mode === "local"
            ? "This desk has no sign-in, so it knows no address and sends no mail."
            : "This desk sends no mail. Whoever runs it can set a mail server up."}
        </p>
      )}
    </section>
  )
}

const UNAVAILABLE = {
  blocked: "Your browser blocks notifications from Workdesk. Its settings for this site can allow them.",
  refused: "This browser lets no page show notifications. What waits is counted in the menu and in the tab's title.",
}

function ThisBrowser() {
  const id = useId()
  const session = useSession()
  const state = useNotificationState()
  const [isKept, setIsKept] = useState(true)
  const change = async (on: boolean) => {
    if (on) setIsKept(await switchNotificationsOn())
    else switchNotificationsOff()
  }
  const problem = state === "blocked" || state === "refused" ? UNAVAILABLE[state] : undefined
  return (
    <section aria-labelledby={`${id}-title`} className={styles["section"]}>
      <h2 id={`${id}-title`}>This browser</h2>
      <div className={styles["check"]}>
        <input
          id={id}
          type="checkbox"
          checked={state === "on"}
          disabled={state === "blocked"}
          aria-describedby={`${id}-about`}
          onChange={(event) => void change(event.target.checked)}
        />
        <label htmlFor={id}>Show a notice while a tab is open</label>
      </div>
      <p id={`${id}-about`} role={state === "refused" ? "alert" : undefined} className="small soft">
        {problem ?? "This choice is for this browser alone. You get no notice of items that wait already."}
      </p>
      {!isKept && <p role="alert">This browser cannot keep your choice: it holds until you reload the page.</p>}
      {session?.mode === "sign-in" && <Push />}
    </section>
  )
}

const MAIL: readonly (readonly [value: NoticeChoice["mail"], words: string])[] = [
  ["at-once", "At once"],
  ["hourly", "Hourly"],
  ["daily", "Daily"],
  ["off", "Off"],
]
const MAIL_HINTS: Readonly<Record<NoticeChoice["mail"], string>> = {
  "at-once": "A few minutes after something begins to wait, and not while you use the desk.",
  hourly: "At the full hour, when something new waits.",
  daily: "At 8:00, when something new waits.",
  off: "No mail at all.",
}

const OWN_WORK: readonly (readonly [value: NoticeChoice["own_work"], words: string])[] = [
  ["end", "Its end"],
  ["steps", "Every step"],
  ["off", "Off"],
]
const OWN_WORK_HINTS: Readonly<Record<NoticeChoice["own_work"], string>> = {
  end: "When Work that you created is done or paused, or an approval of it was declined. When Work that you answered or decided in is done.",
  steps: "The same, and when an approval of Work that you created was approved.",
  off: "Nothing about what became of your own Work.",
}

/** The choice of what the person hears about their own Work. A desk that sends no mail, or is of an older version, has no such choice. */
function OwnWork() {
  const id = useId()
  const session = useSession()
  const { data } = useQuery({ ...mailSettingsOptions, enabled: session?.sends_mail === true })
  const change = useMailChange()
  const shown = (change.isPending ? change.variables.own_work : undefined) ?? data?.own_work
  if (session?.sends_mail !== true || shown === undefined) return null
  return (
    <section aria-labelledby={id} className={styles["section"]}>
      <h2 id={id}>What became of it</h2>
      <Select
        label="Your own Work"
        hint={OWN_WORK_HINTS[shown]}
        value={shown}
        choices={OWN_WORK}
        onChoose={(own_work) => own_work !== undefined && change.mutate({ own_work })}
      />
      <ErrorAlert error={change.error} kept="Your choice is as it was." compact />
    </section>
  )
}

/** Changes a choice at the desk. */
function useMailChange() {
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

/** The choice of mail, each change of which is sent at once, a test mail, and what became of the last mail. */
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
      <div className={styles["pair"]}>
        <QuietTime name="Quiet from" member="quiet_from" choice={shown} onChoose={choose} />
        <QuietTime name="Quiet until" member="quiet_until" choice={shown} onChoose={choose} />
      </div>
      <p className="small soft">
        {change.isPending ? "Saving…" : `In your time zone, ${timeZone()}.`} Mail that is due within the quiet hours
        leaves at their end, urgent Work too. Only approvals that have waited too long by a rule of this desk are mailed
        in them as well.
      </p>
      <ErrorAlert error={change.error} kept="Your choice is as it was." compact />
      <TestMail last={data.last_delivery} />
    </>
  )
}

type QuietProps = {
  name: string
  member: "quiet_from" | "quiet_until"
  choice: Pick<NoticeChoice, "quiet_from" | "quiet_until">
  onChoose: (next: Partial<NoticeChoice>) => void
}

function QuietTime({ name, member, choice, onChoose }: QuietProps) {
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
  stopped: "The mail server refused your address three times. No mail is sent until you sign in again. Refused",
  failed: "The last mail could not be sent, and is tried again. Last tried",
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
          {!test.isPending && shown === null && "No mail was sent to you yet."}
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

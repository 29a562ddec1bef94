import { useId, useState } from "react"
import { mailSettingsOptions } from "../client/mail-settings.ts"
import { switchNotificationsOff, switchNotificationsOn, useNotificationState } from "../client/notification-choice.ts"
import { useSession } from "../client/session.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageBar } from "../ui/page-parts.tsx"
import styles from "./notices.module.css"
import { AbsenceSection } from "./absence-section.tsx"
import { MailChoice, useMailChange } from "./mail-choice.tsx"
import { Push } from "./push.tsx"
import { useQuery } from "@tanstack/react-query"
import type { NoticeChoice } from "../../contract/desk-people.ts"
import { pushOptions } from "../client/own-push-devices.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Select } from "../ui/field.tsx"

/** When and how the person is notified of pending items: by mail, and by notifications of this browser. */
export default function NoticesPage() {
  const session = useSession()
  return (
    <>
      <PageBar title="Notices" />
      <div className={styles["page"]}>
        <Mail />
        <OwnWork />
        <ThisBrowser />
        {session?.mode === "sign-in" && <AbsenceSection session={session} />}
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
              "Your sign-in has no verified address, so the desk can't mail you."
            ) : (
              <>
                Sent to <OutsideText>{person.email}</OutsideText> when you can answer or decide something, and when your
                own Work changes.
              </>
            )}{" "}
            Mail contains counts and times, never content.
          </p>
          <MailChoice />
        </>
      ) : (
        <p className="soft">
          {mode === "local"
            ? "This desk has no sign-in, so it can't send mail."
            : "This desk sends no mail. Its operator can set up a mail server."}
        </p>
      )}
    </section>
  )
}

const UNAVAILABLE = {
  blocked: "Your browser is blocking notifications from Workdesk. Allow them in its settings for this site.",
  refused: "This browser can't show notifications. See the counts in the menu and in the tab's title.",
}

function ThisBrowser() {
  const id = useId()
  const session = useSession()
  const state = useNotificationState()
  const [outcome, setOutcome] = useState<Awaited<ReturnType<typeof switchNotificationsOn>>>()
  const change = async (on: boolean) => {
    if (on) return setOutcome(await switchNotificationsOn())
    switchNotificationsOff()
    setOutcome(undefined)
  }
  const isJustRefused = outcome === "refused" && state !== "on"
  // After a refusal the checkbox keeps the focus, and can be checked again.
  const isBlocked = state === "blocked" && !isJustRefused
  const problem = isBlocked || state === "refused" ? UNAVAILABLE[state] : undefined
  return (
    <section aria-labelledby={`${id}-title`} className={styles["section"]}>
      <h2 id={`${id}-title`}>This browser</h2>
      <div className={styles["check"]}>
        <input
          id={id}
          type="checkbox"
          checked={state === "on"}
          disabled={isBlocked}
          aria-describedby={`${id}-about`}
          onChange={(event) => void change(event.target.checked)}
        />
        <label htmlFor={id}>Show a notice while a tab is open</label>
      </div>
      <p id={`${id}-about`} role={state === "refused" ? "alert" : undefined} className="small soft">
        {problem ?? "Only for this browser, and only for new items."}
      </p>
      {isJustRefused && (
        <p role="alert">
          The browser is blocking notifications here. Allow them in its settings for this site, then check the box
          again.
        </p>
      )}
      {outcome === "unkept" && (
        <p role="alert">This browser can't save your choice. It lasts until you reload the page.</p>
      )}
      {session?.mode === "sign-in" && <Push />}
    </section>
  )
}

const OWN_WORK: readonly (readonly [value: NoticeChoice["own_work"], words: string])[] = [
  ["end", "Its end"],
  ["steps", "Every step"],
  ["off", "Off"],
]
const OWN_WORK_HINTS: Readonly<Record<NoticeChoice["own_work"], string>> = {
  end: "Your Work: done, paused, approval declined. Work you took part in: done.",
  steps: "Your Work: done, paused, each decision. Work you took part in: done.",
  off: "Nothing about your own Work.",
}

/** The choice of notices about the person's own Work. A desk without mail and push, or of an older version, has no such choice. */
function OwnWork() {
  const id = useId()
  const session = useSession()
  const push = useQuery({ ...pushOptions, enabled: session?.mode === "sign-in" })
  const canBeNotified = session?.sends_mail === true || push.data !== undefined
  const { data } = useQuery({ ...mailSettingsOptions, enabled: canBeNotified })
  const change = useMailChange()
  const shown = (change.isPending ? change.variables.own_work : undefined) ?? data?.own_work
  if (!canBeNotified || shown === undefined) return null
  return (
    <section aria-labelledby={id} className={styles["section"]}>
      <h2 id={id}>Results of your own Work</h2>
      <Select
        label="Your own Work"
        hint={OWN_WORK_HINTS[shown]}
        value={shown}
        choices={OWN_WORK}
        onChoose={(own_work) => own_work !== undefined && change.mutate({ own_work })}
      />
      <ErrorAlert error={change.error} kept="Your choice hasn't changed." compact />
    </section>
  )
}

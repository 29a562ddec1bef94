import { useId, useState } from "react"
import { switchNotificationsOff, switchNotificationsOn, useNotificationState } from "../client/notification-choice.ts"
import { useSession } from "../client/session.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageBar } from "../ui/page-parts.tsx"
import { MailChoice } from "./mail-choice.tsx"
import styles from "./notices.module.css"

/** When and how the person hears that something waits: by mail, and by notifications of this browser. */
export default function NoticesPage() {
  return (
    <>
      <PageBar title="Notices" />
      <div className={styles["page"]}>
        <Mail />
        <ThisBrowser />
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
                To <OutsideText>{person.email}</OutsideText>, when something waits that you may answer or decide.
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
    </section>
  )
}

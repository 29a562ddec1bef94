import { useEffect, useState } from "react"
import { useNavigate } from "react-router"
import { defineKind, schemaOf, useEntry } from "../client/storage.ts"
import { Icon } from "../ui/icon.tsx"
import styles from "./shell.module.css"
import type { WaitingCounts } from "./waiting-counts.ts"

const switchedOn = defineKind<readonly [], true>({
  name: "notices",
  version: 1,
  schema: schemaOf((value) => value === true),
  forgetAfterMs: 10 * 365 * 24 * 60 * 60_000,
  maxCharacters: 500,
  mayGo: false,
})

const supported = "Notification" in globalThis

/**
 * Switches the notifications of the operating system on and off for this browser. The permission is requested at a click, never at load.
 * The code that shows notifications is loaded only where they are on.
 */
export function NotificationSwitch({ waiting }: { waiting: WaitingCounts }) {
  const [permission, setPermission] = useState(supported ? Notification.permission : "denied")
  const [problem, setProblem] = useState("")
  const on = useEntry(switchedOn()) === true && permission === "granted"
  const navigate = useNavigate()
  useEffect(() => {
    if (!on) return
    let left = false
    const refuse = (why: string) => {
      switchedOn().remove()
      setProblem(why)
    }
    import("./notifications.ts").then(
      ({ updateNotifications }) => left || updateNotifications(waiting, (to) => void navigate(to), refuse),
      // Without this code there are no notifications. The counts are still shown.
      () => undefined,
    )
    return () => {
      left = true
    }
  }, [on, waiting, navigate])
  if (!supported) return null
  const switchOff = () => {
    switchedOn().remove()
    import("./notifications.ts").then(
      ({ closeNotifications }) => closeNotifications(),
      // Code that was never loaded has shown no notification.
      () => undefined,
    )
  }
  const switchOn = async () => {
    const answer = await Notification.requestPermission()
    setPermission(answer)
    if (answer !== "granted") return
    setProblem(
      switchedOn().write(true) ? "" : "This browser cannot keep your choice: it holds until you reload the page.",
    )
  }
  const title =
    permission === "denied"
      ? "Your browser blocks notifications from Workdesk"
      : on
        ? "Notifications are on"
        : "Notify me of what needs me"
  return (
    <>
      <button
        type="button"
        className={styles["tool"]}
        aria-label="Notifications"
        aria-pressed={on}
        title={title}
        disabled={permission === "denied"}
        onClick={() => (on ? switchOff() : void switchOn())}
      >
        <Icon name="bell" />
      </button>
      {problem !== "" && (
        <p role="alert" className={styles["problem"]}>
          {problem}
        </p>
      )}
    </>
  )
}

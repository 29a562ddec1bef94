import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useId, useState } from "react"
import type { PushDevice } from "../../contract/desk-people.ts"
import { useDeskMutation } from "../client/desk-writes.ts"
import { mailSettingsOptions } from "../client/mail-settings.ts"
import {
  pushAbility,
  pushOptions,
  pushToThisDevice,
  removeDevice,
  testDevice,
  useThisDevice,
} from "../client/own-push-devices.ts"
import { useSession } from "../client/session.ts"
import { useNow } from "../ui/clocks.tsx"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { formatLongDay, momentOf } from "../ui/time-words.ts"
import { QuietHours, useMailChange } from "./mail-choice.tsx"
import styles from "./notices.module.css"

/** Push to this device, and the person's other devices. Nothing where the desk has no push, or the browser cannot take it. */
export function Push() {
  const ability = pushAbility()
  const { data } = useQuery({ ...pushOptions, enabled: ability !== "cannot" })
  // The sentence about it takes the focus, because the button that had the focus goes with the device.
  const [removed, setRemoved] = useState<{ device: PushDevice; why: string }>()
  if (data === undefined || ability === "cannot") return null
  return (
    <>
      {ability === "can" ? <ThisDevice pushKey={data.key} devices={data.devices} /> : <HomeScreen />}
      {data.devices.length > 0 && <PushChoice />}
      {removed !== undefined && (
        <output key={removed.device.id} ref={takeFocus} tabIndex={-1} className={styles["removed"]}>
          <OutsideText>{removed.device.label}</OutsideText> {removed.why}.
        </output>
      )}
      {data.devices.length > 0 && (
        <ul className={styles["devices"]} aria-label="Your devices">
          {data.devices.map((device) => (
            <Device key={device.id} device={device} onRemoved={(why) => setRemoved({ device, why })} />
          ))}
        </ul>
      )}
    </>
  )
}

const takeFocus = (element: HTMLElement | null) => element?.focus()

function HomeScreen() {
  return (
    <p className="small soft">
      For push on an iPhone or iPad, add Workdesk to the home screen first and open it from there.
    </p>
  )
}

function ThisDevice({ pushKey, devices }: { pushKey: string; devices: readonly PushDevice[] }) {
  const client = useQueryClient()
  const own = useThisDevice()
  const add = useDeskMutation(pushToThisDevice, {
    stale: pushOptions.queryKey,
    onDone: () => void client.invalidateQueries({ queryKey: mailSettingsOptions.queryKey }),
  })
  const isOn = devices.some(({ id }) => id === own)
  const isSwitchedOff = useQuery(mailSettingsOptions).data?.push === false
  return (
    <>
      <div className={styles["act"]}>
        <Button inactive={add.isPending || isOn} onClick={() => add.mutate(pushKey)}>
          Push to this device
        </Button>
        <output className="small soft">
          {add.isPending && "Waiting for the browser…"}
          {!add.isPending && isOn && !isSwitchedOff && "This device gets pushes, even when no tab is open."}
        </output>
      </div>
      {!isOn && (
        <p className="small soft">A push arrives even when no tab is open. It contains counts, never content.</p>
      )}
      {add.data === false && !isOn && (
        <p role="alert">
          The browser is blocking notifications here. Allow them in its settings for this site, then press the button
          again.
        </p>
      )}
      <ErrorAlert error={add.error} kept="Nothing has changed." compact />
    </>
  )
}

/** Switches push to all devices of the person off and on. The quiet hours are shown here where the desk sends no mail. */
function PushChoice() {
  const id = useId()
  const session = useSession()
  const { data } = useQuery(mailSettingsOptions)
  const change = useMailChange()
  if (data?.push === undefined) return null
  const shown = change.isPending ? { ...data, ...change.variables } : data
  return (
    <>
      <div className={styles["check"]}>
        <input
          id={id}
          type="checkbox"
          checked={shown.push}
          aria-describedby={`${id}-about`}
          onChange={({ target }) => change.mutate({ push: target.checked })}
        />
        <label htmlFor={id}>Push</label>
      </div>
      <p id={`${id}-about`} className="small soft">
        Sent to all devices below within a few minutes, except during quiet hours.
      </p>
      {session?.sends_mail !== true && (
        <QuietHours choice={shown} onChoose={(next) => change.mutate(next)} isSaving={change.isPending}>
          Pushes held during quiet hours, even about urgent Work, are sent afterwards.
        </QuietHours>
      )}
      <ErrorAlert error={change.error} kept="Your choice hasn't changed." compact />
    </>
  )
}

const TESTED: Readonly<Record<string, string>> = {
  delivered: "Sent",
  failed: "The push service rejected this push. Try again later.",
}

type DeviceProps = { device: PushDevice; onRemoved: (why: string) => void }

function Device({ device: { id, label, since }, onRemoved }: DeviceProps) {
  const nameId = useId()
  const now = useNow(60_000)
  const remove = useDeskMutation(removeDevice, {
    stale: pushOptions.queryKey,
    onDone: () => onRemoved("was removed"),
  })
  const test = useDeskMutation(testDevice, {
    stale: pushOptions.queryKey,
    onDone: (state) => state === "refused" && onRemoved("no longer accepts push, so it was removed"),
  })
  const moment = momentOf(since)
  return (
    <li className={styles["device"]}>
      <span id={nameId}>
        <OutsideText>{label}</OutsideText>
        {moment !== undefined && `, since ${formatLongDay(moment, now)}`}
      </span>
      <Button inactive={test.isPending} aria-describedby={nameId} onClick={() => test.mutate(id)}>
        Send a test
      </Button>
      <Button inactive={remove.isPending} aria-describedby={nameId} onClick={() => remove.mutate(id)}>
        Remove
      </Button>
      <output className="small soft">{test.data !== undefined && (TESTED[test.data] ?? "Sent")}</output>
      <ErrorAlert error={remove.error ?? test.error} compact />
    </li>
  )
}

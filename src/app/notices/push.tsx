import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useId } from "react"
import type { PushDevice } from "../../contract/desk-people.ts"
import { useDeskMutation } from "../client/desk-writes.ts"
import { changeMailSettings, mailSettingsOptions } from "../client/mail-settings.ts"
import {
  pushAbility,
  pushOptions,
  pushToThisDevice,
  removeDevice,
  testDevice,
  useThisDevice,
} from "../client/push-devices.ts"
import { useNow } from "../ui/clocks.tsx"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { formatLongDay, momentOf } from "../ui/time-words.ts"
import styles from "./notices.module.css"

/** Push to this device, and the person's other devices. Nothing where the desk has no push, or the browser cannot take it. */
export function Push() {
  const ability = pushAbility()
  const { data } = useQuery({ ...pushOptions, enabled: ability !== "cannot" })
  if (data === undefined || ability === "cannot") return null
  return (
    <>
      {ability === "can" ? <ThisDevice pushKey={data.key} devices={data.devices} /> : <HomeScreen />}
      {data.devices.length > 0 && <PushChoice />}
      {data.devices.length > 0 && (
        <ul className={styles["devices"]} aria-label="Your devices">
          {data.devices.map((device) => (
            <Device key={device.id} device={device} />
          ))}
        </ul>
      )}
    </>
  )
}

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
  const isRefused = add.data === false || Notification.permission === "denied"
  return (
    <>
      <div className={styles["act"]}>
        <Button inactive={add.isPending || isOn} onClick={() => add.mutate(pushKey)}>
          Push to this device
        </Button>
        <output className="small soft">
          {add.isPending && "Waiting for the browser…"}
          {!add.isPending && isOn && "This device hears what waits, without an open tab."}
        </output>
      </div>
      {isRefused && !isOn && (
        <p role="alert">
          The browser gave no leave for notifications. Its settings for this site can give it; then press the button
          again.
        </p>
      )}
      <ErrorAlert error={add.error} kept="Nothing has changed." compact />
    </>
  )
}

/** Silences all devices of the person, or lets them hear again. */
function PushChoice() {
  const id = useId()
  const client = useQueryClient()
  const { data } = useQuery(mailSettingsOptions)
  const change = useDeskMutation(changeMailSettings, {
    onDone: (settings) => client.setQueryData(mailSettingsOptions.queryKey, settings),
  })
  const isOn = change.isPending ? change.variables.push : data?.push
  if (isOn === undefined) return null
  return (
    <>
      <div className={styles["check"]}>
        <input
          id={id}
          type="checkbox"
          checked={isOn}
          aria-describedby={`${id}-about`}
          onChange={({ target }) => change.mutate({ push: target.checked })}
        />
        <label htmlFor={id}>Push</label>
      </div>
      <p id={`${id}-about`} className="small soft">
        To all devices below, within a few minutes, and not in your quiet hours. A push says how much waits, never what.
      </p>
      <ErrorAlert error={change.error} kept="Your choice is as it was." compact />
    </>
  )
}

const TESTED: Readonly<Record<string, string>> = {
  delivered: "Sent",
  refused: "The browser has ended push to this device, so it is removed",
  failed: "The push service did not take it",
}

function Device({ device: { id, label, since } }: { device: PushDevice }) {
  const nameId = useId()
  const now = useNow(60_000)
  const remove = useDeskMutation(removeDevice, { stale: pushOptions.queryKey })
  const test = useDeskMutation(testDevice, { stale: pushOptions.queryKey })
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

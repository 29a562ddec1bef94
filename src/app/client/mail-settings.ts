import { boolean, exactOptional, type GenericSchema, nullable, object, picklist, string } from "valibot"
import type { NoticeChoice, NoticeSettings, NoticeTest } from "../../contract/desk-people.ts"
import { timeZone } from "./clock.ts"
import { answerOf, askDesk, deskQuery } from "./desk-request.ts"
import { changeAtDesk } from "./desk-writes.ts"
import { defineKind } from "./storage.ts"

const ADDRESS = "/desk/notices"

const delivery = object({ at: string(), state: picklist(["delivered", "refused", "stopped", "failed"]) })
/** An older desk has no `own_work`. */
export type MailSettings = Omit<NoticeSettings, "own_work"> & Partial<Pick<NoticeSettings, "own_work">>

const settings: GenericSchema<MailSettings> = object({
  mail: picklist(["at-once", "hourly", "daily", "off"]),
  urgent_at_once: boolean(),
  quiet_from: nullable(string()),
  quiet_until: nullable(string()),
  time_zone: string(),
  own_work: exactOptional(picklist(["end", "steps", "off"])),
  push: exactOptional(boolean()),
  last_delivery: nullable(delivery),
})

/** When the person gets mail about pending items, and the result of the last mail. */
export const mailSettingsOptions = deskQuery(["notices"], ADDRESS, settings)

/** Changes the person's choice, and sends the desk the time zone of this browser. @throws DeskError */
export function changeMailSettings(change: Partial<NoticeChoice>): Promise<MailSettings> {
  return changeAtDesk(ADDRESS, settings, (now) => ({ ...now, time_zone: timeZone(), ...change }))
}

/** The time zone that this browser last sent to the desk. */
const sentZone = defineKind<readonly [], string>({
  name: "told-zone",
  schema: string(),
  keptDays: 90,
})

/** Sends the desk the time zone of a browser that is new or has moved. Hourly and daily mail are sent by this zone. */
export function sendTimeZone(): void {
  const zone = timeZone()
  if (sentZone().read() === zone) return
  changeMailSettings({}).then(
    () => sentZone().write(zone),
    // The next page load tries again.
    () => undefined,
  )
}

/** Makes the desk send a test mail to the person. @returns the result @throws DeskError */
export async function sendTestMail(): Promise<NoticeTest> {
  return answerOf(await askDesk(`${ADDRESS}/test`, { method: "POST" }, TEST_TIMEOUT_MS), delivery)
}

/** The desk allows a mail server 30 s to connect and 60 s for an answer (`smtp.ts`). */
const TEST_TIMEOUT_MS = 100_000

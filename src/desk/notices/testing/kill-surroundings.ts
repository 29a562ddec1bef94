/** What stands around the desks that are killed: people and assignments in their store, their environment, and the time that passes. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { openDatabase, type StoreConfiguration } from "../../store/open-store.ts"
import { DAY_MS, HOUR_MS } from "../leave-times.ts"
import { readTokenKey } from "../unsubscribe.ts"
import type { Devices } from "./kill-receivers.ts"
import type { MailServerForTest } from "./mail-server.ts"
import { storeDevice } from "./push-service.ts"

const KEY = `whsec_${Buffer.alloc(32, 5).toString("base64")}`
const { NODE_COMPILE_CACHE } = process.env

/** The person with quiet hours hears nothing before the test takes them away. */
export const QUIET = 4
export const CHOICES = [
  { mail: "at-once", urgent: 1 },
  { mail: "hourly", urgent: 0 },
  { mail: "daily", urgent: 0 },
  { mail: "daily", urgent: 1 },
  { mail: "at-once", urgent: 1, isQuiet: true },
] as const

export const MAILBOX = "duty@example.com"

/** The first items are handed to a person with a daily mail, so nobody else is told of them. The reminders of the next items are due. */
export const HANDED = 3
export const HANDED_TO = 2

/** Works without items, whose creator hears what becomes of them: half are done, half are paused. */
export const CREATOR = "creator"
export const OWN_WORKS = 6

/** Who has devices: people with other choices of mail, because push does not ask for it. */
export const WITH_DEVICES = ["p0", "p1", CREATOR]

/** While no desk runs: the leases of dead desks run out, and a full hour and 8:00 pass. */
export async function letTimePass(store: StoreConfiguration): Promise<void> {
  const database = await openDatabase(store)
  await database.write("UPDATE lease SET expires_at = 0")
  await database.write("UPDATE notice_delivery SET leased_until = 0 WHERE leased_until IS NOT NULL")
  await database.write("UPDATE notice_desk SET looked_at = ?", Date.now() - DAY_MS + 60_000)
  await database.close()
}

type Outside = {
  readonly upstream: string
  readonly receiver: string
  readonly chat: string
  readonly push: Devices
  readonly mail: MailServerForTest
  readonly people: number
  readonly databaseUrl: string | undefined
}

/** Stores the people, and returns the environment of the desks. */
export async function prepare(folder: string, { upstream, receiver, chat, push, mail, people, databaseUrl }: Outside) {
  const accessFile = join(folder, "access.json")
  const roles = { reader: ["anyone"], approver: ["group:finance"] }
  const rules = [
    { escalate: { after: "1m", to: [`mailbox:${MAILBOX}`] } },
    { destination: "*@bank.example", decideWithin: "2h", remindBefore: "90m" },
  ]
  writeFileSync(accessFile, JSON.stringify({ roles, rules }))
  const clock = (moment: number) =>
    new Date(moment).toISOString().slice("2026-11-23T".length, "2026-11-23T08:00".length)
  const database = await openDatabase({ dataFolder: folder, databaseUrl })
  // The row in which a desk stores when it looked, so that the time can pass before the first look.
  await readTokenKey(database)
  const addresses = [...Array.from({ length: people }, (_, index) => `p${index}`), "off", "reader", CREATOR]
  for (const [index, name] of addresses.entries()) {
    await database.write(
      "INSERT INTO person (id, issuer, subject, name, email, member_groups, signed_in_at) VALUES (?, 'http://127.0.0.1:1', ?, ?, ?, ?, ?)",
      name,
      name,
      name,
      `${name}@example.com`,
      JSON.stringify(name === "reader" || name === CREATOR ? [] : ["finance"]),
      Date.now() - 3_600_000,
    )
    const { mail: choice, urgent, ...more } = CHOICES[name === CREATOR ? 0 : index % CHOICES.length] ?? CHOICES[0]
    const isQuiet = index < people && "isQuiet" in more
    await database.write(
      `INSERT INTO notice_choice (person_id, revision, mail, urgent_at_once, quiet_from, quiet_until, time_zone) VALUES (?, 1, ?, ?, ?, ?, 'UTC')`,
      name,
      name === "off" ? "off" : choice,
      urgent,
      isQuiet ? clock(Date.now() - HOUR_MS) : null,
      isQuiet ? clock(Date.now() + 4 * HOUR_MS) : null,
    )
  }
  for (const { id, personId, browser } of push.devices) {
    await database.write("UPDATE notice_choice SET push = 1, push_from = 1 WHERE person_id = ?", personId)
    await storeDevice(database, id, personId, browser)
  }
  for (let index = 0; index < OWN_WORKS; index++) {
    const deed = [`own${index}`, CREATOR]
    await database.write("INSERT INTO work_person (work_id, person_id, deed) VALUES (?, ?, 'creator')", ...deed)
  }
  for (let index = 0; index < HANDED; index++) {
    await database.write(
      "INSERT INTO assignment (work_id, item_id, person_id, team, by_id, at, note, etag) VALUES (?, ?, ?, NULL, 'p0', ?, NULL, '1')",
      `w${index}`,
      `a${index}`,
      `p${HANDED_TO}`,
      Date.now(),
    )
  }
  await database.close()
  return {
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
    PORT: "0",
    DATA_DIR: folder,
    WORK_API_URL: upstream,
    WORK_API_TOKEN: "token",
    OIDC_ISSUER: "http://127.0.0.1:1",
    OIDC_CLIENT_ID: "desk",
    PUBLIC_URL: "http://localhost:4400",
    ACCESS_FILE: accessFile,
    SMTP_URL: mail.url,
    NOTICE_FROM: "desk@example.com",
    NOTICE_BATCH: "0s",
    NOTICE_WEBHOOK_URL: receiver,
    NOTICE_WEBHOOK_SECRET: KEY,
    NOTICE_CHAT_URL: `format=mattermost#${chat}`,
    NOTICE_CONTACT: "mailto:desk@example.com",
    PUSH_HOSTS: "*.push.example",
    PUSH_SERVICE_FOR_TEST: push.url,
    ...(databaseUrl === undefined ? {} : { DESK_DATABASE_URL: databaseUrl }),
  } satisfies NodeJS.ProcessEnv
}

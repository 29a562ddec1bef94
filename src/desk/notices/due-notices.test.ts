import { expect, test } from "vitest"
import type { NoticeChoice } from "../../contract/desk-people.ts"
import type { AblePeople } from "./able-people.ts"
import { type DueNotices, findDueNotices } from "./due-notices.ts"
import { isNotified, noteNotified } from "./known-items.ts"
import type { Person } from "./people-now.ts"
import { type ItemForTest, itemForTest, personForTest } from "./testing/items.ts"
import type { WaitingItem } from "./waiting-items.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const at = (text: string) => Date.parse(`2026-03-${text}:00Z`)

type Item = { item: WaitingItem; readonly from: number; readonly until: number }

/** A desk that looks each minute, over a clock of its own. */
class Days {
  readonly people = new Map<string, Person>()
  readonly items: Item[] = []
  /** Who has set what aside, and until when. */
  readonly asides: { readonly person: string; readonly item: string; readonly until: number }[] = []
  readonly mails: { readonly at: string; readonly mail: DueNotices }[] = []
  #now: number

  constructor(from: string) {
    this.#now = at(from)
  }

  /** Push: what is from before the moment `from` is not told. */
  from: number | undefined
  person(id: string, choice: Partial<NoticeChoice>, groups = ["finance"]): void {
    this.people.set(id, personForTest(id, { ...this.people.get(id)?.choice, ...choice }, groups))
  }

  item(id: string, from: string, more: Partial<WaitingItem> & ItemForTest & { until?: number } = {}): void {
    const { until = Number.POSITIVE_INFINITY, ...rest } = more
    const seenAt = at(from)
    this.items.push({ item: itemForTest(id, { seenAt, ...rest }, rest), from: seenAt, until })
  }

  #able(): AblePeople {
    const able = [...this.people.values()].filter(({ viewer }) => viewer.isApprover).map(({ id }) => id)
    return { all: this.people, of: () => able }
  }

  /** Lets the time go on to a moment. */
  async to(until: string): Promise<void> {
    for (const end = at(until); this.#now < end; this.#now += MINUTE) {
      const now = this.#now + MINUTE
      const items = this.items
        .filter((one) => one.from <= now && now < one.until)
        .map(({ item }) => {
          const aside = this.asides.filter((one) => one.item === item.known.itemId && now < one.until)
          return { ...item, notFor: aside.map(({ person }) => person) }
        })
      const people = this.#able()
      const { from } = this
      const reach = from === undefined ? {} : { reach: (person: Person) => ({ person, reachedSince: from }) }
      const question = { channel: "mail", now, lastLookAt: this.#now, batchMs: 2 * MINUTE, items, people, ...reach }
      const mails = await findDueNotices(question)
      expect(await findDueNotices(question), "the same question has the same answer").toEqual(mails)
      for (const mail of mails) {
        this.mails.push({ at: new Date(now).toISOString().slice(8, 16), mail })
        for (const { item, steps } of mail.items) {
          for (const step of steps) {
            expect(isNotified(item.known, "mail", step, mail.recipient), "told once").toBe(false)
            noteNotified(item.known, "mail", step, mail.recipient)
          }
        }
      }
    }
  }

  /** The mails to a recipient: when, and which items. */
  mailsTo(recipient: string): string[] {
    return this.mails
      .filter(({ mail }) => mail.recipient === recipient)
      .map(({ at: when, mail }) => `${when} ${mail.items.map(({ item }) => item.known.itemId).join(" ")}`)
  }
}

test("three days over the change to summer time: each person in the right mail, by choice, zone and quiet hours", async () => {
  const days = new Days("27T20:00")
  days.person("hourly", { time_zone: "Europe/Berlin" })
  days.person("daily", { mail: "daily", time_zone: "Europe/Berlin" })
  days.person("new york", { mail: "daily", time_zone: "America/New_York" })
  days.person("at once", { mail: "at-once" })
  days.person("quiet", { mail: "at-once", quiet_from: "22:00", quiet_until: "07:30", time_zone: "Europe/Berlin" })
  days.person("off", { mail: "off" })
  days.person("reader", { mail: "at-once" }, ["staff"])
  days.item("evening", "27T21:10")
  days.item("soon after", "27T21:11")
  days.item("night", "28T23:30")
  days.item("urgent", "29T00:15", { priority: "urgent" })
  days.item("noon", "29T10:05")
  await days.to("30T12:00")
  expect(days.mailsTo("hourly")).toEqual([
    "27T22:00 evening soon after",
    "29T00:00 night",
    "29T00:17 urgent",
    "29T11:00 noon",
  ])
  // 8:00 in Berlin is 7:00 in UTC until the night to the 29th, then 6:00. New York changed three weeks earlier.
  expect(days.mailsTo("daily")).toEqual([
    "28T07:00 evening soon after",
    "29T00:17 urgent",
    "29T06:00 night",
    "30T06:00 noon",
  ])
  expect(days.mailsTo("new york")).toEqual(["28T12:00 evening soon after", "29T00:17 urgent", "29T12:00 night noon"])
  expect(days.mailsTo("at once")).toEqual([
    "27T21:12 evening soon after",
    "28T23:32 night",
    "29T00:17 urgent",
    "29T10:07 noon",
  ])
  expect(days.mailsTo("quiet")).toEqual(["28T06:30 evening soon after", "29T05:30 night urgent", "29T10:07 noon"])
  expect([...days.mailsTo("off"), ...days.mailsTo("reader")]).toEqual([])
})

test("who decides, loses the role or sets aside meanwhile is told no more, and hears of a new version", async () => {
  const days = new Days("25T08:30")
  days.person("ada", {})
  days.person("ben", {})
  days.item("decided", "25T08:40", { until: at("25T08:55") })
  days.item("aside", "25T08:40")
  days.item("waits", "25T08:40")
  days.asides.push({ person: "ada", item: "aside", until: at("25T10:30") })
  await days.to("25T09:30")
  expect(days.mailsTo("ada")).toEqual(["25T09:00 waits"])
  expect(days.mailsTo("ben")).toEqual(["25T09:00 aside waits"])
  days.person("ben", {}, ["staff"])
  const waits = days.items.find(({ item }) => item.known.itemId === "waits")
  if (waits !== undefined) waits.item = itemForTest("waits", { version: "2", seenAt: at("25T09:30") })
  await days.to("25T12:00")
  expect(days.mailsTo("ada")).toEqual(["25T09:00 waits", "25T10:00 waits", "25T11:00 aside"])
  expect(days.mailsTo("ben")).toEqual(["25T09:00 aside waits"])
})

test("nobody is mailed at once while they use the desk; a hand-over does not wait for that, and tells only its person", async () => {
  const days = new Days("25T08:00")
  days.person("ada", { mail: "at-once" })
  days.person("ben", { mail: "at-once" })
  const use = (id: string, from: string) => {
    const person = days.people.get(id)
    if (person !== undefined) days.people.set(id, { ...person, usedAt: at(from) })
  }
  days.item("a", "25T08:01")
  await days.to("25T08:04")
  use("ada", "25T08:04")
  days.item("b", "25T08:04")
  await days.to("25T08:05")
  use("ada", "25T08:06")
  await days.to("25T08:10")
  expect(days.mailsTo("ada")).toEqual(["25T08:03 a", "25T08:08 b"])
  expect(days.mailsTo("ben")).toEqual(["25T08:03 a", "25T08:06 b"])
  use("ada", "25T08:10")
  days.item("c", "25T08:10", { givenTo: { personId: "ada", byAnother: true, at: 0 } })
  days.item("d", "25T08:10", { givenTo: { personId: "ben", byAnother: false, at: 0 } })
  await days.to("25T08:20")
  expect(days.mailsTo("ada").slice(2)).toEqual(["25T08:11 c"])
  expect(days.mailsTo("ben").slice(2)).toEqual(["25T08:12 d"])
})

test("an item of a team is told to its members, and a reminder goes out once at its time", async () => {
  const days = new Days("25T08:00")
  days.person("ada", { mail: "daily" }, ["finance", "payroll"])
  days.person("ben", { mail: "daily" })
  days.item("team", "25T08:10", { givenToTeam: "Finance", remindAt: at("25T09:00") })
  days.item("all", "25T08:10", { remindAt: at("25T10:00") })
  await days.to("26T12:00")
  expect(days.mailsTo("ada")).toEqual(["25T09:00 team", "25T10:00 all"])
  expect(days.mailsTo("ben")).toEqual(["25T10:00 all"])
})

test("an escalation tells members and mailboxes at its time, in quiet hours too, but nobody who switched mail off", async () => {
  const days = new Days("25T08:00")
  days.person("cfo", { mail: "daily", quiet_from: "00:00", quiet_until: "23:59" })
  days.person("off", { mail: "off" })
  days.person("other", { mail: "daily" })
  const isMember = ({ id }: Person) => id !== "other"
  const first = { rule: "one", afterMs: 4 * HOUR, at: at("25T12:10"), mailboxes: ["duty@example.com"], isMember }
  const second = { rule: "two", afterMs: 4 * HOUR, at: at("25T12:10"), mailboxes: [], isMember }
  days.item("a", "25T08:10", { escalations: [first, second] })
  days.item("b", "25T08:20", {
    escalations: [{ ...first, rule: "three", afterMs: 5 * HOUR, at: at("25T13:10") }],
  })
  await days.to("25T15:00")
  expect(days.mailsTo("cfo")).toEqual(["25T12:10 a", "25T13:10 b"])
  expect(days.mailsTo("mailbox:duty@example.com")).toEqual(["25T12:10 a", "25T13:10 b"])
  expect([...days.mailsTo("off"), ...days.mailsTo("other")]).toEqual([])
  expect(days.mails[0]?.mail).toMatchObject({ escalatedAfterMs: 4 * HOUR })
  expect(days.mails[0]?.mail.items[0]?.steps).toEqual(["escalated one", "escalated two"])
})

test("after Off, the next mail by choice tells all that waits, and an urgent mail before it is not that mail", async () => {
  const days = new Days("25T08:00")
  days.person("ada", {})
  days.item("old", "25T08:10")
  await days.to("25T09:10")
  days.person("ada", { mail: "off" })
  days.item("missed", "25T09:20")
  await days.to("25T10:10")
  days.person("ada", { mail: "daily" })
  // As the desk does when somebody chooses a mail again.
  for (const { item } of days.items) item.known.notified.clear()
  days.item("urgent", "25T10:20", { priority: "urgent" })
  await days.to("26T12:00")
  expect(days.mailsTo("ada")).toEqual(["25T09:00 old", "25T10:22 urgent", "26T08:00 old missed"])
})

test("what is given to somebody who is away goes to the stand-in, and who is back hears what still waits", async () => {
  const days = new Days("10T08:00")
  for (const id of ["ada", "ben", "emil"]) days.person(id, { mail: "at-once" })
  const { ada, ben } = {
    ada: personForTest("ada", { mail: "hourly" }),
    ben: personForTest("ben", { mail: "at-once" }),
  }
  const absent = { ...ada, away: { standIn: ben } }
  days.people.set("ada", absent)
  days.people.set("ben", { ...ben, standsInFor: [absent] })
  days.item("a1", "10T08:00", { givenTo: { personId: "ada", byAnother: true, at: at("10T08:00") } })
  await days.to("10T09:00")
  expect(days.mails.map(({ mail }) => [mail.recipient, mail.items.map(({ steps }) => steps)])).toEqual([
    ["ben", [["told", "handed"]]],
  ])
  days.people.set("ada", { ...ada, backAt: at("10T09:10") })
  days.people.set("ben", ben)
  await days.to("10T11:00")
  expect(days.mailsTo("ada")).toEqual(["10T10:00 a1"])
  expect(days.mails.map(({ mail }) => mail.recipient)).toEqual(["ben", "ada"])
})

test("who is back hears of all that still waits in one mail, also of urgent Work, and at once only of what is urgent since", async () => {
  const days = new Days("10T07:00")
  const ada = personForTest("ada", { mail: "daily" })
  days.people.set("ada", { ...ada, away: { standIn: undefined } })
  days.item("urgent", "10T08:10", { priority: "urgent" })
  days.item("normal", "10T08:20")
  await days.to("10T09:10")
  expect(days.mailsTo("ada")).toEqual([])
  days.people.set("ada", { ...ada, backAt: at("10T09:10") })
  days.item("urgent since", "10T10:10", { priority: "urgent" })
  await days.to("11T12:00")
  expect(days.mailsTo("ada")).toEqual(["10T10:12 urgent since", "11T08:00 urgent normal"])
})

test("a new device hears of what was created within the hour before it and is seen afterwards, and of nothing older", async () => {
  const days = new Days("10T08:00")
  days.from = at("10T09:00")
  days.person("ada", { mail: "at-once" })
  days.item("seen before", "10T08:59")
  days.item("young", "10T09:10", { since: at("10T08:01") })
  days.item("old", "10T09:10", { since: at("10T07:59") })
  days.item("old, new version", "10T09:10", { since: at("10T07:59"), version: "2" })
  await days.to("10T10:00")
  expect(days.mailsTo("ada")).toEqual(["10T09:12 young old, new version"])
})

/** To whom notices go while somebody is away, over a real mail server and a real push service. */
import { expect, test } from "vitest"
import { send } from "../testing/desk.ts"
import { approvalWork, deskWithNotices, mailTo, type NoticeDesk, signInAndChoose } from "../testing/notices.ts"
import { ACCESS as OWN_ACCESS, addAction, change, show } from "../testing/own-work.ts"
import { addDevice, pushForTest } from "../testing/push.ts"
import type { PersonHeaders } from "../testing/sign-in.ts"
import { forgetPerson } from "../people/administration.ts"
import { fakeWork, type FakeWork } from "../watcher/testing/simulation.ts"
import { headerOf, MailServerForTest, textOf } from "./testing/mail-server.ts"

const HOUR_MS = 3_600_000

/** Says for a person that they are away from an hour ago for a day, or (`"here"`) that they are back. */
async function setAway(desk: NoticeDesk, who: PersonHeaders, standIn: PersonHeaders | undefined | "here") {
  const { headers } = await send(desk.url, "/desk/away", { headers: { ...who } })
  const iso = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()
  const away = { from: iso(-1), until: iso(24), stand_in: typeof standIn === "object" ? standIn["Desk-Person"] : null }
  const set = await send(desk.url, "/desk/away", {
    method: "PUT",
    headers: { ...who, "Content-Type": "application/json", "If-Match": String(headers["etag"]) },
    body: JSON.stringify(standIn === "here" ? null : away),
  })
  expect(set.status, set.text).toBe(200)
}

/** Hands the approval of a Work over. The desk knows people who have just signed in after two seconds. */
async function hand(desk: NoticeDesk, by: PersonHeaders, id: string, to: PersonHeaders) {
  const body = JSON.stringify({ work: `work_${id}`, item: `approval_${id}`, to: { person: to["Desk-Person"] } })
  const headers = { ...by, "Content-Type": "application/json", "If-Match": '"none"' }
  await expect
    .poll(async () => (await send(desk.url, "/desk/assignment", { method: "PUT", headers, body })).status)
    .toBe(200)
}

const listOf = (mail: MailServerForTest) => mail.received.map(({ to: [address = ""] }) => address.replace(/@.*/, ""))
const settled = async (desk: NoticeDesk) =>
  expect.poll(() => desk.database.read("SELECT recipient FROM notice_delivery WHERE settled_at IS NULL")).toEqual([])

test("what is given to somebody who is away is told to the stand-in alone, by mail and by push, and what still waits to who is back", async () => {
  const mail = await MailServerForTest.start()
  const { service, channel } = await pushForTest()
  const works: FakeWork[] = []
  const desk = await deskWithNotices(works, [mailTo(mail.port), channel])
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  const ben = await signInAndChoose(desk, "ben", ["finance"])
  const emil = await signInAndChoose(desk, "emil", ["finance"], { mail: "daily" })
  for (const [name, headers] of Object.entries({ ada, ben })) await addDevice(desk, headers, name)
  await setAway(desk, ada, ben)
  works.push(approvalWork("1", 1))
  await hand(desk, emil, "1", ada)
  await expect.poll(() => [listOf(mail), service.received.map(({ path }) => path)]).toEqual([["ben"], ["/ben"]])
  expect(textOf(mail.received[0])).toContain("An approval, analyst, handed to somebody you stand in for, waiting for")
  await setAway(desk, ada, "here")
  // The desk counts the change as a use.
  await desk.database.write("UPDATE record SET at = at - 200000 WHERE person_id = ?", ada["Desk-Person"])
  await expect
    .poll(() => [listOf(mail), service.received.map(({ path }) => path)])
    .toEqual([
      ["ben", "ada"],
      ["/ben", "/ada"],
    ])
  await settled(desk)
}, 30_000)

test("a stand-in hears of what is given to somebody who is away for longer than thirty days, and of their own Work", async () => {
  const mail = await MailServerForTest.start()
  const work = fakeWork("own", 1, { json: { visibility_scope: "organization" } })
  const desk = await deskWithNotices([], [mailTo(mail.port)])
  const ada = await signInAndChoose(desk, "ada", ["finance"], { mail: "off" })
  const ben = await signInAndChoose(desk, "ben", ["finance"], { mail: "daily" })
  const emil = await signInAndChoose(desk, "emil", ["finance"], { mail: "daily" })
  await addAction(desk, "own", ada, "creator")
  await show(desk, [approvalWork("1", 1), work])
  await hand(desk, emil, "1", ada)
  const longAgo = Date.now() - 40 * 24 * HOUR_MS
  await desk.database.write("UPDATE person SET signed_in_at = ? WHERE id = ?", longAgo, ada["Desk-Person"])
  await setAway(desk, ada, ben)
  await expect.poll(() => listOf(mail), { timeout: 15_000 }).toEqual(["ben"])
  expect(textOf(mail.received[0])).toContain("An approval, analyst, handed to somebody you stand in for, waiting for")
  change(work, "done")
  const own = () => desk.database.read("SELECT recipient, step FROM notice WHERE delivery IS NULL")
  await expect.poll(own, { timeout: 15_000 }).toEqual([{ recipient: ben["Desk-Person"], step: "stood-in done" }])
}, 60_000)

test("a stand-in who has switched mail off hears nothing, and nobody hears instead; in quiet hours the mail waits", async () => {
  const mail = await MailServerForTest.start()
  const works: FakeWork[] = []
  const desk = await deskWithNotices(works, [mailTo(mail.port)])
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  const clock = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16)
  const off = await signInAndChoose(desk, "off", ["finance"], { mail: "off" })
  const quiet = { quiet_from: clock(-1), quiet_until: clock(2) }
  const night = await signInAndChoose(desk, "night", ["finance"], quiet)
  const emil = await signInAndChoose(desk, "emil", ["finance"])
  await setAway(desk, ada, off)
  works.push(approvalWork("1", 1))
  await hand(desk, emil, "1", ada)
  works.push(approvalWork("2", 1))
  await setAway(desk, off, night)
  await hand(desk, emil, "2", off)
  await setAway(desk, off, "here")
  await setAway(desk, ada, night)
  works.push(approvalWork("free", 1))
  await desk.database.write("UPDATE record SET at = at - 200000")
  await expect.poll(() => listOf(mail)).toEqual(["emil"])
  expect(textOf(mail.received[0])).toContain("item=approval_free")
  expect(textOf(mail.received[0])).not.toMatch(/approval_[12]/)
  await desk.database.write("UPDATE notice_choice SET quiet_from = NULL, quiet_until = NULL")
  await expect.poll(() => listOf(mail)).toEqual(["emil", "night"])
  expect(textOf(mail.received[1])).toContain("item=approval_1")
  expect(textOf(mail.received[1])).toContain("item=approval_free")
  expect(textOf(mail.received[1])).not.toContain("item=approval_2")
}, 30_000)

/**
 * Four people of these groups who are away, and for none of whom anybody stands in: one stand-in is away, too, one may not decide, one is forgotten,
 * and one signed in 31 days ago.
 */
async function absentWithoutStandIn(desk: NoticeDesk, groups: readonly string[]): Promise<readonly PersonHeaders[]> {
  const standIn = (name: string, own: readonly string[]) => signInAndChoose(desk, name, own, { mail: "off" })
  const absent = await standIn("absent", ["finance"])
  const forgotten = await standIn("forgotten", ["finance"])
  const past = await standIn("past", ["finance"])
  const standIns = [absent, await standIn("reader", ["staff"]), forgotten, past]
  const people: PersonHeaders[] = []
  for (const [index, one] of standIns.entries()) {
    const person = await signInAndChoose(desk, `ada${index}`, groups)
    await setAway(desk, person, one)
    people.push(person)
  }
  await setAway(desk, absent, undefined)
  await forgetPerson(desk.database, forgotten["Desk-Person"])
  const longAgo = Date.now() - 31 * 24 * HOUR_MS
  await desk.database.write("UPDATE person SET signed_in_at = ? WHERE id = ?", longAgo, past["Desk-Person"])
  return people
}

test("all others who may decide hear of it where nobody stands in for the item", async () => {
  const mail = await MailServerForTest.start()
  const works: FakeWork[] = []
  const desk = await deskWithNotices(works, [mailTo(mail.port)])
  const emil = await signInAndChoose(desk, "emil", ["finance"])
  await signInAndChoose(desk, "fay", ["finance"])
  for (const [index, person] of (await absentWithoutStandIn(desk, ["finance"])).entries()) {
    works.push(approvalWork(String(index), 1))
    await hand(desk, emil, String(index), person)
  }
  await desk.database.write("UPDATE record SET at = at - 200000")
  const told = () => mail.received.map((received) => [received.to[0], textOf(received).match(/item=\w+/g)])
  const itemsOf = (name: string) => told().flatMap(([to, items]) => (to === `${name}@example.com` ? items : []))
  for (const name of ["emil", "fay"]) {
    await expect.poll(() => new Set(itemsOf(name)).size).toBe(4)
  }
  expect(new Set(listOf(mail))).toEqual(new Set(["emil", "fay"]))
}, 30_000)

test("an escalation goes to the stand-in, and to the absent person where nobody stands in who may decide", async () => {
  const mail = await MailServerForTest.start()
  const access = {
    roles: { reader: ["anyone"], approver: ["group:finance"] },
    rules: [{ destination: "*@bank.example", escalate: { after: "4h", to: ["group:cfo"] } }],
  }
  const works: FakeWork[] = []
  const desk = await deskWithNotices(works, [mailTo(mail.port)], { access })
  const ada = await signInAndChoose(desk, "ada", ["finance", "cfo"], { mail: "daily" })
  await setAway(desk, ada, await signInAndChoose(desk, "ben", ["finance"], { mail: "daily" }))
  const others = await absentWithoutStandIn(desk, ["finance", "cfo"])
  works.push(approvalWork("1", 300, { destination: "pay@bank.example" }))
  await expect.poll(() => listOf(mail).toSorted()).toEqual([...others.map((_, index) => `ada${index}`), "ben"])
  const subjects = mail.received.map((received) => headerOf(received, "Subject"))
  expect(new Set(subjects)).toEqual(new Set(["Waiting for 4 hours: 1 approval"]))
}, 30_000)

test("news of the absent person's own Work goes to a stand-in who sees the Work, else it waits for who is back", async () => {
  const mail = await MailServerForTest.start()
  const team = { json: { visibility_scope: "organization" } }
  const works = [fakeWork("shown", 1, team), fakeWork("private", 2), fakeWork("other", 3, team)]
  const desk = await deskWithNotices([], [mailTo(mail.port)], { access: OWN_ACCESS })
  const ada = await signInAndChoose(desk, "ada", ["staff"])
  const ben = await signInAndChoose(desk, "ben", ["staff"])
  for (const { id } of works) await addAction(desk, id, ada, "creator")
  await show(desk, works)
  await setAway(desk, ada, ben)
  await desk.database.write("UPDATE record SET at = at - 200000")
  const [shown, hidden, other] = works
  change(hidden, "done")
  const kept = () => desk.database.read("SELECT recipient, work_id FROM notice WHERE delivery IS NULL")
  await expect.poll(kept, { timeout: 15_000 }).toEqual([{ recipient: ada["Desk-Person"], work_id: "private" }])
  change(shown, "done")
  const subjects = () => mail.received.map((received) => [received.to[0], headerOf(received, "Subject")])
  const toBen = ["ben@example.com", "Stand-in: Work is done"]
  await expect.poll(subjects, { timeout: 15_000 }).toEqual([toBen])
  expect(textOf(mail.received[0])).toContain("or stand in for its creator.")
  await setAway(desk, ada, "here")
  await desk.database.write("UPDATE record SET at = at - 200000")
  await expect.poll(subjects, { timeout: 15_000 }).toEqual([toBen, ["ada@example.com", "Your Work is done"]])
  change(other, "done")
  await expect.poll(subjects, { timeout: 15_000 }).toHaveLength(3)
  expect(subjects()[2]).toEqual(["ada@example.com", "Your Work is done"])
}, 60_000)

const OVERSEEN = {
  roles: { reader: ["anyone"], approver: ["group:finance"] },
  visibility: { overseers: ["group:audit"] },
}

/** Ends the absence of a person. `itself`: its time is over. */
async function endAway(desk: NoticeDesk, who: PersonHeaders, by: "itself" | PersonHeaders) {
  const id = who["Desk-Person"]
  // The desk counts each change as a use.
  await desk.database.write("UPDATE record SET at = at - 200000")
  if (by === "itself") {
    await desk.database.write("UPDATE away SET until_at = ? WHERE person_id = ?", Date.now(), id)
    return
  }
  const path = by === who ? "/desk/away" : `/desk/away?person=${id}`
  const { headers } = await send(desk.url, path, { headers: { ...by } })
  const request = { ...by, "Content-Type": "application/json", "If-Match": String(headers["etag"]) }
  expect((await send(desk.url, path, { method: "PUT", headers: request, body: "null" })).status).toBe(200)
  await desk.database.write("UPDATE record SET at = at - 200000")
}

test.each(["itself", "the person", "an overseer"])(
  "an absence that is ended by %s brings one mail and one push of all that still waits",
  async (name) => {
    const mail = await MailServerForTest.start()
    const { service, channel } = await pushForTest()
    const works = [approvalWork("before")]
    const desk = await deskWithNotices(works, [mailTo(mail.port), channel], { access: OVERSEEN })
    const ada = await signInAndChoose(desk, "ada", ["finance"])
    const eve = await signInAndChoose(desk, "eve", ["audit"])
    await expect.poll(() => mail.received.length).toBe(1)
    await addDevice(desk, ada, "ada")
    await setAway(desk, ada, undefined)
    works.push(approvalWork("meanwhile", 0, {}, { json: { priority: "urgent" } }))
    const known = () => desk.database.read("SELECT 1 FROM noticed_item")
    await expect.poll(known).toHaveLength(2)
    const by = { itself: "itself", "the person": ada, "an overseer": eve } as const
    await endAway(desk, ada, by[name === "the person" || name === "an overseer" ? name : "itself"])
    const items = () =>
      mail.received.map((received) =>
        textOf(received)
          .match(/item=\w+/g)
          ?.toSorted(),
      )
    const first = ["item=approval_before"]
    const all = ["item=approval_before", "item=approval_meanwhile"]
    await expect.poll(items, { timeout: 10_000 }).toEqual([first, all])
    // The device hears only of what is new since it is there.
    await expect.poll(() => service.received.length).toBe(1)
    works.push(approvalWork("later"))
    await expect.poll(items, { timeout: 10_000 }).toEqual([first, all, ["item=approval_later"]])
    await expect.poll(() => service.received.length).toBe(2)
  },
  40_000,
)

test("news of own Work is kept for 40 days of absence, and leaves when the absence ends by itself", async () => {
  const mail = await MailServerForTest.start()
  const work = fakeWork("own", 1)
  const desk = await deskWithNotices([], [mailTo(mail.port)], { access: OWN_ACCESS })
  const ada = await signInAndChoose(desk, "ada", ["staff"])
  await addAction(desk, "own", ada, "creator")
  await show(desk, [work])
  await setAway(desk, ada, undefined)
  change(work, "done")
  const kept = () => desk.database.read("SELECT recipient FROM notice WHERE delivery IS NULL")
  await expect.poll(kept, { timeout: 15_000 }).toHaveLength(1)
  const longAgo = Date.now() - 40 * 24 * HOUR_MS
  await desk.database.write("UPDATE notice SET seen_at = ?", longAgo)
  await desk.database.write("UPDATE person SET signed_in_at = ?", longAgo)
  await desk.database.write("UPDATE session SET touched_at = ?", longAgo)
  await desk.database.write("UPDATE record SET at = ?", longAgo)
  await endAway(desk, ada, "itself")
  const subjects = () => mail.received.map((received) => headerOf(received, "Subject"))
  await expect.poll(subjects, { timeout: 10_000 }).toEqual(["Your Work is done"])
  await expect.poll(kept).toEqual([])
}, 60_000)

import { expect, test } from "vitest"
import { send } from "../desk/testing/desk.ts"
import {
  approvalWork,
  deskWithNotices,
  putChoice,
  questionWork,
  signInAndChoose,
  startReceiver,
  webhookTo,
} from "../desk/testing/notices.ts"
import type { PersonHeaders } from "../desk/testing/sign-in.ts"
import { fakeWork } from "../waiting/testing/simulation.ts"
import { textOf } from "./testing/mail-server.ts"
import {
  ACCESS,
  addDeed,
  change,
  CHOICE,
  creator,
  decide,
  resolve,
  show,
  startDesk,
  TIMEOUT,
} from "../desk/testing/own-work.ts"

test("who created a Work hears of its end, a pause and a declined approval, and by choice of each step", async () => {
  const urgent = fakeWork("work_4", 2, { json: { priority: "urgent" } })
  const works = [approvalWork("1"), approvalWork("2"), fakeWork("work_3", 1), urgent]
  const [declined, approved, paused, done] = works
  const { desk, subjects, sentTo, giveDevice, pushes, pushedTo } = await startDesk()
  const made = [
    ["ada", await creator(desk, "ada", works)],
    ["bea", await creator(desk, "bea", works, { own_work: "steps" })],
    ["cleo", await creator(desk, "cleo", works, { own_work: "off" })],
    ["dan", await creator(desk, "dan", works, { mail: "off" })],
    ["eve", await signInAndChoose(desk, "eve", ["staff"], { own_work: "steps" })],
  ] as const
  for (const [name, headers] of made) await giveDevice(name, headers)
  await show(desk, works)
  if (declined !== undefined) decide(declined, "declined")
  await expect.poll(() => subjects("ada"), TIMEOUT).toEqual(["An approval of your Work was declined"])
  if (approved !== undefined) decide(approved, "approved")
  await expect
    .poll(() => subjects("bea"), TIMEOUT)
    .toEqual(["An approval of your Work was declined", "An approval of your Work was approved"])
  change(paused, "paused")
  await expect.poll(() => subjects("ada"), TIMEOUT).toHaveLength(2)
  change(done, "done")
  const heard = ["An approval of your Work was declined", "Your Work is paused", "Your Work is done"]
  await expect.poll(() => subjects("ada"), TIMEOUT).toEqual(heard)
  await expect.poll(() => subjects("bea"), TIMEOUT).toHaveLength(4)
  for (const name of ["cleo", "dan", "eve"]) expect(subjects(name), name).toEqual([])
  expect(textOf(sentTo("ada")[2])).toMatch(
    /^Your Work is done\nhttp:\/\/localhost:4400\/work\/work_4\n\nYou get this mail because .*\nWhen people get mail: http:\/\/localhost:4400\/notices\nNo more mail: http:\/\/localhost:4400\/desk\/notices\/unsubscribe\?token=\S+$/,
  )
  // A device hears the same, also of a person who wants no mail.
  const ends = ["own declined 1 /work/work_1", "own paused 1 /work/work_3", "own done 1 /work/work_4"]
  await expect.poll(() => pushes("ada"), TIMEOUT).toEqual(ends)
  await expect.poll(() => pushes("dan"), TIMEOUT).toEqual(ends)
  await expect.poll(() => pushes("bea"), TIMEOUT).toEqual(ends.toSpliced(1, 0, "own approved 1 /work/work_2"))
  for (const name of ["cleo", "eve"]) expect(pushes(name), name).toEqual([])
  expect(new Set(pushedTo("ada").map(({ headers }) => headers["topic"])).size).toBe(1)
  expect(pushedTo("ada").map(({ headers }) => headers["urgency"])).toEqual(["normal", "normal", "high"])
}, 60_000)

test("who answered or decided hears of the end alone, and nobody hears of a deed of their own", async () => {
  const asked = { ...questionWork("1"), json: { visibility_scope: "organization" } }
  const works = [asked, approvalWork("2"), fakeWork("work_9", 9)]
  const { desk, subjects, giveDevice, pushes } = await startDesk()
  const olga = await signInAndChoose(desk, "olga", ["ops"], { mail: "daily", urgent_at_once: false, own_work: "steps" })
  const fin = await signInAndChoose(desk, "fin", ["finance"], { mail: "off", own_work: "steps" })
  const [, decided] = works
  for (const [work, person] of [
    [decided, fin],
    [asked, fin],
  ] as const)
    await addDeed(desk, work?.id ?? "", person, "creator")
  await show(desk, works)
  // The devices are newer than what waits.
  await giveDevice("olga", olga)
  await giveDevice("fin", fin)
  desk.upstream.control.behave = (target) => {
    if (!target.endsWith("/resolve")) return undefined
    const isAnswer = target.includes("/attention/")
    if (!isAnswer && decided !== undefined) decide(decided, "declined")
    const [item] = isAnswer ? asked.clarifications : (decided?.approvals ?? [])
    return { status: 200, body: { ...item, version: 2, status: isAnswer ? "resolved" : "declined" } }
  }
  const tag = async (headers: PersonHeaders) =>
    String((await send(desk.url, "/desk/notices", { headers })).headers["etag"])
  await putChoice(desk, fin, { ...CHOICE, own_work: "steps" }, await tag(fin))
  const answered = await resolve(desk, olga, "work_1/attention/question_1", { response: "Yes" })
  expect(answered.status, answered.text).toBe(200)
  asked.clarifications = []
  delete asked.clarificationId
  const declined = await resolve(desk, fin, "work_2/approvals/approval_2", { decision: "decline" })
  expect(declined.status, declined.text).toBe(200)
  await putChoice(desk, olga, CHOICE, await tag(olga))
  for (const person of [olga, fin])
    await desk.database.write("UPDATE record SET at = at - 200000 WHERE person_id = ?", person["Desk-Person"])
  change(asked, "paused")
  await expect.poll(() => subjects("fin"), TIMEOUT).toEqual(["Your Work is paused"])
  change(asked, "done")
  await expect.poll(() => subjects("fin"), TIMEOUT).toEqual(["Your Work is paused", "Your Work is done"])
  await expect.poll(() => subjects("olga"), TIMEOUT).toEqual(["A Work that you answered in is done"])
  await expect.poll(() => pushes("fin"), TIMEOUT).toEqual(["own paused 1 /work/work_1", "own done 1 /work/work_1"])
  await expect.poll(() => pushes("olga"), TIMEOUT).toEqual(["part done 1 /work/work_1"])
}, 60_000)

test("what happened before the choice or the channel is not told, and hourly mail and quiet hours hold", async () => {
  const clock = (at: number) => new Date(at).toISOString().slice(11, 16)
  const quiet = { quiet_from: clock(Date.now() - 3_600_000), quiet_until: clock(Date.now() + 7_200_000) }
  const works = [fakeWork("work_1", 1, { status: "paused" }), fakeWork("work_2", 2), fakeWork("work_3", 3)]
  const { desk, subjects, giveDevice, pushes } = await startDesk()
  const ada = await creator(desk, "ada", works, { own_work: "off" })
  const bea = await creator(desk, "bea", works, quiet)
  const cleo = await creator(desk, "cleo", works, { mail: "hourly" })
  for (const [name, headers] of [
    ["ada", ada],
    ["bea", bea],
    ["cleo", cleo],
  ] as const)
    await giveDevice(name, headers)
  await show(desk, works)
  change(works[1], "done")
  const waiting = () => desk.database.read("SELECT recipient, channel FROM own_notice ORDER BY recipient, channel")
  // What is pushed to Cleo does not wait for the hour.
  await expect.poll(waiting, TIMEOUT).toHaveLength(3)
  await expect.poll(() => pushes("cleo"), TIMEOUT).toEqual(["own done 1 /work/work_2"])
  expect((await putChoice(desk, ada, { ...CHOICE, own_work: "end" }, '"2"')).status).toBe(200)
  change(works[2], "done")
  await expect.poll(() => subjects("ada"), TIMEOUT).toEqual(["Your Work is done"])
  await expect.poll(() => pushes("ada"), TIMEOUT).toEqual(["own done 1 /work/work_3"])
  await expect.poll(waiting, TIMEOUT).toHaveLength(6)
  expect([subjects("bea"), subjects("cleo"), pushes("bea")]).toEqual([[], [], []])
  expect((await putChoice(desk, bea, { ...CHOICE, own_work: "end" }, '"2"')).status).toBe(200)
  await expect.poll(() => subjects("bea"), TIMEOUT).toEqual(["2 of your Works changed"])
  await expect.poll(() => pushes("bea"), TIMEOUT).toEqual(["works 2 /work"])
}, 60_000)

test("an approval that comes and is decided while no desk looks is told", async () => {
  const receiver = await startReceiver()
  const { desk, subjects } = await startDesk(0, [webhookTo(receiver.url)])
  const work = approvalWork("1")
  await creator(desk, "ada", [work])
  const fin = await signInAndChoose(desk, "fin", ["finance"], { mail: "off" })
  await show(desk, [fakeWork("work_9", 9)])
  const lease = (holder: string, expiresAt: number) =>
    desk.database.write("UPDATE lease SET holder = ?, expires_at = ? WHERE name = 'notices'", holder, expiresAt)
  // As if the desk that looked had died.
  await lease("another desk", Date.now() + 3_600_000)
  desk.works.push(work)
  const waiting = async () =>
    JSON.parse((await send(desk.url, "/desk/waiting", { headers: { ...fin } })).text).approvals.length
  await expect.poll(waiting, TIMEOUT).toBe(1)
  desk.upstream.control.behave = (target) => {
    if (!target.endsWith("/resolve")) return undefined
    decide(work, "declined")
    return { status: 200, body: { ...work.approvals[0], version: 2 } }
  }
  const declined = await resolve(desk, fin, "work_1/approvals/approval_1", { decision: "decline" })
  expect(declined.status, declined.text).toBe(200)
  await expect.poll(waiting, TIMEOUT).toBe(0)
  expect(await desk.database.read("SELECT 1 FROM noticed_item")).toEqual([])
  await lease("another desk", 0)
  await expect.poll(() => subjects("ada"), TIMEOUT).toEqual(["An approval of your Work was declined"])
  const events = () => receiver.received.map(({ event }) => event)
  await expect.poll(events, TIMEOUT).toHaveLength(1)
  expect(events()).toMatchObject([
    {
      type: "approval.declined",
      data: { work_id: "work_1", item_id: "approval_1", version: "1", colleague_id: "analyst" },
    },
  ])
}, 60_000)

test("the webhook tells what became of all Work, once", async () => {
  const receiver = await startReceiver()
  const works = [approvalWork("1"), approvalWork("2"), fakeWork("work_3", 1), fakeWork("work_4", 2)]
  const [declined, approved, paused, done] = works
  const desk = await deskWithNotices([], [webhookTo(receiver.url)], { access: ACCESS })
  await show(desk, works)
  await expect.poll(() => receiver.received.length, TIMEOUT).toBe(2)
  if (declined !== undefined) decide(declined, "declined")
  if (approved !== undefined) decide(approved, "approved")
  change(paused, "paused")
  change(done, "done")
  await expect.poll(() => receiver.received.length, TIMEOUT).toBe(8)
  const types = receiver.received.map(({ event }) => event.type).toSorted()
  expect(types).toEqual([
    "approval.approved",
    "approval.declined",
    ...Array.from({ length: 2 }, () => "approval.resolved"),
    ...Array.from({ length: 2 }, () => "approval.waiting"),
    "work.done",
    "work.paused",
  ])
  const dataOf = (type: string) => receiver.received.find(({ event }) => event.type === type)?.event.data
  expect(dataOf("work.done")).toEqual({
    work_id: "work_4",
    colleague_id: "analyst",
    priority: "normal",
    created_at: new Date(2).toISOString(),
    url: "http://localhost:4400/work/work_4",
  })
  expect(dataOf("approval.declined")).toMatchObject({
    work_id: "work_1",
    item_id: "approval_1",
    version: "1",
    url: "http://localhost:4400/approvals?item=approval_1",
  })
}, 60_000)

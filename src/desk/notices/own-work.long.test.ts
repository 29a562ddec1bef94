import { expect, test } from "vitest"
import { MUTATION, send } from "../testing/desk.ts"
import {
  approvalWork,
  deskWithNotices,
  putChoice,
  questionWork,
  signInAndChoose,
  startReceiver,
  webhookTo,
} from "../testing/notices.ts"
import { fakeWork, workJson } from "../watcher/testing/simulation.ts"
import { textOf } from "./testing/mail-server.ts"
import {
  ACCESS,
  addAction,
  change,
  CHOICE,
  creator,
  decide,
  resolve,
  show,
  startDesk,
  TIMEOUT,
} from "../testing/own-work.ts"
import type { PersonHeaders } from "../testing/sign-in.ts"

test("what happens within the batch is one mail and one push, a pause is told again only after the Work went on", async () => {
  const works = [fakeWork("work_1", 1), fakeWork("work_2", 2), fakeWork("work_3", 3)]
  const { mail, desk, subjects, sentTo, addPushDevice, pushes } = await startDesk(3_000)
  await addPushDevice("ada", await creator(desk, "ada", works))
  await show(desk, works)
  for (const work of works) change(work, "paused")
  await expect.poll(() => subjects("ada"), TIMEOUT).toEqual(["3 of your Works changed"])
  const text = textOf(sentTo("ada")[0])
  for (const { id } of works) expect(text).toContain(`Your Work is paused\nhttp://localhost:4400/work/${id}\n`)
  const [first, second, third] = works
  // Another change of a paused Work is no new pause.
  change(first, "paused")
  change(second, "working")
  const status = () => desk.database.read("SELECT status FROM noticed_work WHERE work_id = 'work_2'")
  await expect.poll(status, TIMEOUT).toEqual([{ status: "working" }])
  change(second, "paused")
  await expect.poll(() => subjects("ada"), TIMEOUT).toEqual(["3 of your Works changed", "Your Work is paused"])
  expect(textOf(sentTo("ada")[1])).toContain("/work/work_2\n")
  // A pause that is over when the mail leaves is not told.
  mail.onMessage = () => ({ code: 451 })
  for (const state of ["working", "paused", "working"]) {
    change(third, state)
    const stored = () => desk.database.read("SELECT status FROM noticed_work WHERE work_id = 'work_3'")
    await expect.poll(stored, TIMEOUT).toEqual([{ status: state }])
    const unsent = () => desk.database.read("SELECT answer FROM notice_delivery WHERE settled_at IS NULL")
    if (state === "paused") await expect.poll(unsent, TIMEOUT).toEqual([{ answer: "451" }])
  }
  mail.onMessage = () => undefined
  change(third, "done")
  await expect.poll(() => subjects("ada").at(2), TIMEOUT).toBe("Your Work is done")
  const dropped = () => desk.database.read("SELECT 1 FROM notice_delivery WHERE outcome = 'dropped'")
  await expect.poll(dropped, TIMEOUT).toHaveLength(1)
  // The third pause was not over yet when the push left.
  const paused = ["own paused 1 /work/work_2", "own paused 1 /work/work_3"]
  await expect.poll(() => pushes("ada"), TIMEOUT).toEqual(["works 3 /work", ...paused, "own done 1 /work/work_3"])
}, 60_000)

test("of two pauses of a Work that leave together, only the one that is not over is told", async () => {
  const clock = (at: number) => new Date(at).toISOString().slice(11, 16)
  const quiet = { quiet_from: clock(Date.now() - 3_600_000), quiet_until: clock(Date.now() + 7_200_000) }
  const work = fakeWork("work_1", 1)
  const { desk, subjects, sentTo } = await startDesk()
  const ada = await creator(desk, "ada", [work], quiet)
  await show(desk, [work])
  for (const status of ["paused", "working", "paused"]) {
    change(work, status)
    await expect.poll(() => desk.database.read("SELECT status FROM noticed_work"), TIMEOUT).toEqual([{ status }])
  }
  expect(await desk.database.read("SELECT step FROM notice WHERE delivery IS NULL")).toHaveLength(2)
  expect((await putChoice(desk, ada, CHOICE, '"1"')).status).toBe(200)
  await expect.poll(() => subjects("ada"), TIMEOUT).toEqual(["Your Work is paused"])
  expect(textOf(sentTo("ada")[0]).match(/^Your Work is paused$/gm)).toHaveLength(1)
}, 60_000)

test("a Work that is done before the desk has seen it open is told", async () => {
  const { desk, subjects } = await startDesk()
  await show(desk, [fakeWork("work_9", 9)])
  const ada = await signInAndChoose(desk, "ada", ["staff"])
  desk.upstream.control.behave = (target) => {
    if (target !== "/api/v1/work") return undefined
    const work = fakeWork("work_new", Date.now(), { status: "done" })
    desk.works.push(work)
    return { status: 201, body: workJson(work) }
  }
  const created = await send(desk.url, "/api/v1/work", {
    method: "POST",
    headers: { ...ada, ...MUTATION, "Idempotency-Key": "new" },
    body: JSON.stringify({ title: "new", objective: "x", colleague_id: "analyst" }),
  })
  expect(created.status, created.text).toBe(201)
  // As if she had left the desk two minutes ago.
  await desk.database.write("UPDATE record SET at = at - 200000")
  // The list of done Work is read once a minute.
  await expect.poll(() => subjects("ada"), { timeout: 90_000 }).toEqual(["Your Work is done"])
}, 120_000)

test("who answered or decided hears of the end alone, and nobody hears of a deed of their own", async () => {
  const asked = { ...questionWork("1"), json: { visibility_scope: "organization" } }
  const works = [asked, approvalWork("2"), fakeWork("work_9", 9)]
  const { desk, subjects, addPushDevice, pushes } = await startDesk()
  const olga = await signInAndChoose(desk, "olga", ["ops"], { mail: "daily", urgent_at_once: false, own_work: "steps" })
  const fin = await signInAndChoose(desk, "fin", ["finance"], { mail: "off", own_work: "steps" })
  const [, decided] = works
  for (const [work, person] of [
    [decided, fin],
    [asked, fin],
  ] as const)
    await addAction(desk, work?.id ?? "", person, "creator")
  await show(desk, works)
  // The devices are newer than what waits.
  await addPushDevice("olga", olga)
  await addPushDevice("fin", fin)
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
  const { desk, subjects, addPushDevice, pushes } = await startDesk()
  const ada = await creator(desk, "ada", works, { own_work: "off" })
  const bea = await creator(desk, "bea", works, quiet)
  const cleo = await creator(desk, "cleo", works, { mail: "hourly" })
  for (const [name, headers] of [
    ["ada", ada],
    ["bea", bea],
    ["cleo", cleo],
  ] as const)
    await addPushDevice(name, headers)
  await show(desk, works)
  change(works[1], "done")
  const waiting = () =>
    desk.database.read("SELECT recipient, channel FROM notice WHERE delivery IS NULL ORDER BY recipient, channel")
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

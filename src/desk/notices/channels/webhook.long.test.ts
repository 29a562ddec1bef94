import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { fakeApproval, problem } from "../../watcher/testing/simulation.ts"
import {
  approvalWork,
  deskWithNotices,
  KEYS,
  questionWork,
  startReceiver,
  webhookTo,
  type Posted,
} from "../../testing/notices.ts"

const ofItem = (received: readonly Posted[], item: string) =>
  received
    .filter(({ event }) => event.data["item_id"] === item)
    .map(({ event }) => `${event.type} ${event.data["version"]}`)

test("the webhook tells what waits, oldest first, signed with both secrets", async () => {
  const receiver = await startReceiver()
  const works = [
    approvalWork("new", 5),
    approvalWork("old", 300, {}, { json: { priority: "high" } }),
    questionWork("mid", 60),
  ]
  await deskWithNotices(works, [webhookTo(receiver.url)])
  await expect.poll(() => receiver.received.length).toBe(3)
  expect(
    receiver.received
      .map(({ event }) => event.data["item_id"])
      .toSorted((one, other) => String(one).localeCompare(String(other))),
  ).toEqual(["approval_new", "approval_old", "question_mid"])
  const [first] = receiver.received.filter(({ event }) => event.data["item_id"] === "approval_old")
  if (first === undefined) throw new Error("no event")
  for (const key of KEYS) expect(() => new Webhook(key).verify(first.body, first.headers)).not.toThrow()
  expect(() => new Webhook(KEYS[0]).verify(`${first.body} `, first.headers)).toThrow()
  expect(first.headers["content-type"]).toBe("application/json")
  expect(first.event).toEqual({
    type: "approval.waiting",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    data: {
      work_id: "work_old",
      item_id: "approval_old",
      version: "1",
      colleague_id: "analyst",
      priority: "high",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      url: "http://localhost:4400/approvals?item=approval_old",
    },
  })
})

test("a new version and the end of an item are told in order, and a new desk tells nothing again", async () => {
  const receiver = await startReceiver()
  const [approval, question] = [approvalWork("1"), questionWork("2")]
  const notices = [webhookTo(receiver.url)]
  const desk = await deskWithNotices([approval, question], notices)
  await expect.poll(() => receiver.received.length).toBe(2)
  approval.approvals = [fakeApproval("approval_1", { version: 2 })]
  approval.version = 2
  await expect.poll(() => ofItem(receiver.received, "approval_1")).toEqual(["approval.waiting 1", "approval.waiting 2"])
  approval.status = "done"
  question.clarifications = []
  delete question.clarificationId
  question.version = 2
  await expect.poll(() => receiver.received.length).toBe(6)
  expect(ofItem(receiver.received, "approval_1")).toEqual([
    "approval.waiting 1",
    "approval.waiting 2",
    "approval.resolved 2",
  ])
  expect(ofItem(receiver.received, "question_2")).toEqual(["clarification.waiting 1", "clarification.resolved 1"])
  expect(receiver.received.filter(({ event }) => event.type === "work.done")).toHaveLength(1)
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(6)
  const unsent = () => desk.database.read("SELECT sequence FROM notice_delivery WHERE settled_at IS NULL")
  await expect.poll(unsent).toEqual([])
})

test("a refused event is tried again under its id, redirects are not followed, and what is resolved meanwhile replaces it", async () => {
  const receiver = await startReceiver()
  receiver.control.answer = () => 302
  const one = approvalWork("1")
  const works = [one, approvalWork("2")]
  const desk = await deskWithNotices(works, [webhookTo(receiver.url)])
  await expect.poll(() => receiver.received.length).toBe(2)
  one.status = "done"
  await expect
    .poll(() => desk.database.read("SELECT sequence FROM notice_delivery WHERE outcome = 'dropped'"))
    .toHaveLength(1)
  receiver.control.answer = () => 204
  await expect.poll(() => ofItem(receiver.received, "approval_2")).toEqual(["approval.waiting 1", "approval.waiting 1"])
  const ids = receiver.received
    .filter(({ event }) => event.data["item_id"] === "approval_2")
    .map(({ headers }) => headers["webhook-id"])
  expect(new Set(ids).size).toBe(1)
  await expect
    .poll(() => ofItem(receiver.received, "approval_1"))
    .toEqual(["approval.waiting 1", "approval.resolved 1"])
})

test("an event that is replaced while it is sent holds the newer one no longer than the attempt", async () => {
  const receiver = await startReceiver()
  receiver.control.answer = () => "hang"
  const work = approvalWork("1")
  const desk = await deskWithNotices([work], [webhookTo(receiver.url)])
  await expect.poll(() => receiver.received.length).toBe(1)
  work.status = "done"
  await expect.poll(() => desk.database.read("SELECT sequence FROM notice_delivery")).toHaveLength(3)
  receiver.control.answer = () => 204
  receiver.cut()
  // The first attempt would be repeated after 5 s.
  await expect
    .poll(() => ofItem(receiver.received, "approval_1"), { timeout: 3_000 })
    .toEqual(["approval.waiting 1", "approval.resolved 1"])
})

test("410 ends the webhook until a restart, and a receiver that hangs has at most four requests", async () => {
  const receiver = await startReceiver()
  receiver.control.answer = () => "hang"
  const works = Array.from({ length: 9 }, (_, index) => approvalWork(String(index)))
  await deskWithNotices(works, [webhookTo(receiver.url)])
  await expect.poll(() => receiver.control.atOnce).toBe(4)
  const gone = await startReceiver()
  gone.control.answer = () => 410
  const desk = await deskWithNotices([approvalWork("a"), approvalWork("b")], [webhookTo(gone.url)])
  await expect.poll(() => desk.logged.filter((line) => line.includes("got a 410 response"))).toHaveLength(1)
  const unsent = () => desk.database.read("SELECT answer, leased_until FROM notice_delivery WHERE settled_at IS NULL")
  await expect.poll(unsent).toEqual([
    { answer: "410", leased_until: null },
    { answer: "410", leased_until: null },
  ])
  expect(receiver.control.mostAtOnce).toBe(4)
})

test("an item whose Work is away for a while has ended only when the service says so, and is told again when it is back", async () => {
  const receiver = await startReceiver()
  const works = [approvalWork("1")]
  const [work] = works
  const desk = await deskWithNotices(works, [webhookTo(receiver.url)])
  const events = () => ofItem(receiver.received, "approval_1")
  await expect.poll(events).toEqual(["approval.waiting 1"])
  // The list does not have the Work, and nobody can say what became of it.
  works.pop()
  const failing = { status: 503, body: problem(503, "UNAVAILABLE").body }
  desk.upstream.control.behave = (target) => (target.includes("/work_1") ? failing : undefined)
  const lists = () => desk.upstream.heard.filter(({ target }) => target.includes("status=working")).length
  const before = lists()
  await expect.poll(lists, { timeout: 30_000 }).toBeGreaterThan(before + 3)
  expect(events()).toEqual(["approval.waiting 1"])
  desk.upstream.control.behave = () => undefined
  await expect.poll(events, { timeout: 20_000 }).toEqual(["approval.waiting 1", "approval.resolved 1"])
  if (work !== undefined) works.push(work)
  const all = ["approval.waiting 1", "approval.resolved 1", "approval.waiting 1"]
  await expect.poll(events, { timeout: 20_000 }).toEqual(all)
  works.pop()
  await expect.poll(events, { timeout: 20_000 }).toEqual([...all, "approval.resolved 1"])
}, 90_000)

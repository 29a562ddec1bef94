import { expect, test } from "vitest"
import { MUTATION, send } from "../desk/testing/desk.ts"
import { putChoice, signInAndChoose } from "../desk/testing/notices.ts"
import { fakeWork, workJson } from "../waiting/testing/simulation.ts"
import { textOf } from "./testing/mail-server.ts"
import { change, CHOICE, creator, show, startDesk, TIMEOUT } from "../desk/testing/own-work.ts"

test("what happens within the batch is one mail and one push, a pause is told again only after the Work went on", async () => {
  const works = [fakeWork("work_1", 1), fakeWork("work_2", 2), fakeWork("work_3", 3)]
  const { mail, desk, subjects, sentTo, giveDevice, pushes } = await startDesk(3_000)
  await giveDevice("ada", await creator(desk, "ada", works))
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
  expect(await desk.database.read("SELECT step FROM own_notice")).toHaveLength(2)
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

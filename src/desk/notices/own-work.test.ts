import { expect, test } from "vitest"
import { approvalWork, signInAndChoose } from "../testing/notices.ts"
import { fakeWork } from "../watcher/testing/simulation.ts"
import { findOwnDeliveries } from "./own-work.ts"
import { personForTest } from "./testing/items.ts"
import { textOf } from "./testing/mail-server.ts"
import { change, creator, decide, show, startDesk, TIMEOUT } from "../testing/own-work.ts"

test("who created a Work hears of its end, a pause and a declined approval, and by choice of each step", async () => {
  const urgent = fakeWork("work_4", 2, { json: { priority: "urgent" } })
  const works = [approvalWork("1"), approvalWork("2"), fakeWork("work_3", 1), urgent]
  const [declined, approved, paused, done] = works
  const { desk, subjects, sentTo, addPushDevice, pushes, pushedTo } = await startDesk()
  const made = [
    ["ada", await creator(desk, "ada", works)],
    ["bea", await creator(desk, "bea", works, { own_work: "steps" })],
    ["cleo", await creator(desk, "cleo", works, { own_work: "off" })],
    ["dan", await creator(desk, "dan", works, { mail: "off" })],
    ["eve", await signInAndChoose(desk, "eve", ["staff"], { own_work: "steps" })],
  ] as const
  for (const [name, headers] of made) await addPushDevice(name, headers)
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
    /^Your Work is done\nhttp:\/\/localhost:4400\/work\/work_4\n\nYou are receiving this mail because .*\nMail settings: http:\/\/localhost:4400\/notices\nTurn off mail: http:\/\/localhost:4400\/desk\/notices\/unsubscribe\?token=\S+$/,
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

test("news of urgent Work from before the end of an absence waits for the mail of the person's choice", () => {
  const notice = (workId: string, seenAt: number) => {
    const key = { channel: "mail", recipient: "ada", workId, itemId: "", version: "", step: "own done" } as const
    return { ...key, urgent: 1, seenAt, notified: new Map<string, Set<string>>() }
  }
  const people = new Map([["ada", { ...personForTest("ada", { mail: "daily" }), backAt: 500_000 }]])
  const own = [notice("before", 499_999), notice("since", 500_000)]
  const leaving = (wish: "urgent" | "now") =>
    findOwnDeliveries({ own, now: 1_000_000, batchMs: 0, people, timingOf: () => wish }).map(({ notices }) =>
      notices.map(({ item }) => item.workId),
    )
  expect(leaving("urgent")).toEqual([["since"]])
  expect(leaving("now")).toEqual([["before", "since"]])
})

/** What notices say about items while the service's list fails: nothing has ended that the service still has. */
import { expect, test } from "vitest"
import {
  approvalWork,
  deskWithNotices,
  PUBLIC_URL,
  questionWork,
  startReceiver,
  webhookTo,
} from "../testing/notices.ts"
import { startSignInProxy } from "../testing/sign-in.ts"
import { problem } from "../watcher/testing/simulation.ts"
import type { Behaviour } from "../watcher/testing/watcher.ts"

const LONG = { timeout: 40_000 }
const isList = (target: string) => target.startsWith("/api/v1/work?")

/** A desk that has told four items, and what its receiver hears. */
async function deskWithFourItems() {
  const receiver = await startReceiver()
  const works = [
    approvalWork("1"),
    approvalWork("2"),
    approvalWork("3", 0, {}, { status: "paused" }),
    questionWork("4"),
  ]
  const channel = webhookTo(receiver.url)
  const desk = await deskWithNotices(works, [channel])
  const told = () => receiver.received.map(({ event }) => `${event.type} ${event.data["item_id"] ?? ""}`).toSorted()
  await expect.poll(() => told().length, LONG).toBe(4)
  return { desk, told, channel }
}

/** Lets the desk's lists fail so many times, and then shows it a new item. Returns what was told of all items by then. */
async function failAndHeal(
  { upstream, works }: Pick<Awaited<ReturnType<typeof deskWithNotices>>, "upstream" | "works">,
  told: () => readonly string[],
  behave: (target: string) => Behaviour,
  times: number,
) {
  const before = upstream.heard.length
  upstream.control.behave = behave
  const failed = () =>
    upstream.heard.slice(before).filter(({ target }) => behave(target) !== undefined && isList(target))
  await expect.poll(() => failed().length, LONG).toBeGreaterThanOrEqual(times)
  upstream.control.behave = () => undefined
  works.push(approvalWork("new"))
  await expect.poll(told, LONG).toContain("approval.waiting approval_new")
  return told().filter((line) => !line.endsWith("new"))
}

test.each([
  ["answers 503", (target: string) => (isList(target) ? problem(503, "UNAVAILABLE") : undefined)],
  ["answers 404", (target: string) => (isList(target) ? problem(404, "NOT_FOUND") : undefined)],
  [
    "is broken for one status",
    (target: string) => (/status=working/.test(target) ? problem(500, "BROKEN") : undefined),
  ],
])(
  "a desk that starts while the list %s tells nothing as ended and nothing again",
  async (_, behave) => {
    const { desk, told, channel } = await deskWithFourItems()
    const before = told()
    await desk.stop()
    desk.upstream.control.behave = behave
    const people = { database: desk.database }
    await startSignInProxy(desk.upstream.url, { publicUrl: PUBLIC_URL, notices: [channel], people })
    expect(await failAndHeal(desk, told, behave, 9)).toEqual(before)
  },
  120_000,
)

test("404 from everything on a running desk ends nothing", async () => {
  const { desk, told } = await deskWithFourItems()
  const before = told()
  expect(await failAndHeal(desk, told, () => problem(404, "NOT_FOUND"), 4)).toEqual(before)
}, 120_000)

test("a service that is up and down in turn: each item is told once, and ends once", async () => {
  const { desk, told } = await deskWithFourItems()
  const { upstream, works } = desk
  const expected = [...told()]
  for (const [round, status] of [503, 404, 500, 502].entries()) {
    const before = upstream.heard.length
    upstream.control.behave = () => problem(status, "DOWN")
    await expect
      .poll(() => upstream.heard.slice(before).filter(({ target }) => isList(target)).length, LONG)
      .toBeGreaterThanOrEqual(2)
    works.push(approvalWork(`new_${round}`))
    // The Work of the round before ends.
    const decided = works.find(({ id }) => id === `work_new_${round - 1}`)
    if (decided !== undefined) decided.status = "done"
    upstream.control.behave = () => undefined
    expected.push(`approval.waiting approval_new_${round}`)
    if (decided !== undefined) expected.push(`approval.resolved approval_new_${round - 1}`, "work.done ")
    await expect.poll(told, LONG).toEqual(expected.toSorted())
  }
}, 240_000)

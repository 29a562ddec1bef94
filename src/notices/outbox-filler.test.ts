import { expect, onTestFinished, test } from "vitest"
import { openLog } from "../platform/log.ts"
import { Directory } from "../people/directory.ts"
import { localPeople } from "../people/open-people.ts"
import { mailTo } from "../desk/testing/notices.ts"
import { databaseForTest, folderForTest } from "../store/testing/stores.ts"
import { fakeApproval, fakeWork, problem, range, Simulation } from "../waiting/testing/simulation.ts"
import { isChecked } from "../waiting/watched-work.ts"
import { takeLease } from "./lease.ts"
import { OutboxFiller } from "./outbox-filler.ts"
import { Faults, NoticeLoop } from "./notice-loop.ts"
import { Outbox } from "./outbox.ts"

const HOLDER = "one"

/** A look at what a watcher in simulated time has read. `load` of the team may take its time. */
async function lookAt({ plan }: Simulation, load = () => Promise.resolve()) {
  const database = await databaseForTest({ dataFolder: await folderForTest(), databaseUrl: undefined })
  const outbox = new Outbox(database, HOLDER)
  const log = openLog("error", { write: () => undefined })
  const filler = new OutboxFiller({
    configuration: { mail: mailTo(1), webhook: undefined },
    database,
    outbox,
    directory: new Directory(database, undefined),
    access: () => localPeople().access(),
    queries: {
      watcher: {
        use: () => plan.state,
        views: { of: () => ({ key: "", works: [], sees: () => true, isWhole: true }) },
      },
      claims: { load, assignedTo: () => undefined, notFor: () => [], remindAt: () => undefined },
      claimable: (watched, item) => ({
        work: watched.work,
        item,
        facts: () => expect.unreachable(),
        firstCreatedAt: 0,
      }),
    },
    workPeople: undefined,
    links: () => new URL("http://localhost"),
    log,
    count: () => undefined,
  })
  return { database, outbox, filler, log }
}

const approvalOf = (id: string) => ({ workId: `w${id}`, itemId: `a${id}`, version: "1", step: "told" })
const works = (count: number) =>
  range(count).map((id) => fakeWork(`w${id}`, id, { approvals: [fakeApproval(`a${id}`, { work_id: `w${id}` })] }))

test("a look waits until the watcher has read every Work, also after the watcher or the lease began again", async () => {
  const simulation = new Simulation(works(100))
  const { state } = simulation.plan
  const { database, filler } = await lookAt(simulation)
  await takeLease(database, HOLDER, Date.now())
  const of1 = async () => [await filler.fill(), filler.findItem(approvalOf("1"))]
  expect(await of1()).toEqual([false, "unread"])
  while (!state.isListed || !state.works.values().some(isChecked)) simulation.run(1)
  const unread =
    state.works
      .values()
      .find((watched) => !isChecked(watched))
      ?.work.id.slice(1) ?? ""
  expect([await filler.fill(), filler.findItem(approvalOf(unread))]).toEqual([false, "unread"])
  simulation.run(60_000)
  expect(await of1()).toEqual([true, expect.objectContaining({ itemId: "a1" })])
  simulation.plan.start()
  filler.reload()
  expect(await of1()).toEqual([false, "unread"])
  simulation.run(60_000)
  expect(await of1()).toEqual([true, expect.objectContaining({ itemId: "a1" })])
  expect(filler.findItem({ ...approvalOf("1"), version: "2" })).toBeUndefined()
})

test("a Work that cannot be read holds no other, and nobody knows whether its items wait", async () => {
  const simulation = new Simulation(works(3))
  const answer = simulation.answer
  simulation.answer = (target, at) => (target.includes("/w1/approvals") ? problem(500, "INTERNAL") : answer(target, at))
  simulation.run(5_000)
  const { database, filler } = await lookAt(simulation)
  await takeLease(database, HOLDER, Date.now())
  expect(await filler.fill()).toBe(true)
  expect(filler.findItem(approvalOf("1"))).toBeUndefined()
  expect(filler.findItem(approvalOf("2"))).toMatchObject({ itemId: "a2" })
})

test("the lease is renewed while a look takes long", async () => {
  const simulation = new Simulation(works(3))
  simulation.run(5_000)
  const { promise, resolve } = Promise.withResolvers<void>()
  const { database, outbox, filler, log } = await lookAt(simulation, () => promise)
  const loop = new NoticeLoop({ database, holder: HOLDER, outbox, filler, senders: [], faults: new Faults(log) })
  onTestFinished(async () => {
    resolve()
    await loop.stop()
  })
  loop.start()
  const expiresAt = async () => Number((await database.read("SELECT expires_at FROM lease"))[0]?.["expires_at"] ?? 0)
  await expect.poll(expiresAt).toBeGreaterThan(0)
  const first = await expiresAt()
  await expect.poll(expiresAt, { timeout: 10_000 }).toBeGreaterThan(first)
  expect(await takeLease(database, "two", first)).toBe(false)
})

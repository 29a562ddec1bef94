import { expect, onTestFinished, test } from "vitest"
import { mailTo } from "../testing/notices.ts"
import { localPeople } from "../people/open-people.ts"
import { openLog } from "../../platform/log.ts"
import { databaseForTest, folderForTest } from "../store/testing/stores.ts"
import { fakeApproval, fakeWork, problem, range, Simulation } from "../watcher/testing/simulation.ts"
import { isChecked } from "../watcher/watched-work.ts"
import { NOBODY } from "../record/creators-and-deciders.ts"
import { sortPeople } from "./able-people.ts"
import { personForTest } from "./testing/items.ts"
import { LEASE_MS, acquireLease } from "./lease.ts"
import type { Notice } from "./channel.ts"
import { KnownItems } from "./known-items.ts"
import { NoticeLoop, type NoticeLoopOptions } from "./notice-loop.ts"
import { Outbox } from "./outbox.ts"
import { OutboxFiller, type OutboxFillerOptions } from "./outbox-filler.ts"
import { createReadPeople } from "./people-now.ts"
import { findWaiting, type WaitingSources } from "./waiting-items.ts"

const HOLDER = "one"

/** A desk that looks at what a watcher in simulated time has read. `load` of the team may take its time. */
async function lookAt({ plan }: Simulation, load = () => Promise.resolve(), workPeople?: WaitingSources["workPeople"]) {
  const database = await databaseForTest({ dataFolder: await folderForTest(), databaseUrl: undefined })
  const known = new KnownItems()
  const sources = {
    access: () => localPeople().access(),
    queries: {
      knownApproval: () => undefined,
      doneWork: () => undefined,
      watcher: {
        wake: () => plan.state,
        visibleWork: { of: () => ({ key: "", works: [], sees: () => true, seesUnwatched: true }) },
      },
      claims: { load, assignedTo: () => undefined, notFor: () => [] },
      claimable: (watched, item) => ({
        work: watched.work,
        item,
        facts: () => expect.unreachable(),
        firstCreatedAt: 0,
      }),
    },
    workPeople,
  } satisfies WaitingSources & Pick<OutboxFillerOptions, "queries">
  const channel = mailTo(1)
  const log = openLog("error", { write: () => undefined })
  const options = {
    ...sources,
    channels: [channel],
    database,
    holder: HOLDER,
    outbox: new Outbox(database, HOLDER),
    known,
    desk: {
      database,
      log,
      findOwn: () => expect.unreachable(),
      findItem: () => expect.unreachable(),
      seesWork: () => expect.unreachable(),
      mayDecide: () => expect.unreachable(),
      readPerson: () => expect.unreachable(),
      tokenKey: () => expect.unreachable(),
      labelOf: (id) => id,
      links: () => new URL("http://localhost"),
    },
    readPeople: createReadPeople({ ...sources, database, issuer: undefined, log }),
    log,
    count: () => undefined,
  } satisfies NoticeLoopOptions
  const findItem = (notice: Notice) => findWaiting(sources, known, notice)
  return { database, filler: new OutboxFiller(options), loop: new NoticeLoop(options), findItem, sources }
}

const approvalOf = (id: string) => ({ workId: `w${id}`, itemId: `a${id}`, version: "1", step: "told" })
const works = (count: number) =>
  range(count).map((id) => fakeWork(`w${id}`, id, { approvals: [fakeApproval(`a${id}`, { work_id: `w${id}` })] }))

test("a look waits until the watcher has read every Work, also after the watcher began again", async () => {
  const simulation = new Simulation(works(100))
  const { state } = simulation.plan
  const { database, filler, findItem } = await lookAt(simulation)
  await acquireLease(database, HOLDER, Date.now())
  const of1 = async () => [await filler.fill(), findItem(approvalOf("1"))]
  expect(await of1()).toEqual([false, "unread"])
  while (state.knownWhole().level === "unknown" || !state.works.values().some(isChecked)) simulation.run(1)
  const unread =
    state.works
      .values()
      .find((watched) => !isChecked(watched))
      ?.work.id.slice(1) ?? ""
  expect([await filler.fill(), findItem(approvalOf(unread))]).toEqual([false, "unread"])
  simulation.run(60_000)
  expect(await of1()).toEqual([true, expect.objectContaining({ known: expect.objectContaining({ itemId: "a1" }) })])
  simulation.plan.start()
  expect(await of1()).toEqual([false, "unread"])
  simulation.run(60_000)
  expect(await of1()).toEqual([true, expect.objectContaining({ known: expect.objectContaining({ itemId: "a1" }) })])
  expect(findItem({ ...approvalOf("1"), version: "2" })).toBeUndefined()
})

test("while the store has not said who created a Work, nobody is notified of it, and a notice that was made waits", async () => {
  const simulation = new Simulation(works(2))
  simulation.run(5_000)
  let isRead = false
  const workPeople = { of: (id: string) => (id === "w1" && !isRead ? undefined : NOBODY) }
  const { findItem, sources } = await lookAt(simulation, undefined, workPeople)
  const able = await sortPeople(new Map([["ada", personForTest("ada")]]), {
    visibleWork: sources.queries.watcher.visibleWork,
    workPeople,
  })
  const ofItem = (id: string) => {
    const watched = simulation.plan.state.works.get(`w${id}`)
    const listed = watched?.approvals[0]
    if (watched === undefined || listed === undefined) throw new Error("no such item")
    return able.of({ watched, listed })
  }
  expect([ofItem("1"), findItem(approvalOf("1"))]).toEqual([[], "unread"])
  expect([ofItem("0"), findItem(approvalOf("0"))]).toEqual([["ada"], expect.objectContaining({ escalations: [] })])
  isRead = true
  expect([ofItem("1"), findItem(approvalOf("1"))]).toEqual([["ada"], expect.objectContaining({ escalations: [] })])
})

test("a Work that cannot be read holds no other, and nobody knows whether its items wait", async () => {
  const simulation = new Simulation(works(3))
  const answer = simulation.answer
  simulation.answer = (target, at) => (target.includes("/w1/approvals") ? problem(500, "INTERNAL") : answer(target, at))
  simulation.run(5_000)
  const { database, filler, findItem } = await lookAt(simulation)
  await acquireLease(database, HOLDER, Date.now())
  expect(await filler.fill()).toBe(true)
  expect(findItem(approvalOf("1"))).toBeUndefined()
  expect(findItem(approvalOf("2"))).toMatchObject({ known: { itemId: "a2" } })
})

test("the lease is renewed while a look takes long, and the next look comes before the lease runs out", async () => {
  const simulation = new Simulation(works(3))
  simulation.run(5_000)
  const { promise, resolve } = Promise.withResolvers<void>()
  let looks = 0
  const { database, loop } = await lookAt(simulation, () => {
    looks++
    return promise
  })
  onTestFinished(async () => {
    resolve()
    await loop.stop()
  })
  loop.start()
  const expiresAt = async () => Number((await database.read("SELECT expires_at FROM lease"))[0]?.["expires_at"] ?? 0)
  await expect.poll(expiresAt).toBeGreaterThan(0)
  const first = await expiresAt()
  await expect.poll(expiresAt, { timeout: 10_000 }).toBeGreaterThan(first)
  expect(await acquireLease(database, "two", first)).toBe(false)
  resolve()
  await expect.poll(() => looks, { timeout: LEASE_MS }).toBe(2)
  expect(await acquireLease(database, "two", Date.now())).toBe(false)
}, 60_000)

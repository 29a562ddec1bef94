import { expect, test } from "vitest"
import { ada, approval, creation, DecidingDesk, decision, success } from "../record/testing/deciding.ts"
import type { Statements } from "../store/database.ts"
import { databaseForTest, describeStores } from "../store/testing/stores.ts"
import { readOneWork } from "../watcher/read-resources.ts"
import { fakeWork, workJson } from "../watcher/testing/simulation.ts"
import { WatchState } from "../watcher/watch-state.ts"
import { storeItems } from "./known-items.ts"
import { itemForTest } from "./testing/items.ts"
import { readTokenKey } from "./unsubscribe.ts"
import { WorkSteps } from "./work-steps.ts"

describeStores("what the record keeps for the next look", ({ newStore }) => {
  async function startDesk(channels: object = { webhook: 0 }) {
    const desk = new DecidingDesk(await databaseForTest(await newStore()))
    const { database } = desk
    await readTokenKey(database)
    await database.write("UPDATE notice_desk SET channels = ?", JSON.stringify(channels))
    const change = (work: (statements: Statements) => Promise<void>) => database.transaction("notices", work)
    const newSteps = async () => {
      const steps = new WorkSteps()
      await steps.load(database)
      return steps
    }
    /** What becomes known of the approval, and of the Work that was created. */
    const find = (steps: WorkSteps, status: string) => {
      const knownApproval = () => ({ status, colleague: "analyst", createdAt: "2026-11-21T10:00:00.000Z" })
      const state = new WatchState()
      const work = fakeWork("work_1", 0, { json: { priority: "urgent" } })
      state.applyWork(readOneWork(JSON.stringify(workJson(work))), 1, 0)
      const facts = { colleague: "analyst", priority: "normal", createdAt: "" }
      const doneWork = (workId: string) => (workId === "work_2" ? facts : undefined)
      return steps.find(database, state, { knownApproval, doneWork }, Date.now())
    }
    const decide = () =>
      desk.send(ada, decision({ decide: "decline" }), success({ ...approval(), status: "declined", version: 2 }))
    const create = () => desk.send(ada, creation(), success({ id: "work_2" }, { status: 201 }))
    return { database, change, newSteps, find, decide, create }
  }

  test("a decision about an approval that no look has seen is a step, once, also after a restart", async () => {
    const { change, newSteps, find, decide } = await startDesk()
    const first = await newSteps()
    await decide()
    expect((await find(first, "pending")).steps).toEqual([])
    const second = await newSteps()
    const found = await find(second, "declined")
    const about = { workId: "work_1", itemId: "approval_1", version: "1" }
    const facts = { colleague: "analyst", priority: "urgent", createdAt: "2026-11-21T10:00:00.000Z" }
    expect(found.steps).toMatchObject([{ step: "declined", ...about, ...facts }])
    await second.keep(found, change)
    for (const steps of [second, await newSteps()]) expect((await find(steps, "declined")).steps).toEqual([])
  })

  test("Work that was created and is done before a look has seen it is a step, once", async () => {
    const { change, newSteps, find, create } = await startDesk()
    const steps = await newSteps()
    await create()
    const found = await find(steps, "pending")
    expect(found.steps).toMatchObject([{ step: "done", workId: "work_2", itemId: "", colleague: "analyst" }])
    await steps.keep(found, change)
    expect((await find(steps, "pending")).steps).toEqual([])
  })

  test("nothing is kept while no desk has a channel", async () => {
    const { database, newSteps, find, decide, create } = await startDesk({})
    await decide()
    await create()
    expect((await find(await newSteps(), "declined")).steps).toEqual([])
    expect(await database.read("SELECT work_id FROM noticed_work")).toEqual([])
  })

  test("an approval that a look has seen waiting ends with its item", async () => {
    const { database, newSteps, find, decide } = await startDesk()
    const { known } = itemForTest("approval_1")
    await storeItems(database, [{ ...known, workId: "work_1" }])
    await decide()
    expect((await find(await newSteps(), "declined")).steps).toEqual([])
  })
})

import { expect, test } from "vitest"
import { ada, approval, DecidingDesk, decision, success } from "../record/testing/deciding.ts"
import type { Statements } from "../store/database.ts"
import { databaseForTest, describeStores } from "../store/testing/stores.ts"
import { readOneWork } from "../watcher/read-resources.ts"
import { fakeWork, workJson } from "../watcher/testing/simulation.ts"
import { WatchState } from "../watcher/watch-state.ts"
import { itemForTest } from "./testing/items.ts"
import { readTokenKey } from "./unsubscribe.ts"
import { WorkSteps } from "./work-steps.ts"

const NOTHING = { get: () => undefined }

describeStores("what a desk finds in the record", ({ newStore }) => {
  async function startDesk() {
    const desk = new DecidingDesk(await databaseForTest(await newStore()))
    const { database } = desk
    await readTokenKey(database)
    const change = (work: (statements: Statements) => Promise<void>) => database.transaction("notices", work)
    const newSteps = async () => {
      const steps = new WorkSteps()
      await steps.load(database)
      return steps
    }
    /** What becomes known of the approval. */
    const find = (steps: WorkSteps, status: string) => {
      const knownApproval = () => ({ status, colleague: "analyst", createdAt: "2026-11-21T10:00:00.000Z" })
      const state = new WatchState()
      const work = fakeWork("work_1", 0, { json: { priority: "urgent" } })
      state.applyWork(readOneWork(JSON.stringify(workJson(work))), 1, 0)
      return steps.find(state, { knownApproval, doneWork: () => undefined }, Date.now())
    }
    const decide = () =>
      desk.send(ada, decision({ decide: "decline" }), success({ ...approval(), status: "declined", version: 2 }))
    return { database, change, newSteps, find, decide }
  }

  test("a decision about an approval that no look has seen is a step, once, also after a restart", async () => {
    const { database, change, newSteps, find, decide } = await startDesk()
    const first = await newSteps()
    await first.applyRecorded(database, NOTHING, change)
    await decide()
    await first.applyRecorded(database, NOTHING, change)
    expect((await find(first, "pending")).steps).toEqual([])
    const second = await newSteps()
    await second.applyRecorded(database, NOTHING, change)
    const found = await find(second, "declined")
    const about = { workId: "work_1", itemId: "approval_1", version: "1" }
    const facts = { colleague: "analyst", priority: "urgent", createdAt: "2026-11-21T10:00:00.000Z" }
    expect(found.steps).toMatchObject([{ step: "declined", ...about, ...facts }])
    await second.keep(found, change)
    for (const steps of [second, await newSteps()]) {
      await steps.applyRecorded(database, NOTHING, change)
      expect((await find(steps, "declined")).steps).toEqual([])
    }
  })

  test("an approval that was decided before the first look is no step", async () => {
    const { database, change, newSteps, find, decide } = await startDesk()
    await decide()
    const steps = await newSteps()
    await steps.applyRecorded(database, NOTHING, change)
    expect((await find(steps, "declined")).steps).toEqual([])
  })

  test("an approval that a look has seen waiting ends with its item", async () => {
    const { database, change, newSteps, find, decide } = await startDesk()
    const steps = await newSteps()
    await steps.applyRecorded(database, NOTHING, change)
    await decide()
    const { known } = itemForTest("approval_1")
    await steps.applyRecorded(database, { get: () => known }, change)
    expect((await find(steps, "declined")).steps).toEqual([])
  })
})

import { expect, test } from "vitest"
import { insert } from "../store/tables.ts"
import { databaseForTest, describeStores } from "../store/testing/stores.ts"
import { acquireLease } from "./lease.ts"
import { addDeliveries } from "./new-deliveries.ts"
import { Outbox } from "./outbox.ts"
import { OwnNotices } from "./own-notices.ts"
import { personForTest } from "./testing/items.ts"
import { readTokenKey } from "./unsubscribe.ts"
import type { WorkStep } from "./work-steps.ts"

const MAIL = { name: "mail", order: "any", noun: "a mail" } as const

describeStores("the notices of own Work", ({ newStore }) => {
  async function startDesk() {
    const database = await databaseForTest(await newStore())
    await readTokenKey(database)
    await acquireLease(database, "one", Date.now())
    const outbox = new Outbox(database, "one")
    await insert(database, "work_person", { workId: "work_1", personId: "ada", deed: "creator" })
    const send = () => Promise.reject(new Error("nothing is sent"))
    const mail = { ...MAIL, notifiesOfOwnWork: () => true, findDeliveries: () => Promise.resolve([]), send }
    const start = async () => {
      const desk = { seesWork: () => Promise.resolve(true) }
      const own = new OwnNotices({ channels: [mail], database, outbox, desk })
      await own.load()
      return own
    }
    const leave = (own: OwnNotices) => {
      const notices = own.of("mail").map((item) => ({ item, step: item.step }))
      return addDeliveries(outbox, MAIL, notices.length === 0 ? [] : [{ recipient: "ada", notices }], 1)
    }
    return { database, start, leave }
  }

  const people = new Map([["ada", personForTest("ada")]])
  const facts = { colleague: "analyst", priority: "normal", createdAt: "" }
  const done: WorkStep = { ...facts, step: "done", workId: "work_1", itemId: "", version: "", at: Date.now() + 60_000 }

  test("wait without a delivery, are in one delivery, and are in no second one, wherever a desk dies", async () => {
    const { database, start, leave } = await startDesk()
    const rows = () => database.read("SELECT step, urgent, delivery FROM notice")
    const first = await start()
    await first.add([], people, Date.now())
    await first.add([done], people, Date.now())
    expect(await rows()).toEqual([{ step: "own done", urgent: 0, delivery: null }])
    const second = await start()
    expect(second.of("mail")).toHaveLength(1)
    await leave(second)
    expect(await rows()).toEqual([{ step: "own done", urgent: 0, delivery: 1 }])
    // The desk dies before it has stored that the step was found, so the next one finds the step again.
    const third = await start()
    await third.add([done], people, Date.now())
    expect(third.of("mail")).toEqual([])
    await third.settle(people)
    expect(await rows()).toEqual([{ step: "own done", urgent: 0, delivery: 1 }])
  })

  test("are removed when their person no longer wants them, unless they are in a delivery", async () => {
    const { database, start, leave } = await startDesk()
    const own = await start()
    await own.add([], people, Date.now())
    await own.add([done], people, Date.now())
    await leave(own)
    await own.add([{ ...done, step: "paused", version: "2" }], people, Date.now())
    expect(own.of("mail").map(({ step }) => step)).toEqual(["own paused"])
    await own.settle(new Map([["ada", personForTest("ada", { own_work: "off" })]]))
    expect(own.of("mail")).toEqual([])
    expect(await database.read("SELECT step FROM notice")).toEqual([{ step: "own done" }])
  })

  test("that a desk of schema 3 stored are kept, except those that it put into a delivery", async () => {
    const { database, start } = await startDesk()
    const key = { channel: "mail", recipient: "ada", itemId: "", version: "", step: "own done" }
    await insert(database, "notice", { ...key, workId: "work_1", delivery: 7 })
    const waiting = { urgent: 1, seenAt: 5 }
    await insert(database, "own_notice", ...["work_1", "work_2"].map((workId) => ({ ...key, workId, ...waiting })))
    expect((await start()).of("mail")).toMatchObject([{ workId: "work_2", step: "own done", urgent: 1, seenAt: 5 }])
    expect((await start()).of("mail")).toHaveLength(1)
    expect(await database.read("SELECT work_id FROM own_notice")).toEqual([])
    expect(await database.read("SELECT delivery FROM notice WHERE work_id = 'work_1'")).toEqual([{ delivery: 7 }])
  })
})

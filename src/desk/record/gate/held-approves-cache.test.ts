import { expect, test } from "vitest"
import { changedDatabase, databaseForTest, readsCounted } from "../../store/testing/stores.ts"
import { ada, ben, cleo, DecidingDesk, decision, describeDesks, TWO, watchedApproval } from "../testing/deciding.ts"

describeDesks("an approval that needs several", (desks) => {
  const given = (desk: DecidingDesk) => desk.record.held.of(watchedApproval())?.given.map(({ person }) => person.name)

  test("that is decided elsewhere is held no more, and many held approves are read by four statements", async () => {
    const { database, reads } = readsCounted(await databaseForTest(await desks.newStore()))
    const desk = new DecidingDesk(database)
    desk.rules({ ...TWO, approvalsNeeded: 4 })
    for (const person of [ada, ben, cleo]) await desk.holds(person, decision())
    reads.length = 0
    await desk.record.held.changed()
    expect(reads).toHaveLength(4)
    desk.record.held.end("work_1", () => false)
    desk.record.held.end("work_1", (_, storedAt) => storedAt < Date.now() - 3_600_000)
    expect(given(desk)).toHaveLength(3)
    desk.record.held.end("work_1", (approvalId) => approvalId === "approval_1")
    await expect.poll(() => given(desk)).toEqual([])
    expect(await database.read("SELECT intent FROM held_approval")).toEqual([])
  })

  test("that is decided elsewhere loses the approves that the desk has seen, and none that came since", async () => {
    const database = await databaseForTest(await desks.newStore())
    // The desk hears nothing of the other desk.
    const deaf = changedDatabase(database, { subscribe: () => () => undefined })
    const [desk, other] = [new DecidingDesk(deaf), new DecidingDesk(database)]
    for (const one of [desk, other]) one.rules({ ...TWO, approvalsNeeded: 4 })
    await desk.holds(ada, decision())
    await other.holds(ben, decision())
    desk.record.held.end("work_1", () => true)
    await expect.poll(() => given(desk)).toEqual(["Ben"])
    expect(await database.read("SELECT person_id FROM held_approval")).toEqual([{ person_id: "ben" }])
  })

  test("tells other desks when approves come and go", async () => {
    const where = await desks.newStore()
    const [one, other] = [
      new DecidingDesk(await databaseForTest(where)),
      new DecidingDesk(await databaseForTest(where)),
    ]
    if (!one.database.isShared) return
    for (const desk of [one, other]) desk.rules(TWO)
    let changes = 0
    other.record.held.onChange(() => changes++)
    await one.holds(ada, decision())
    await expect.poll(() => given(other)).toEqual(["Ada"])
    await one.withdraw(ada)
    await expect.poll(() => given(other)).toEqual([])
    expect(changes).toBe(2)
  })
})

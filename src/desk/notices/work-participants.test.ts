import { expect, test } from "vitest"
import {
  ada,
  approval,
  ben,
  cleo,
  type DecidingDesk,
  decision,
  describeDesks,
  sessionOf,
  success,
} from "../record/testing/deciding.ts"
import { toOwnNotices } from "./own-work.ts"
import type { Person } from "./people-now.ts"
import { personForTest } from "./testing/items.ts"
import type { WorkStep } from "./work-steps.ts"

const approved = success({ ...approval(), status: "approved", version: 2 })

describeDesks("who hears of a step of a Work that Ada created", (desks) => {
  async function newDesk() {
    const desk = await desks.newDesk()
    desk.rules({ approvalsNeeded: 2 })
    await desk.database.write("INSERT INTO work_person (work_id, person_id, deed) VALUES ('work_1', 'ada', 'creator')")
    return desk
  }

  const people = new Map(["ada", "ben", "cleo"].map((id) => [id, personForTest(id, { own_work: "steps" })]))
  const channel = { name: "mail", notifies: () => true, since: 0 }

  async function heard(
    { database }: DecidingDesk,
    step: WorkStep["step"],
    who: ReadonlyMap<string, Person> = people,
  ): Promise<readonly string[]> {
    const itemId = step === "approved" || step === "declined" ? "approval_1" : ""
    const facts = { workId: "work_1", colleague: "analyst", priority: "normal", createdAt: "" }
    const steps = [{ ...facts, step, itemId, version: "1", at: 1 }]
    const found = await toOwnNotices(database, steps, [channel], who, 1, () => Promise.resolve(true))
    return found.map(({ recipient, step: own }) => `${recipient}: ${own}`).toSorted()
  }

  test("whose approve was held hears of the end once another person's approve was sent for both", async () => {
    const desk = await newDesk()
    await desk.holds(ben, decision())
    expect(await heard(desk, "done")).toEqual(["ada: own done"])
    await desk.send(cleo, decision(), { kind: "none" })
    expect(await heard(desk, "done")).toEqual(["ada: own done"])
    await desk.send(cleo, decision(), approved)
    expect(await heard(desk, "done")).toEqual(["ada: own done", "ben: part done", "cleo: part done"])
    expect(await heard(desk, "approved")).toEqual(["ada: own approved"])
  })

  test("whose held approve was part of the decision hears nothing of it, and hears of a decline by another person", async () => {
    const desk = await newDesk()
    await desk.holds(ada, decision())
    expect(await heard(desk, "declined")).toEqual(["ada: own declined"])
    await desk.send(ben, decision(), { kind: "none" })
    expect(await heard(desk, "approved")).toEqual([])
    expect(await heard(desk, "declined")).toEqual(["ada: own declined"])
    await desk.send(cleo, decision({ decide: "decline" }), success({ ...approval(), status: "declined", version: 2 }))
    expect(await heard(desk, "declined")).toEqual(["ada: own declined"])
    expect(await heard(desk, "done")).toEqual(["ada: own done", "cleo: part done"])
  })

  test("whose held approve was withdrawn, or was for an earlier version, had no part in it", async () => {
    const desk = await newDesk()
    await desk.holds(ada, decision())
    expect(await desk.withdraw(ada)).toBe(204)
    await desk.holds(cleo, decision())
    desk.approvals = [approval({ version: 2 })]
    const second = () => decision({ ifMatch: '"2"' })
    await desk.holds(ben, second())
    await desk.send(sessionOf("Dana"), second(), success({ ...approval(), status: "approved", version: 3 }))
    expect(await heard(desk, "approved")).toEqual(["ada: own approved"])
    expect(await heard(desk, "done")).toEqual(["ada: own done", "ben: part done"])
  })

  test("goes to one stand-in once, and waits for the absent creator where the stand-in knows of it already", async () => {
    const desk = await newDesk()
    const absent = (id: string, standIn: string): [string, Person] => {
      const person = people.get(id) ?? expect.unreachable()
      return [id, { ...person, away: { standIn: people.get(standIn) } }]
    }
    const away = new Map([...people, absent("ada", "cleo"), absent("ben", "cleo")])
    expect(await heard(desk, "done", away)).toEqual(["cleo: stood-in done"])
    await desk.holds(ada, decision())
    await desk.send(cleo, decision(), approved)
    expect(await heard(desk, "done", away)).toEqual(["cleo: stood-in done"])
    await desk.database.write("INSERT INTO work_person (work_id, person_id, deed) VALUES ('work_1', 'ben', 'creator')")
    expect(await heard(desk, "approved", away)).toEqual(["ben: own approved"])
    expect(await heard(desk, "done", away)).toEqual(["cleo: stood-in done"])
    await desk.database.write("INSERT INTO work_person (work_id, person_id, deed) VALUES ('work_1', 'cleo', 'creator')")
    expect(await heard(desk, "done", away)).toEqual(["ada: own done", "ben: own done", "cleo: own done"])
  })
})

import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { changedDatabase, databaseForTest } from "../../store/testing/stores.ts"
import type { Database } from "../../store/database.ts"
import {
  ada,
  approval,
  ben,
  cleo,
  creation,
  decided,
  DecidingDesk,
  decision,
  describeDesks,
  success,
  TWO,
} from "../testing/deciding.ts"

const reason = "The analyst runs wild"

describeDesks("a freeze", ({ newStore, newDesk }) => {
  const freeze = (desk: DecidingDesk, colleague: string | null = null, text = reason) =>
    desk.record.freezes.freeze(cleo.person, { colleague, reason: text }, randomUUID())
  const unfreeze = (desk: DecidingDesk, colleague: string | null = null) =>
    desk.record.freezes.unfreeze(cleo.person, colleague, randomUUID())

  test.each(["sign-in", "local"] as const)("refuses approves and new Work until it ends, in mode %s", async (mode) => {
    const desk = await newDesk(mode)
    await freeze(desk)
    const detail = await desk.refuses(ada, decision(), 423, "PROXY_FROZEN")
    const [found] = await desk.record.freezes.read()
    for (const part of [found?.since, reason, "the desk"]) expect(detail).toContain(part)
    await desk.refuses(ada, creation(), 423, "PROXY_FROZEN")
    await desk.send(ada, decision({ decide: "decline", idempotencyKey: "d" }), { kind: "problem", status: 409 })
    const answer = { ...decision(), operation: "resolveWorkAttention", itemId: "attention_1" } as const
    expect(await desk.prepare(ada, answer)).toMatchObject({ kind: "send" })
    const upload = { ...creation(), operation: "createInputUpload" } as const
    expect(await desk.prepare(ada, upload)).toMatchObject({ kind: "send" })
    expect(await unfreeze(desk)).toBe(true)
    expect(await unfreeze(desk)).toBe(false)
    expect(await desk.prepare(ada, creation())).toMatchObject({ kind: "send" })
    await desk.send(ada, decision(), decided)
  })

  test.each(["sign-in", "local"] as const)(
    "of one colleague is for both colleagues of an approval, in mode %s",
    async (mode) => {
      const desk = await newDesk(mode)
      desk.approvals = [approval({ requested_by_colleague: "editor" })]
      for (const colleague of ["analyst", "editor", " Editor\u200B"]) {
        await freeze(desk, colleague)
        await desk.refuses(ada, decision(), 423, "PROXY_FROZEN")
        await unfreeze(desk, colleague)
      }
      await freeze(desk, "metronome")
      await desk.send(ada, creation(), success({ id: "work_2", title: "October" }, { status: 201 }))
      await desk.send(ada, decision(), decided)
      await freeze(desk, "analyst")
      await desk.refuses(ada, creation(), 423, "PROXY_FROZEN")
      const ofEditor = creation({ body: Buffer.from('{"colleague_id":"editor","objective":"x"}') })
      expect(await desk.prepare(ada, ofEditor)).toMatchObject({ kind: "send" })
      await desk.refuses(ada, creation({ body: Buffer.from('{"objective":"x"}') }), 423, "PROXY_FROZEN")
    },
  )

  test("refuses any text but decline, after what is absent and before a version or a rule", async () => {
    const desk = await newDesk()
    desk.rules({ destination: "*@bank.example", approvers: ["group:cfo"] })
    await freeze(desk, "analyst")
    await desk.refuses(ada, decision({ body: Buffer.from('{"decision":"Decline "}') }), 423, "PROXY_FROZEN")
    await desk.refuses(ada, decision({ ifMatch: '"7"' }), 423, "PROXY_FROZEN")
    await desk.refuses(ada, decision({ itemId: "approval_9" }), 404, "PROXY_NOT_FOUND")
    await desk.refuses(ada, decision({ ifMatch: undefined }), 428, "PROXY_VERSION_REQUIRED")
    await desk.refuses(ada, decision({ decide: "decline", ifMatch: '"7"' }), 412, "PROXY_VERSION_STALE")
  })

  test("keeps held approves, refuses the first of two and the last, and lets a withdrawal pass", async () => {
    const desk = await newDesk()
    desk.rules(TWO)
    await desk.holds(ada, decision())
    await freeze(desk)
    await desk.refuses(ben, decision(), 423, "PROXY_FROZEN")
    await desk.refuses(ada, decision(), 423, "PROXY_FROZEN")
    await unfreeze(desk)
    const own = decision()
    expect(await desk.holds(ada, own)).toEqual(["Ada"])
    await freeze(desk)
    expect(await desk.withdraw(ada)).toBe(204)
    await desk.refuses(ben, decision(), 423, "PROXY_FROZEN")
    await unfreeze(desk)
    expect(await desk.holds(ben, decision())).toEqual(["Ben"])
  })

  test.each(["sign-in", "local"] as const)(
    "lets a replay of what the service has confirmed pass, in mode %s",
    async (mode) => {
      const desk = await newDesk(mode)
      const [approve, create] = [decision(), creation()]
      await desk.send(ada, approve, decided)
      await desk.send(ada, create, success({ id: "work_2", title: "October" }, { status: 201 }))
      desk.approvals = [approval({ status: "approved", version: 2 })]
      await freeze(desk)
      await desk.send(ada, approve, { ...decided, replayed: true } as typeof decided)
      expect(await desk.prepare(ada, create)).toMatchObject({ kind: "send" })
    },
  )

  test.each(["sign-in", "local"] as const)(
    "refuses a lost approve while the service has it pending, in mode %s",
    async (mode) => {
      const desk = await newDesk(mode)
      const [approve, create] = [decision(), creation()]
      await desk.send(ada, approve, { kind: "none" })
      await desk.send(ada, create, { kind: "none" })
      await freeze(desk)
      await desk.refuses(ada, approve, 423, "PROXY_FROZEN")
      await desk.refuses(ada, create, 423, "PROXY_FROZEN")
      desk.approvals = [approval({ version: 2 })]
      await desk.refuses(ada, approve, 423, "PROXY_FROZEN")
      desk.approvals = [approval({ status: "approved", version: 2 })]
      expect(await desk.prepare(ada, approve)).toMatchObject({ kind: "send" })
    },
  )

  test.each(["sign-in", "local"] as const)(
    "that begins at another desk between the check and the sending refuses, in mode %s",
    async (mode) => {
      const where = await newStore()
      const database = await databaseForTest(where)
      const other = new DecidingDesk(await databaseForTest(where), mode)
      let beforeStored: () => Promise<void> = async () => undefined
      const transaction: Database["transaction"] = async (lock, work) => {
        await beforeStored()
        return database.transaction(lock, work)
      }
      const one = new DecidingDesk(changedDatabase(database, { transaction }), mode)
      one.approvals = [approval({ requested_by_colleague: "editor" })]
      for (const colleague of [null, "analyst", "editor"]) {
        for (const mutation of [decision(), ...(colleague === "editor" ? [] : [creation()])]) {
          beforeStored = () => freeze(other, colleague)
          await one.refuses(ada, mutation, 423, "PROXY_FROZEN")
          await unfreeze(other, colleague)
        }
      }
      expect((await one.entries()).filter(({ operation }) => !operation.endsWith("freeze"))).toEqual([])
    },
  )

  test("is answered only after each approve that was stored before has left", async () => {
    const desk = await newDesk()
    const prepared = await desk.prepare(ada, decision())
    const declined = await desk.prepare(ada, decision({ decide: "decline" }))
    if (prepared.kind !== "send" || declined.kind !== "send") throw new Error("not sent")
    expect(prepared.leaveBy).toBeGreaterThan(performance.now())
    expect(declined.leaveBy).toBeUndefined()
    await declined.storeOutcome({ kind: "problem", status: 409 })
    let isFrozen = false
    const freezing = freeze(desk).then(() => (isFrozen = true))
    await expect.poll(() => desk.record.freezes.read()).toHaveLength(1)
    await desk.refuses(ben, decision(), 423, "PROXY_FROZEN")
    expect(isFrozen).toBe(false)
    await prepared.storeOutcome(decided)
    await freezing
    expect(await desk.entries("outcome=recorded&operation=resolveWorkApproval")).toHaveLength(1)
  })

  test("has the name of whoever gave its last reason, and one colleague in any letter case", async () => {
    const desk = await newDesk()
    await freeze(desk, "analyst")
    const [first] = await desk.record.freezes.read()
    await desk.record.freezes.freeze(ben.person, { colleague: "Analyst", reason: "Ben's reason" }, randomUUID())
    expect(await desk.record.freezes.read()).toMatchObject([
      { colleague: "analyst", by: { id: "ben" }, since: first?.since, reason: "Ben's reason" },
    ])
    expect(await desk.record.freezes.unfreeze(cleo.person, "ANALYST", randomUUID())).toBe(true)
    expect(await desk.record.freezes.read()).toEqual([])
  })

  test("has an entry of the record for each change, and the reason that was given last", async () => {
    const desk = await newDesk()
    // Stores Cleo, whose name the freeze shows.
    await desk.send(cleo, decision({ decide: "decline" }), { kind: "problem", status: 409 })
    await freeze(desk, "analyst")
    const [first] = await desk.record.freezes.read()
    await freeze(desk, "analyst")
    await freeze(desk, "analyst", "Another reason")
    const by = { id: "cleo", name: "Cleo" }
    const now = [{ colleague: "analyst", by, since: first?.since, reason: "Another reason" }]
    expect(await desk.record.freezes.read()).toEqual(now)
    expect(desk.record.freezes.now).toEqual(now)
    await unfreeze(desk, "analyst")
    await freeze(desk)
    const entry = { person: by, outcome: "recorded" }
    expect((await desk.entries()).slice(0, -1)).toMatchObject([
      { ...entry, operation: "freeze", summary: reason },
      { ...entry, operation: "unfreeze", colleague: "analyst" },
      { ...entry, operation: "freeze", colleague: "analyst", summary: "Another reason" },
      { ...entry, operation: "freeze", colleague: "analyst", summary: reason },
    ])
    expect(await desk.entries("operation=unfreeze")).toHaveLength(1)
  })
})

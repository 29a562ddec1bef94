import { randomUUID } from "node:crypto"
import { expect, onTestFinished, test, vi } from "vitest"
import { changedDatabase, readsCounted, sqliteForTest } from "../../store/testing/stores.ts"
import {
  ada,
  approval,
  ben,
  cleo,
  decided,
  DecidingDesk,
  decision,
  describeDesks,
  sqliteDesk,
  TWO,
  watchedApproval,
} from "../testing/deciding.ts"

describeDesks("an approval that needs two", (desks) => {
  const newDesk = async () => {
    const desk = await desks.newDesk()
    desk.rules(TWO)
    return desk
  }
  const given = (desk: DecidingDesk) => desk.record.held.of(watchedApproval())?.given.map(({ person }) => person.name)

  test("can be withdrawn, and the key of the withdrawn approve is used up", async () => {
    const desk = await newDesk()
    const [key, sent] = [randomUUID(), decision()]
    expect(await desk.withdraw(ada)).toBe(404)
    await desk.holds(ada, sent)
    expect(await desk.withdraw(ben)).toBe(404)
    expect(await desk.withdraw(ada, key)).toBe(204)
    expect(await desk.withdraw(ada, key)).toBe(204)
    expect(await desk.withdraw(ada)).toBe(404)
    expect(await desk.withdraw(ben, key)).toBe(409)
    await desk.refuses(ada, sent, 409, "PROXY_KEY_WITHDRAWN")
    await expect.poll(() => given(desk)).toEqual([])
    expect(await desk.holds(ben, decision())).toEqual(["Ben"])
    expect(await desk.entries()).toMatchObject([
      { person: { name: "Ben" }, outcome: "held" },
      {
        person: { name: "Ada" },
        operation: "withdrawApproval",
        outcome: "recorded",
        version: 1n,
        destination: "payments@bank.example",
      },
      { person: { name: "Ada" }, operation: "resolveWorkApproval", outcome: "held" },
    ])
    // A later approve under another key is not touched by the used one.
    await desk.send(ada, decision(), { kind: "none" })
    await desk.refuses(ada, sent, 409, "PROXY_KEY_WITHDRAWN")
  })

  test("keeps an approve that a lost decision may have counted, until the service says that the approval is pending", async () => {
    const desk = await newDesk()
    await desk.holds(ada, decision())
    await desk.send(ben, decision(), { kind: "none" })
    for (const approvals of [[approval({ status: "approved", version: 2 })], [approval({ version: 2 })], []]) {
      desk.approvals = approvals
      expect(await desk.withdraw(ada)).toBe(412)
    }
    desk.approvals = [approval(), approval()]
    expect(await desk.withdraw(ada)).toBe(502)
    expect((await desk.entries()).map(({ operation }) => operation)).not.toContain("withdrawApproval")
    desk.approvals = [approval()]
    expect(await desk.withdraw(ada)).toBe(204)
    expect(await desk.withdraw(ada)).toBe(404)
  })

  test("is read from the service for a withdrawal only where an attempt after the approve may have counted it", async () => {
    const desk = await newDesk()
    await desk.holds(ada, decision())
    await desk.send(ben, decision(), { kind: "problem", status: 429 })
    desk.reads = 0
    expect(await desk.withdraw(ada)).toBe(204)
    await desk.send(ben, decision({ decide: "decline" }), { kind: "none" })
    await desk.holds(ada, decision())
    desk.reads = 0
    expect(await desk.withdraw(ada)).toBe(204)
    expect(desk.reads).toBe(0)
  })
})

test("an approve is not withdrawn while the service may be receiving the last approve, however long the desk is silent", async () => {
  const { database, reads } = readsCounted(await sqliteForTest())
  const desk = new DecidingDesk(database)
  desk.rules(TWO)
  await desk.holds(ada, decision())
  const last = await desk.prepare(ben, decision())
  if (last.kind !== "send") throw new Error("not the last")
  vi.useFakeTimers({ toFake: ["Date", "performance"] })
  onTestFinished(() => void vi.useRealTimers())
  const withdrawn = desk.withdraw(ada)
  for (const seconds of [0, 30]) {
    vi.advanceTimersByTime(seconds * 1_000)
    const before = reads.length
    // The withdrawal looks for the outcome several times.
    await vi.waitUntil(() => reads.length > before + 3, { timeout: 5_000 })
  }
  await last.storeOutcome(decided)
  expect(await withdrawn).toBe(404)
})

test("an approve is withdrawn when the process that sent the last approve has ended, and the service has it pending", async () => {
  const store = await sqliteForTest()
  let transactions = 0
  const { database, reads } = readsCounted(
    changedDatabase(store, {
      transaction(lock, work) {
        transactions++
        return store.transaction(lock, work)
      },
    }),
  )
  const desk = new DecidingDesk(database)
  desk.rules(TWO)
  await desk.holds(ada, decision())
  expect((await desk.prepare(ben, decision())).kind).toBe("send")
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  transactions = 0
  const withdrawn = desk.withdraw(ada)
  const before = reads.length
  await vi.waitUntil(() => reads.length > before + 3, { timeout: 5_000 })
  vi.advanceTimersByTime(36_000)
  expect(await withdrawn).toBe(204)
  // The withdrawal waits for the outcome, then asks the service, then withdraws.
  expect(transactions).toBe(3)
})

test("an approve is not withdrawn when the service took the last approve, and the outcome waits for the store", async () => {
  const desk = await sqliteDesk()
  desk.rules(TWO)
  await desk.holds(ada, decision())
  const last = await desk.prepare(ben, decision())
  if (last.kind !== "send") throw new Error("not the last")
  desk.approvals = [approval({ status: "approved", version: 2 })]
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(Date.now() + 36_000)
  expect(await desk.withdraw(ada)).toBe(412)
  await last.storeOutcome(decided)
  expect(await desk.withdraw(ada)).toBe(404)
})

test("a decision that begins while a withdrawal reads the service is waited for", async () => {
  const desk = await sqliteDesk()
  desk.rules(TWO)
  await desk.holds(ada, decision())
  await desk.send(ben, decision(), { kind: "none" })
  let isRead = false
  const next = Promise.withResolvers<Awaited<ReturnType<DecidingDesk["prepare"]>>>()
  desk.duringRead = async () => {
    if (isRead) return
    isRead = true
    next.resolve(await desk.prepare(cleo, decision()))
  }
  const withdrawn = desk.withdraw(ada)
  const last = await next.promise
  if (last.kind !== "send") throw new Error("not the last")
  desk.approvals = [approval({ status: "approved", version: 2 })]
  await last.storeOutcome({ kind: "none" })
  expect(await withdrawn).toBe(412)
})

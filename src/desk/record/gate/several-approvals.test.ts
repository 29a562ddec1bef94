import { expect, onTestFinished, test, vi } from "vitest"
import { databaseForTest } from "../../store/testing/stores.ts"
import {
  ada,
  approval,
  ben,
  cleo,
  creation,
  dana,
  decided,
  DecidingDesk,
  decision,
  describeDesks,
  sessionOf,
  sqliteDesk,
  success,
  TWO,
  watchedApproval,
} from "../testing/deciding.ts"

describeDesks("an approval that needs two", (desks) => {
  const newDesk = async (...rules: readonly object[]) => {
    const desk = await desks.newDesk()
    desk.rules(...(rules.length === 0 ? [TWO] : rules))
    return desk
  }
  const given = (desk: DecidingDesk) => desk.record.held.of(watchedApproval())?.given.map(({ person }) => person.name)

  test("is kept at the first approve, and sent once at the second", async () => {
    const desk = await newDesk()
    const first = await desk.prepare(ada, decision())
    const at = expect.stringMatching(/^\d{4}-.*Z$/) as string
    expect(first).toEqual({ kind: "held", answer: { needed: 2, given: [{ person: { id: "ada", name: "Ada" }, at }] } })
    expect(await desk.entries()).toMatchObject([
      {
        person: { name: "Ada" },
        operation: "resolveWorkApproval",
        decision: "approve",
        outcome: "held",
        status: 202,
        version: 1n,
      },
    ])
    await expect
      .poll(() => desk.record.held.of(watchedApproval()))
      .toMatchObject({ needed: 2, given: [{ person: { name: "Ada" } }], earlier: [] })
    await desk.send(ben, decision(), decided)
    expect((await desk.entries()).map(({ person, outcome }) => `${person.name} ${outcome}`)).toEqual([
      "Ben recorded",
      "Ada held",
    ])
    await expect.poll(() => given(desk)).toEqual([])
    expect(await desk.withdraw(ada)).toBe(404)
  })

  test("is not sent where the person was told that the desk would hold their approve", async () => {
    const desk = await newDesk()
    expect(await desk.prepare(ada, decision({ mustHold: true }))).toMatchObject({ kind: "held" })
    await desk.refuses(ben, decision({ mustHold: true }), 409, "PROXY_APPROVALS_CHANGED")
    expect((await desk.entries()).map(({ outcome }) => outcome)).toEqual(["held"])
    await desk.send(ben, decision(), decided)
  })

  test("is not approved by one person twice, whatever the key", async () => {
    const desk = await newDesk()
    const sent = decision()
    const [one, again, other] = [
      await desk.prepare(ada, sent),
      await desk.prepare(ada, sent),
      await desk.prepare(ada, decision()),
    ]
    expect(again).toEqual(one)
    expect(other).toEqual(one)
    expect(await desk.entries("outcome=held")).toHaveLength(2)
    await desk.send(ben, decision(), decided)
  })

  test("of two that approve at the same moment keeps one and sends one, at two desks too", async () => {
    const where = await desks.newStore()
    for (let round = 0; round < 5; round++) {
      const desks = [new DecidingDesk(await databaseForTest(where)), new DecidingDesk(await databaseForTest(where))]
      const content = approval({ id: `approval_${round}` })
      const both = desks.map((desk, index) => {
        desk.rules(TWO)
        desk.approvals = [content]
        const target = `/api/v1/work/work_1/approvals/approval_${round}/resolve`
        return desk.prepare(index === 0 ? ada : ben, decision({ itemId: `approval_${round}`, target }))
      })
      expect((await Promise.all(both)).map(({ kind }) => kind).toSorted()).toEqual(["held", "send"])
    }
  })

  test("has one more than needed wait for the outcome, and then refuses it with 412", async () => {
    const desk = await newDesk()
    await desk.holds(ada, decision())
    const last = await desk.prepare(ben, decision())
    if (last.kind !== "send") throw new Error("not the last")
    let isAnswered = false
    const more = [
      desk.refuses(cleo, decision(), 412, "PROXY_VERSION_STALE"),
      desk.refuses(ada, decision(), 412, "PROXY_VERSION_STALE"),
    ]
    const withdrawn = desk.withdraw(ada)
    for (const waiting of [...more, withdrawn]) void waiting.then(() => expect(isAnswered).toBe(true))
    await desk.entries()
    isAnswered = true
    await last.storeOutcome(decided)
    await Promise.all(more)
    expect(await withdrawn).toBe(404)
  })

  test("whose last approve was refused is sent by the next person, and one that withdrew meanwhile does not count", async () => {
    const desk = await newDesk()
    await desk.holds(ada, decision())
    const last = await desk.prepare(ben, decision())
    if (last.kind !== "send") throw new Error("not the last")
    const next = desk.prepare(cleo, decision())
    await last.storeOutcome({ kind: "problem", status: 429 })
    const sent = await next
    if (sent.kind !== "send") throw new Error("not the last")
    await sent.storeOutcome({ kind: "problem", status: 429 })
    expect(await desk.withdraw(ada)).toBe(204)
    expect(await desk.holds(ben, decision())).toEqual(["Ben"])
  })

  test("whose last approve has an unknown outcome is sent by another person under another key, or again under the same", async () => {
    const desk = await newDesk()
    await desk.holds(ada, decision())
    const lost = decision()
    await desk.send(ben, lost, { kind: "none" })
    await desk.send(cleo, decision(), { kind: "none" })
    await desk.send(ben, lost, decided)
  })

  test("is ended by anybody's decline, which is sent at once", async () => {
    const desk = await newDesk()
    await desk.holds(ada, decision())
    await desk.send(cleo, decision({ decide: "decline" }), success({ ...approval(), status: "declined", version: 2 }))
    expect(await desk.withdraw(ada)).toBe(404)
    desk.approvals = [approval({ status: "declined", version: 2 })]
    await desk.refuses(ben, decision(), 412, "PROXY_VERSION_STALE")
    await desk.refuses(ben, decision({ ifMatch: '"2"' }), 412, "PROXY_VERSION_STALE")
  })

  test("counts no approve of an earlier version or of other content", async () => {
    const desk = await newDesk()
    await desk.holds(ada, decision())
    desk.approvals = [approval({ version: 2 })]
    expect(await desk.holds(ben, decision({ ifMatch: '"2"' }))).toEqual(["Ben"])
    await expect
      .poll(() => desk.record.held.of(watchedApproval(approval({ version: 2 }))))
      .toMatchObject({
        given: [{ person: { name: "Ben" } }],
        earlier: [{ person: { id: "ada", name: "Ada" }, version: "1" }],
      })
    desk.approvals = [approval({ version: 2, body: "Dear thief" })]
    expect(await desk.holds(cleo, decision({ ifMatch: '"2"' }))).toEqual(["Cleo"])
    await desk.send(ada, decision({ ifMatch: '"2"' }), decided)
  })

  test("counts nobody who has lost the role or whom a rule has come to exclude, and counts them again when that changes back", async () => {
    const desk = await newDesk()
    await desk.holds(ada, decision())
    await desk.regroup(ada, ["ops"])
    expect(await desk.holds(ben, decision())).toEqual(["Ben"])
    await desk.regroup(ada, ["finance"])
    desk.rules(TWO, { approvers: ["group:cfo", "subject:ben", "subject:cleo"] })
    expect(await desk.holds(ben, decision())).toEqual(["Ben"])
    desk.rules(TWO)
    await desk.send(cleo, decision(), decided)
  })

  test("counts nobody who created the Work, and the age of a sign-in only at one's own approve", async () => {
    const desk = await newDesk({ ...TWO, preventSelfApproval: true, maxAuthenticationAgeSeconds: 300 })
    await desk.send(dana, creation(), success({ id: "work_1" }, { status: 201 }))
    await desk.refuses(dana, decision(), 403, "PROXY_RULE")
    await desk.holds(ada, decision())
    await desk.refuses(sessionOf("Ben", { authenticatedAt: 0 }), decision(), 403, "PROXY_SIGN_IN_AGAIN")
    await desk.send(ben, decision(), decided)
  })

  test("needs the highest number of the rules that match, and is sent by the next approve when the number falls", async () => {
    const desk = await newDesk(
      TWO,
      { colleague: "analyst", approvalsNeeded: 3 },
      { destination: "x@y", approvalsNeeded: 5 },
    )
    const held = decision()
    await desk.holds(ada, held)
    expect(await desk.holds(ben, decision())).toEqual(["Ada", "Ben"])
    desk.rules(TWO)
    expect(await desk.prepare(ada, held)).toMatchObject({ kind: "send" })
    desk.rules()
    expect(desk.record.held.of(watchedApproval())).toBeUndefined()
  })

  test("keeps nothing that the service would refuse", async () => {
    const desk = await newDesk()
    for (const body of [
      '{"decision":"Approve"}',
      '{"decision":"approve","more":1}',
      '{"decision":"approve","comment":7}',
      `{"decision":"approve","comment":"${"x".repeat(2_001)}"}`,
    ]) {
      await desk.refuses(ada, decision({ body: Buffer.from(body) }), 400, "PROXY_BODY_INVALID")
    }
    const sent = decision()
    await desk.holds(ada, sent)
    await desk.refuses(ada, { ...sent, body: Buffer.from('{"decision":"approve"}') }, 409, "PROXY_KEY_REUSED")
    await desk.refuses(ben, sent, 409, "PROXY_KEY_OF_ANOTHER")
    expect(await desk.entries()).toHaveLength(1)
  })
})

test("an approval whose last approve a killed desk was sending is sent at once under its key, and by another person when no answer can come any more", async () => {
  const desk = await sqliteDesk()
  desk.rules(TWO)
  await desk.holds(ada, decision())
  const killed = decision()
  expect((await desk.prepare(ben, killed)).kind).toBe("send")
  await desk.record.stop()
  const next = new DecidingDesk(desk.database)
  next.rules(TWO)
  await next.send(ben, killed, { kind: "none" })
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(Date.now() + 36_000)
  expect((await next.prepare(cleo, decision())).kind).toBe("send")
})

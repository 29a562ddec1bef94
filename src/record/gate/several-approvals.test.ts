import { randomUUID } from "node:crypto"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { parseAccess } from "../../people/access-file.ts"
import type { Session } from "../../people/people.ts"
import { type Database, StoreUnavailableError } from "../../store/database.ts"
import { databaseForTest, describeStores, sqliteForTest } from "../../store/testing/stores.ts"
import { canonicalJson, namedHash } from "../canonical-json.ts"
import { parseJson } from "../../contract/int64.ts"
import { verify } from "../hash-chain.ts"
import { HeldApprovesCache } from "./held-approves-cache.ts"
import {
  ACCESS,
  ada,
  approval,
  ben,
  changedDatabase,
  creation,
  DecidingDesk,
  decision,
  sessionOf,
  success,
} from "../testing/deciding.ts"

const TWO = { destination: "*@bank.example", approvalsNeeded: 2 }
const cleo = sessionOf("Cleo")
const dana = sessionOf("Dana")

const decided = success({ ...approval(), status: "approved", version: 2, resolution_actor: "sa_demo" })

/** The approval as the watcher has it. */
const item = (content = approval()) => ({
  workId: "work_1",
  approvalId: "approval_1",
  version: String(content["version"]),
  asked: { destination: String(content["destination"]), colleague: "analyst" },
  contentHash: () => namedHash(canonicalJson(parseJson(JSON.stringify(content)))),
})

describeStores("an approval that needs two", ({ newStore }) => {
  const newDesk = async (...rules: readonly object[]) => {
    const desk = new DecidingDesk(await databaseForTest(await newStore()))
    desk.rules(...(rules.length === 0 ? [TWO] : rules))
    return desk
  }
  const given = (desk: DecidingDesk) => desk.record.held.of(item())?.given.map(({ person }) => person.name)

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
      .poll(() => desk.record.held.of(item()))
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
    const where = await newStore()
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
      .poll(() => desk.record.held.of(item(approval({ version: 2 }))))
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
    expect(desk.record.held.of(item())).toBeUndefined()
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

  test("that is decided elsewhere is held no more, and many held approves are read by four statements", async () => {
    const database = await databaseForTest(await newStore())
    let reads: string[] = []
    const read: Database["read"] = (sql, ...values) => {
      reads.push(sql)
      return database.read(sql, ...values)
    }
    const desk = new DecidingDesk(changedDatabase(database, { read }))
    desk.rules({ ...TWO, approvalsNeeded: 4 })
    for (const person of [ada, ben, cleo]) await desk.holds(person, decision())
    reads = []
    await desk.record.held.changed()
    expect(reads).toHaveLength(4)
    desk.record.held.end("work_1", () => false)
    expect(given(desk)).toHaveLength(3)
    desk.record.held.end("work_1", (approvalId) => approvalId === "approval_1")
    await expect.poll(() => given(desk)).toEqual([])
    expect(await database.read("SELECT intent FROM held_approval")).toEqual([])
  })

  test("that is decided elsewhere loses the approves that the desk has seen, and none that came since", async () => {
    const database = await databaseForTest(await newStore())
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
    const where = await newStore()
    const [one, other] = [
      new DecidingDesk(await databaseForTest(where)),
      new DecidingDesk(await databaseForTest(where)),
    ]
    if (!one.database.isShared) return
    for (const desk of [one, other]) desk.rules(TWO)
    let changes = 0
    other.record.held.onChange(() => changes++)
    await one.holds(ada, decision())
    await expect.poll(() => given(other), { timeout: 2_000 }).toEqual(["Ada"])
    await one.withdraw(ada)
    await expect.poll(() => given(other), { timeout: 2_000 }).toEqual([])
    expect(changes).toBe(2)
  })
})

test("an approval whose last approve a killed desk was sending is sent at once under its key, and by another person when no answer can come any more", async () => {
  const desk = await newSqliteDesk()
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

test("an approve is not withdrawn while the service may be receiving the last approve, however long the desk is silent", async () => {
  const database = await sqliteForTest()
  let reads = 0
  const read: Database["read"] = (sql, ...values) => {
    reads++
    return database.read(sql, ...values)
  }
  const desk = new DecidingDesk(changedDatabase(database, { read }))
  desk.rules(TWO)
  await desk.holds(ada, decision())
  const last = await desk.prepare(ben, decision())
  if (last.kind !== "send") throw new Error("not the last")
  vi.useFakeTimers({ toFake: ["Date", "performance"] })
  onTestFinished(() => void vi.useRealTimers())
  const withdrawn = desk.withdraw(ada)
  for (const seconds of [0, 30]) {
    vi.advanceTimersByTime(seconds * 1_000)
    const before = reads
    // The withdrawal looks for the outcome several times.
    await vi.waitUntil(() => reads > before + 3, { timeout: 5_000 })
  }
  await last.storeOutcome(decided)
  expect(await withdrawn).toBe(404)
})

test("an approve is not withdrawn when the service took the last approve, and the outcome waits for the store", async () => {
  const desk = await newSqliteDesk()
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
  const desk = await newSqliteDesk()
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

test("a desk whose store failed reads the approves again, although it knows of none", async () => {
  const desk = await newSqliteDesk()
  desk.rules(TWO)
  await desk.prepare(ada, decision())
  vi.useFakeTimers({ toFake: ["setInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const { database } = desk
  let isAway = true
  const read: Database["read"] = (sql, ...values) =>
    isAway ? Promise.reject(new StoreUnavailableError("away", "timeout")) : database.read(sql, ...values)
  const failed: unknown[] = []
  const held = new HeldApprovesCache({
    database: changedDatabase(database, { read }),
    access: () => parseAccess(JSON.stringify({ ...ACCESS, rules: [TWO] })),
    onStored: () => undefined,
    onFailed: (error) => failed.push(error),
  })
  onTestFinished(() => held.stop())
  await expect.poll(() => failed).toHaveLength(1)
  isAway = false
  vi.advanceTimersByTime(5_000)
  await expect.poll(() => held.of(item())?.given).toMatchObject([{ person: { name: "Ada" } }])
})

async function newSqliteDesk(): Promise<DecidingDesk> {
  return new DecidingDesk(await sqliteForTest())
}

describe("any order of what people do", () => {
  const people = [ada, ben, cleo, dana]

  test("never sends with fewer than needed, never twice, and loses nothing", { timeout: 120_000 }, async () => {
    for (let round = 0; round < 60; round++) await playRound(round)
  })

  /** A small generator of numbers, so that a failed round can be run again. */
  function numbers(seed: number) {
    let state = seed * 2_654_435_761 + 1
    return (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
  }

  async function playRound(seed: number): Promise<void> {
    const pick = numbers(seed)
    const desk = await newSqliteDesk()
    let [version, needed] = [1, 2 + pick(2)]
    const item = { isPending: true }
    desk.rules({ approvalsNeeded: needed })
    // An independent count: who has approved this version, and who is without the role.
    const approved = new Set<Session>()
    const withoutRole = new Set<Session>()
    let effects = 0
    const story: string[] = []
    const tell = (what: string) => story.push(what)

    const approve = async (person: Session) => {
      if (withoutRole.has(person)) return
      const others = [...approved].filter((other) => other !== person && !withoutRole.has(other))
      const prepared = await desk.prepare(person, decision({ ifMatch: `"${version}"` }))
      tell(`${person.person.name} approves version ${version}: ${prepared.kind}`)
      expect(prepared.kind, story.join("\n")).toBe(others.length + 1 >= needed ? "send" : "held")
      if (prepared.kind !== "send") return void approved.add(person)
      const answers = [{ kind: "problem", status: 429 }, { kind: "none" }, decided, { kind: "none" }] as const
      const answer = pick(answers.length)
      if (answer >= 2) effects++
      item.isPending = answer < 2
      tell(`the service answers ${answer}`)
      await prepared.storeOutcome(answers[answer] ?? { kind: "none" })
    }
    const withdraw = async (person: Session) => {
      const answer = await desk.withdraw(person)
      tell(`${person.person.name} withdraws: ${answer}`)
      if (approved.delete(person)) expect(answer, story.join("\n")).toBe(204)
    }
    const regroup = async (person: Session) => {
      if (!withoutRole.delete(person)) withoutRole.add(person)
      tell(`${person.person.name} ${withoutRole.has(person) ? "loses" : "gets"} the role`)
      await desk.regroup(person, withoutRole.has(person) ? ["ops"] : ["finance"])
    }
    const decline = async (person: Session) => {
      tell(`${person.person.name} declines`)
      item.isPending = false
      await desk.send(
        person,
        decision({ decide: "decline", ifMatch: `"${version}"` }),
        success(approval({ version: 9 })),
      )
    }

    for (const person of people) await desk.prepare(person, creation())
    for (let step = 0; step < 25 && item.isPending; step++) {
      const person = people[pick(people.length)] ?? ada
      desk.approvals = [approval({ version })]
      const what = pick(20)
      if (what < 10) await approve(person)
      else if (what < 12) await withdraw(person)
      else if (what < 14) await regroup(person)
      else if (what < 16) desk.rules({ approvalsNeeded: (needed = 2 + pick(3)) })
      else if (what < 18) {
        version++
        approved.clear()
      } else if (what === 19 && step > 10) await decline(person)
    }
    expect(effects).toBeLessThanOrEqual(1)
    expect((await verify(desk.database)).faults).toEqual([])
  }
})

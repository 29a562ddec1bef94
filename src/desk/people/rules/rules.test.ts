import { describe, expect, test } from "vitest"
import {
  ada,
  approval,
  ben,
  creation,
  DecidingDesk,
  decision,
  sessionOf,
  success,
} from "../../record/testing/deciding.ts"
import { sqliteForTest } from "../../store/testing/stores.ts"
import { parseAccess } from "../access-file.ts"
import { approvalsNeeded, mayApproveBy, needsCreator, rulesFor, unmetDemands } from "./rules.ts"

const newDesk = async () => new DecidingDesk(await sqliteForTest())

const BANK = { destination: "*@bank.example" }

describe("a rule", () => {
  test("applies to matching approvals, and only to approve", async () => {
    const desk = await newDesk()
    desk.rules({ ...BANK, approvers: ["group:cfo"] }, { colleague: "EDITOR", approvers: ["subject:nobody"] })
    await desk.refuses(ada, decision(), 403, "PROXY_RULE")
    expect(await desk.prepare(ada, decision({ decide: "decline" }))).toMatchObject({ kind: "send" })
    desk.approvals = [approval({ destination: "other@house.example" })]
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
    desk.approvals = [approval({ destination: "other@house.example", requested_by_colleague: "editor" })]
    await desk.refuses(ada, decision(), 403, "PROXY_RULE")
  })

  test("is checked for every decision that is not exactly decline", async () => {
    const desk = await newDesk()
    desk.rules({ ...BANK, approvers: ["group:cfo"] })
    for (const body of ['{"decision":"Approve"}', '{"Decision":"approve"}', "{}", '{"decision":["decline"]}']) {
      await desk.refuses(ada, decision({ body: Buffer.from(body) }), 403, "PROXY_RULE")
    }
  })

  test("names who may approve, and whom to ask", async () => {
    const desk = await newDesk()
    desk.rules({ ...BANK, approvers: ["group:cfo", "email:Cleo@example.com"] })
    expect(await desk.refuses(ada, decision(), 403, "PROXY_RULE")).toBe(
      "A rule for letters to “*@bank.example” lists who may approve, and you aren't on the list. Ask somebody in cfo, Cleo@example.com, or the finance desk, desk@example.com.",
    )
    expect(await desk.prepare(sessionOf("Cleo"), decision())).toMatchObject({ kind: "send" })
    expect(await desk.prepare(sessionOf("Dana", { groups: ["cfo"] }), decision())).toMatchObject({ kind: "send" })
  })

  test("must be satisfied together with every other matching rule", async () => {
    const desk = await newDesk()
    desk.rules({ approvers: ["group:finance"] }, { ...BANK, approvers: ["group:cfo"] })
    await desk.refuses(ada, decision(), 403, "PROXY_RULE")
    await desk.refuses(sessionOf("Dana", { groups: ["cfo"] }), decision(), 403, "PROXY_RULE")
    expect(await desk.prepare(sessionOf("Dana", { groups: ["cfo", "finance"] }), decision())).toMatchObject({
      kind: "send",
    })
  })

  test("names the contact when the file names no group and no address", async () => {
    const desk = await newDesk()
    desk.rules({ approvers: ["subject:4711"] })
    expect(await desk.refuses(ada, decision(), 403, "PROXY_RULE")).toContain("Ask the finance desk, desk@example.com.")
  })
})

test("every demand that a person does not meet is named, the role first", () => {
  const rules = [
    { approvers: ["group:cfo"] },
    { preventSelfApproval: true, approvalsNeeded: 3 },
    { maxAuthenticationAgeSeconds: 300, approvalsNeeded: 2 },
  ]
  const access = parseAccess(JSON.stringify({ roles: { approver: ["group:finance"] }, rules }))
  const found = rulesFor(access, { destination: "a@bank.example", colleague: "analyst" })
  const known = { creators: new Set(["ada"]), mayHaveLostCreation: true }
  const personOf = (groups: readonly string[], id: string) => ({ id, identity: { issuer: "i", subject: id, groups } })
  const unmet = (groups: readonly string[], id: string, authenticatedAt?: number) => {
    const approver = { ...personOf(groups, id), authenticatedAt }
    return unmetDemands(access, found, approver, known, 1_000_000).map(({ need }) => need)
  }
  expect(unmet([], "ada")).toEqual(["role", "approvers", "another person", "sign-in"])
  expect(unmet(["finance", "cfo"], "ben", 700_000)).toEqual([])
  expect(unmet(["finance", "cfo"], "ben", 699_999)).toEqual(["sign-in"])
  expect(unmet(["finance"], "ben", 700_000)).toEqual(["approvers"])
  expect([approvalsNeeded(found), approvalsNeeded(found.slice(0, 1)), approvalsNeeded([])]).toEqual([3, 1, 1])
  expect([needsCreator(found), needsCreator(found.slice(0, 1))]).toEqual([true, false])
  const recent = { ...personOf(["finance", "cfo"], "ben"), authenticatedAt: 700_000 }
  const lost = { creators: new Set<string>(), mayHaveLostCreation: true }
  expect(unmetDemands(access, found, recent, lost, 1_000_000)).toMatchObject([
    { need: "another person", created: "perhaps" },
  ])
  // A person can sign in again, so the age of a sign-in keeps nobody from being asked.
  const mayApprove = (groups: readonly string[], id: string) => mayApproveBy(access, found, personOf(groups, id), known)
  expect(mayApprove(["finance", "cfo"], "ben")).toBe(true)
  expect([mayApprove(["finance"], "ben"), mayApprove(["finance", "cfo"], "ada")]).toEqual([false, false])
})

describe("preventSelfApproval", () => {
  const rule = { ...BANK, preventSelfApproval: true }

  test("keeps the creator of the Work from approving, and nobody else", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    await desk.send(ada, creation(), success({ id: "work_1" }, { status: 201 }))
    expect(await desk.refuses(ada, decision(), 403, "PROXY_RULE")).toMatch(
      /^You created this Work\. Ask somebody else in finance, or the finance desk, desk@example\.com\. /,
    )
    expect(await desk.prepare(ada, decision({ decide: "decline" }))).toMatchObject({ kind: "send" })
    expect(await desk.prepare(ben, decision())).toMatchObject({ kind: "send" })
  })

  test("recognizes the Work when its id is encoded differently", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    await desk.send(ada, creation(), success({ id: "work_1" }, { status: 201 }))
    await desk.refuses(
      ada,
      decision({ target: "/api/v1/work/w%6Frk_1/approvals/approval_1/resolve" }),
      403,
      "PROXY_RULE",
    )
  })

  test("is not evaded by another spelling of the Work's id, which the service may take for the same Work", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    await desk.send(ada, creation(), success({ id: "work_1" }, { status: 201 }))
    for (const workId of ["WORK_1", "work_1;v=1"]) {
      const target = `/api/v1/work/${workId}/approvals/approval_1/resolve`
      await desk.refuses(ada, decision({ target, workId }), 404, "PROXY_NOT_FOUND")
    }
  })

  test("allows Work without a known creator, and says so", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
    const question = { workId: "work_1", destination: "payments@bank.example", colleague: "analyst" }
    expect(await desk.record.mayApprove(ada, question)).toEqual({ approve: true, creator_unknown: true })
    desk.rules()
    expect(await desk.record.mayApprove(ada, question)).toEqual({ approve: true, creator_unknown: false })
  })

  test("blocks a person whose own createWork has an unknown outcome, until a replay gives another outcome", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    const lost = creation()
    await desk.send(ada, lost, { kind: "none" })
    expect(await desk.refuses(ada, decision(), 403, "PROXY_RULE")).toMatch(
      /^You may have created this Work, because the service's response to your new Work was lost/,
    )
    expect(await desk.prepare(ben, decision())).toMatchObject({ kind: "send" })
    desk.approvals = [approval({ destination: "other@house.example" })]
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
    desk.approvals = [approval()]
    await desk.send(ada, lost, success({ id: "work_9" }, { replayed: true }))
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
  })

  test.each([
    ["whose connection was refused", [{ kind: "none", unsent: true }]],
    ["whose second attempt was recorded, without the mark of a replay", [{ kind: "none" }, success({ id: "work_9" })]],
    ["that was recorded, and then lost", [success({ id: "work_9" }), { kind: "none" }]],
  ] as const)("does not block for a createWork %s", async (_, answers) => {
    const desk = await newDesk()
    desk.rules(rule)
    const sent = creation()
    for (const answer of answers) await desk.send(ada, sent, answer)
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
  })

  test("blocks for a lost createWork, also after another attempt with its key did not leave the desk", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    const lost = creation()
    await desk.send(ada, lost, { kind: "none" })
    await desk.send(ada, lost, { kind: "none", unsent: true })
    await desk.refuses(ada, decision(), 403, "PROXY_RULE")
  })

  test("does not block for an unknown outcome when the Work's creator is known", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    await desk.send(ben, creation(), success({ id: "work_1" }, { status: 201 }))
    await desk.send(ada, creation(), { kind: "none" })
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
    await desk.refuses(ben, decision(), 403, "PROXY_RULE")
  })
})

describe("maxAuthenticationAgeSeconds", () => {
  const rule = { ...BANK, maxAuthenticationAgeSeconds: 300 }

  test.each([
    ["too old", Date.now() - 301_000],
    ["unknown", undefined],
  ])("asks for a new sign-in when the last one is %s", async (_, authenticatedAt) => {
    const desk = await newDesk()
    desk.rules(rule)
    const detail = await desk.refuses(sessionOf("Ada", { authenticatedAt }), decision(), 403, "PROXY_SIGN_IN_AGAIN")
    expect(detail).toBe(
      "A rule for letters to “*@bank.example” needs a sign-in that is at most 5 minutes old. Sign in again.",
    )
    const question = { workId: "work_1", destination: "payments@bank.example", colleague: "analyst" }
    expect(await desk.record.mayApprove(sessionOf("Ada", { authenticatedAt }), question)).toEqual({
      approve: false,
      code: "PROXY_SIGN_IN_AGAIN",
      detail,
    })
  })

  test("is satisfied by a sign-in within that time, and says that a rule asks for it", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    const session = sessionOf("Ada", { authenticatedAt: Date.now() - 290_000 })
    expect(await desk.prepare(session, decision())).toMatchObject({ kind: "send" })
    const question = { workId: "work_1", destination: "payments@bank.example", colleague: "analyst" }
    const may = { approve: true, creator_unknown: false, asks_for_sign_in: true }
    expect(await desk.record.mayApprove(session, question)).toEqual(may)
  })

  test("does not ask for a new sign-in when another rule refuses anyway", async () => {
    const desk = await newDesk()
    desk.rules(rule, { approvers: ["group:cfo"] })
    await desk.refuses(sessionOf("Ada", { authenticatedAt: undefined }), decision(), 403, "PROXY_RULE")
  })
})

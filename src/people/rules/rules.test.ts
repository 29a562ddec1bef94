import { describe, expect, test } from "vitest"
import { ada, approval, ben, creation, DecidingDesk, decision, sessionOf, success } from "../testing/deciding.ts"
import { databaseForTest, folderForTest } from "../testing/stores.ts"

const newDesk = async () =>
  new DecidingDesk(await databaseForTest({ dataFolder: await folderForTest(), databaseUrl: undefined }))

const BANK = { destination: "*@bank.example" }

describe("a rule", () => {
  test("concerns what matches, and approve alone", async () => {
    const desk = await newDesk()
    desk.rules({ ...BANK, approvers: ["group:cfo"] }, { colleague: "EDITOR", approvers: ["subject:nobody"] })
    await desk.refuses(ada, decision(), 403, "PROXY_RULE")
    expect(await desk.prepare(ada, decision({ decide: "decline" }))).toMatchObject({ kind: "send" })
    desk.approvals = [approval({ destination: "other@house.example" })]
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
    desk.approvals = [approval({ destination: "other@house.example", requested_by_colleague: "editor" })]
    await desk.refuses(ada, decision(), 403, "PROXY_RULE")
  })

  test("is checked for a decision in any other words, too", async () => {
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
      "The rule for letters to “*@bank.example” names who may approve, and you are not among them. Ask somebody in cfo or Cleo@example.com.",
    )
    expect(await desk.prepare(sessionOf("Cleo"), decision())).toMatchObject({ kind: "send" })
    expect(await desk.prepare(sessionOf("Dana", { groups: ["cfo"] }), decision())).toMatchObject({ kind: "send" })
  })

  test("must be satisfied with every other that matches", async () => {
    const desk = await newDesk()
    desk.rules({ approvers: ["group:finance"] }, { ...BANK, approvers: ["group:cfo"] })
    await desk.refuses(ada, decision(), 403, "PROXY_RULE")
    await desk.refuses(sessionOf("Dana", { groups: ["cfo"] }), decision(), 403, "PROXY_RULE")
    expect(await desk.prepare(sessionOf("Dana", { groups: ["cfo", "finance"] }), decision())).toMatchObject({
      kind: "send",
    })
  })

  test("asks the contact where the file names no group and no address", async () => {
    const desk = await newDesk()
    desk.rules({ approvers: ["subject:4711"] })
    expect(await desk.refuses(ada, decision(), 403, "PROXY_RULE")).toContain("Ask the finance desk, desk@example.com.")
  })
})

describe("preventSelfApproval", () => {
  const rule = { ...BANK, preventSelfApproval: true }

  test("keeps the creator of the Work from approving, and nobody else", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    await desk.send(ada, creation(), success({ id: "work_1" }, { status: 201 }))
    expect(await desk.refuses(ada, decision(), 403, "PROXY_RULE")).toMatch(
      /^You created this Work\. Ask somebody else in finance\. /,
    )
    expect(await desk.prepare(ada, decision({ decide: "decline" }))).toMatchObject({ kind: "send" })
    expect(await desk.prepare(ben, decision())).toMatchObject({ kind: "send" })
  })

  test("knows the Work under an id that is written differently", async () => {
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

  test("lets Work through whose creator nobody knows, and says so", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
    const question = { workId: "work_1", destination: "payments@bank.example", colleague: "analyst" }
    expect(await desk.record.mayApprove(ada, question)).toEqual({ approve: true, creator_unknown: true })
    desk.rules()
    expect(await desk.record.mayApprove(ada, question)).toEqual({ approve: true, creator_unknown: false })
  })

  test("blocks the person whose own creation has an unknown outcome, until its replay tells", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    const lost = creation()
    await desk.send(ada, lost, { kind: "none" })
    expect(await desk.refuses(ada, decision(), 403, "PROXY_RULE")).toMatch(/^You created Work whose answer was lost/)
    expect(await desk.prepare(ben, decision())).toMatchObject({ kind: "send" })
    desk.approvals = [approval({ destination: "other@house.example" })]
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
    desk.approvals = [approval()]
    await desk.send(ada, lost, success({ id: "work_9" }, { replayed: true }))
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
  })

  test("does not block for the unknown creation where the creator is known", async () => {
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
  ])("wants a newer sign-in where it is %s", async (_, authenticatedAt) => {
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

  test("is satisfied by a sign-in within that time", async () => {
    const desk = await newDesk()
    desk.rules(rule)
    expect(await desk.prepare(sessionOf("Ada", { authenticatedAt: Date.now() - 290_000 }), decision())).toMatchObject({
      kind: "send",
    })
  })

  test("sends nobody to sign in whom another rule would refuse all the same", async () => {
    const desk = await newDesk()
    desk.rules(rule, { approvers: ["group:cfo"] })
    await desk.refuses(sessionOf("Ada", { authenticatedAt: undefined }), decision(), 403, "PROXY_RULE")
  })
})

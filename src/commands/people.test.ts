import { freeze, operator } from "../desk/record/freezes.ts"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { Sessions } from "../desk/people/sessions.ts"
import { startUpstream } from "../desk/testing/upstreams.ts"
import { ada as adaSession, creation, DecidingDesk, success } from "../desk/record/testing/deciding.ts"
import { SeenStore } from "../desk/insight/seen-store.ts"
import { serviceForTest } from "../service/testing/test-service.ts"
import { databaseForTest, describeStores, folderForTest, type NewStore } from "../desk/store/testing/stores.ts"
import { type Ended, runCommand, runOnStore } from "./testing/run-command.ts"

const LIMITS = { issuer: "https://login.example", idleMs: 3_600_000, maxMs: 7_200_000 }
const ACCESS = {
  contact: "the finance desk",
  roles: { reader: ["anyone"], approver: ["group:finance"], delegator: ["subject:ada"] },
  rules: [
    { destination: "*@bank.example", approvers: ["group:cfo"] },
    { colleague: "analyst", preventSelfApproval: true, maxAuthenticationAgeSeconds: 300 },
  ],
  visibility: { teams: [{ name: "Finance", members: ["group:finance"] }], overseers: ["group:audit"] },
}

const WORK = {
  id: "work_1",
  title: "October",
  visibility_scope: "private",
  colleague_id: "analyst",
  status: "needs_you",
}
const APPROVAL = {
  id: "approval_1",
  work_id: "work_1",
  status: "pending",
  version: 1,
  requested_by_colleague: "analyst",
  destination: "Pay <a@bank.example>",
  summary: "Send",
  subject: "Profile",
}

describeStores("npm run people and npm run access", ({ newStore }) => {
  /** A store in which Ada, Ben and Cleo have signed in, and the commands with the environment of its desk. */
  async function deskWithPeople() {
    const where = await newStore()
    const database = await databaseForTest(where)
    const accessFile = join(await folderForTest(), "access.json")
    await writeFile(accessFile, JSON.stringify(ACCESS))
    const upstream = await startUpstream(({ url }, response) => {
      const body =
        url === "/api/v1/work/work_1" ? WORK : url.endsWith("work_1/approvals") ? { data: [APPROVAL] } : undefined
      response.writeHead(body === undefined ? 404 : 200, { "Content-Type": "application/json" })
      response.end(JSON.stringify(body ?? {}))
    })
    const sessions = new Sessions(database, LIMITS, () => true)
    onTestFinished(() => sessions.stop())
    const signIn = async (subject: string, groups: readonly string[], authTime = Math.floor(Date.now() / 1_000)) => {
      const identity = { issuer: "https://login.example", subject, groups, email: `${subject}@example.com` }
      return sessions.begin({ name: `${subject} \u202Ename`, identity, sid: undefined, authTime }, [])
    }
    return { where, database, signIn, run: commandsFor(where, accessFile, upstream.url), accessFile, sessions }
  }

  test("list people and sessions, end the sessions of one, and forget one", async () => {
    const { database, signIn, run } = await deskWithPeople()
    const [ada, ben] = [await signIn("ada", ["finance"]), await signIn("ben", [])]
    await database.write("INSERT INTO saved_views (person_id, views) VALUES (?, ?)", ada.personId, "[]")
    const seen = { workId: "w", version: 1n, sequence: 1, itemsUntil: 1 }
    const store = new SeenStore(database)
    await store.begin(ada.personId, { at: 1, sequence: 1 })
    await store.save(ada.personId, [seen])
    const list = await run("people", "list")
    expect(list).toMatchObject({ code: 0, stderr: "" })
    const lines = list.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"))
    expect(lines).toEqual([
      [ada.personId, "ada \u{FFFD}name", "ada@example.com", "reader, delegator, approver", expect.stringMatching(/Z$/)],
      [ben.personId, "ben \u{FFFD}name", "ben@example.com", "reader", expect.stringMatching(/Z$/)],
    ])
    const sessions = await run("people", "sessions")
    const open = sessions.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t")[0])
    expect(new Set(open)).toEqual(new Set([ada.personId, ben.personId]))
    expect(await run("people", "end", ben.personId)).toMatchObject({ code: 0, stdout: "Ended 1 session.\n" })
    expect(await database.read("SELECT person_id FROM session")).toEqual([{ person_id: ada.personId }])
    expect((await run("people", "list")).stdout).toContain(ben.personId)

    expect(await run("people", "forget", ada.personId)).toMatchObject({ code: 0 })
    for (const table of ["person", "session", "saved_views", "seen_work", "seen_since"]) {
      const column = table === "person" ? "id" : "person_id"
      expect(await database.read(`SELECT ${column} FROM ${table} WHERE ${column} = ?`, ada.personId), table).toEqual([])
    }
    expect((await signIn("ada", ["finance"])).personId).not.toBe(ada.personId)
    for (const command of ["end", "forget"]) {
      expect(await run("people", command, ada.personId)).toMatchObject({
        code: 1,
        stderr: "workdesk: There is no person with this id. To see the ids: npm run people -- list\n",
      })
    }
  })

  test("explain that a freeze keeps a person from approving", async () => {
    const { database, signIn, run } = await deskWithPeople()
    const { personId } = await signIn("ben", ["finance", "cfo"])
    const freezing = { database, onStored: () => undefined }
    const explained = async () => (await run("access", "explain", personId, "work_1", "approval_1")).stdout
    await freeze(freezing, operator, { colleague: "editor", reason: "Another" }, "request-1")
    expect(await explained()).toMatch(/^may approve: yes/m)
    await freeze(freezing, operator, { colleague: "ANALYST", reason: "A loop" }, "request-2")
    expect(await explained()).toMatch(
      /^may approve: no\nchange: the freeze of the colleague ANALYST must end: the operator, .*: A loop$/m,
    )
    await freeze(freezing, operator, { colleague: null, reason: "All" }, "request-3")
    expect(await explained()).toMatch(/^change: the freeze of the desk must end: the operator, .*: All$/m)
    expect(await explained()).toMatch(/^frozen: the desk, by the operator, .*: All$/m)
  })

  test.each([
    ["absent", /^groups: groups claim "groups" absent, at the last sign-in$/m],
    ["present", /^groups: groups claim "groups" present and empty, at the last sign-in$/m],
  ] as const)("explain that the claim of groups was %s and named none", async (groupsClaim, line) => {
    const { run, sessions } = await deskWithPeople()
    const identity = { issuer: "https://login.example", subject: "cleo", groups: [] }
    const { personId } = await sessions.begin({ name: "Cleo", identity, groupsClaim, sid: undefined, authTime: 1 }, [])
    expect((await run("access", "explain", personId)).stdout).toMatch(line)
  })

  test("explain roles, sight and approvals by the functions that decide", async () => {
    const { database, signIn, run } = await deskWithPeople()
    const desk = new DecidingDesk(database)
    const [ada, ben] = [await signIn("ada", ["finance"]), await signIn("ben", ["finance", "cfo"])]
    const cleo = await signIn("cleo", ["finance", "cfo"], 1)
    await desk.send(
      { ...adaSession, person: { ...adaSession.person, id: ada.personId } },
      creation(),
      success({ id: "work_1" }, { status: 201 }),
    )
    const explained = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await run("access", "explain", ...args)
      expect([code, stderr]).toEqual([0, ""])
      return stdout
    }
    const roles = await explained(ada.personId)
    expect(roles).toMatch(/^frozen: nothing$/m)
    expect(roles).toMatch(/^role approver: yes, as group:finance$/m)
    expect(roles).toMatch(/^role delegator: yes, as subject:ada$/m)
    expect(roles).toMatch(/^role answerer: no, nobody has it$/m)
    expect(roles).not.toMatch(/^sees/m)
    const adas = await explained(ada.personId, "work_1", "approval_1")
    expect(adas).toMatch(/^sees: yes, creator/m)
    expect(adas).toMatch(/^may approve: no$/m)
    expect(adas).toMatch(/^change: the person must be one of group:cfo \(rule 1\)$/m)
    expect(adas).toMatch(
      /^change: another approver must approve, because the person created this Work: .* \(rule 2\)$/m,
    )
    expect(adas).toMatch(/^rule 1: destination \*@bank\.example; approvers group:cfo: not satisfied$/m)
    expect(adas).toMatch(/^rule 2: colleague analyst; preventSelfApproval; maxAuth.*: not satisfied$/m)
    const bens = await explained(ben.personId, "work_1", "approval_1")
    expect(bens).toMatch(/^sees: yes, approver/m)
    expect(bens).toMatch(/^may approve: yes/m)
    const signInAgain = /^may approve: no\nchange: the person must sign in again: .* at most 5 minutes old \(rule 2\)$/m
    expect(await explained(cleo.personId, "work_1", "approval_1")).toMatch(signInAgain)
    await database.write("DELETE FROM session")
    expect(await explained(ben.personId, "work_1", "approval_1")).toMatch(signInAgain)
    const dora = await signIn("dora", [])
    const doras = await explained(dora.personId, "work_1", "approval_1")
    expect(doras).toMatch(
      /^sees: no, the Work is private, and somebody else created it\nchange: .*approval.*\nchange: .*overseer: group:audit$/m,
    )
    expect(doras).toMatch(/^change: the person must see the Work$/m)
    expect(doras).toMatch(/^change: the person needs the approver role: group:finance$/m)
    for (const text of [adas, bens, doras]) expect(text).not.toMatch(/\byou\b/i)
    for (const unknown of [["nobody"], [ada.personId, "work_2"], [ada.personId, "work_1", "approval_2"]]) {
      expect((await run("access", "explain", ...unknown)).code, unknown.join()).toBe(1)
    }
    expect(await database.read("SELECT sequence FROM record")).toHaveLength(2)
  })
})

test("npm run access -- explain reads the file of the embedded service, also while it runs", async () => {
  const where = { dataFolder: await folderForTest(), databaseUrl: undefined }
  const service = await serviceForTest({ dataFolder: join(where.dataFolder, "service") })
  const work = await service.work({ objective: "Send it to a@bank.example" })
  await service.answer(work)
  const approval = await service.first(work, "approvals?status=pending")
  const accessFile = join(await folderForTest(), "access.json")
  await writeFile(accessFile, JSON.stringify(ACCESS))
  const sessions = new Sessions(await databaseForTest(where), LIMITS, () => true)
  onTestFinished(() => sessions.stop())
  const identity = { issuer: "https://login.example", subject: "ben", groups: ["finance", "cfo"] }
  const authTime = Math.floor(Date.now() / 1_000)
  const { personId } = await sessions.begin({ name: "Ben", identity, sid: undefined, authTime }, [])
  const run = commandsFor(where, accessFile)
  const { code, stdout, stderr } = await run("access", "explain", personId, work, approval)
  expect([code, stderr]).toEqual([0, ""])
  expect(stdout).toMatch(/^sees: yes, approver/m)
  expect(stdout).toMatch(/^may approve: yes/m)
  expect(stdout).toMatch(/^rule 1: destination \*@bank\.example; approvers group:cfo: satisfied$/m)
  for (const unknown of [["work_none"], [work, "approval_none"]]) {
    expect((await run("access", "explain", personId, ...unknown)).code, unknown.join()).toBe(1)
  }
})

function commandsFor(where: NewStore, accessFile: string, upstreamUrl?: string) {
  const environment = {
    OIDC_ISSUER: "https://login.example",
    OIDC_CLIENT_ID: "desk",
    PUBLIC_URL: "https://desk.example",
    ACCESS_FILE: accessFile,
    ...(upstreamUrl === undefined ? {} : { WORK_API_URL: upstreamUrl, WORK_API_TOKEN: "token-of-the-test" }),
  }
  return (name: "people" | "access", ...args: readonly string[]): Promise<Ended> =>
    runOnStore(name, where, args, environment)
}

test("npm run access -- check tells the fault of a file", async () => {
  const path = join(await folderForTest(), "access.json")
  await writeFile(path, JSON.stringify(ACCESS))
  expect(await runCommand("access", {}, ["check", path])).toMatchObject({ code: 0, stderr: "" })
  const empty = { ...ACCESS, rules: [{ colleague: "analyst", preventSelfApproval: false }] }
  await writeFile(path, `\u{feff}${JSON.stringify(empty)}`)
  expect(await runCommand("access", {}, ["check", path])).toMatchObject({
    code: 0,
    stdout: "warning: rule 1 has no effect: it requires nothing\nThe access file is valid.\n",
  })
  await writeFile(path, '{"roles":{},"rulez":[]}')
  expect(await runCommand("access", {}, ["check", path])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^workdesk: The access file has an unknown key in its outermost object\n$/) as string,
  })
  expect(await runCommand("access", {}, ["check", `${path}x`])).toMatchObject({ code: 1 })
})

test.each([
  ["people", []],
  ["people", ["end"]],
  ["people", ["list", "more"]],
  ["access", []],
  ["access", ["explain"]],
  ["access", ["check", "one", "two"]],
  ["access", ["check", "--all"]],
] as const)("npm run %s tells its usage for %j", async (name, args) => {
  expect(await runCommand(name, {}, args)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Usage:/m) as string,
  })
})

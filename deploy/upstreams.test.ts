/** Whatever service stands behind the desks, and whatever stands before that service: what a person does not see stays concealed. */
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { archiveRows } from "../src/desk/record/record-archive.ts"
import { operations } from "../src/contract/operations.ts"
import { readLimits } from "../src/desk/http/desk-configuration.ts"
import { toldBy } from "../src/desk/testing/concealed-work.ts"
import { CANARY, MUTATION, type Reply, send } from "../src/desk/testing/desk.ts"
import { type PersonHeaders, type SignInProxy, startSignInProxy } from "../src/desk/testing/sign-in.ts"
import { ALL_SCOPES } from "../src/service/configuration.ts"
import { serviceForTest } from "../src/service/testing/test-service.ts"
import { PostgresServer } from "../src/desk/store/testing/postgres.ts"
import { databaseForTest, folderForTest } from "../src/desk/store/testing/stores.ts"
import { startCarelessService, startNginxWithPath } from "./testing/careless-service.ts"
import { findMissing } from "./testing/programs.ts"

const HIDDEN = "hidden-5c1e"
const ACCESS = {
  roles: { reader: ["anyone"], answerer: ["anyone"], delegator: ["anyone"], approver: ["group:finance"] },
  rules: [{ destination: "*@bank.example", approvers: ["group:cfo"] }],
  visibility: { overseers: ["group:audit"] },
}
/** The most reads that one list may cost. */
const READS_MAX = 20
const DECLINE = '{"decision":"decline","comment":"+ACI-,+ACI-decision+ACI-:+ACI-approve"}'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await PostgresServer.start()
}, 60_000)
afterAll(() => postgres.stop())

let keys = 0

function post(
  desk: SignInProxy,
  person: PersonHeaders,
  path: string,
  body: string | Buffer,
  type = "application/json",
) {
  const own = { "Idempotency-Key": `key-${++keys}`, "If-Match": '"1"', "Content-Type": type }
  return send(desk.url, path, { method: "POST", headers: { ...MUTATION, ...own, ...person }, body })
}

const memberOf = ({ text }: Reply, name: string): unknown => {
  const value: unknown = JSON.parse(text)
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
}
const idOf = (reply: Reply) => String(memberOf(reply, "id"))

/**
 * Two desks with one store before a service. Ben has delegated a Work for everybody, and one that only he and overseers see. The record was
 * archived since, while the second desk rested.
 */
async function startDesks(baseUrl: string) {
  const databaseUrl = await postgres.newDatabase()
  const openStore = () => databaseForTest({ dataFolder: "/unused", databaseUrl })
  const startDesk = async () => {
    const database = await openStore()
    const limits = { ...readLimits({}), personRequestsPerMinute: 1_000_000 }
    return startSignInProxy(baseUrl, { limits, people: { access: ACCESS, database } })
  }
  const desks = [await startDesk(), await startDesk()] as const
  const [desk] = desks
  const [ada, ben, dora] = [
    await desk.signIn("Ada", ["finance"]),
    await desk.signIn("Ben", []),
    await desk.signIn("Dora", ["audit"]),
  ]
  const delegate = async (title: string, scope: string) => {
    const work = { title, objective: title, colleague_id: "analyst", visibility_scope: scope }
    return idOf(await post(desk, ben, "/api/v1/work", JSON.stringify(work)))
  }
  const shown = await delegate("shown", "organization")
  const hidden = await delegate(HIDDEN, "private")
  await archiveRows(await openStore(), join(await folderForTest(), "archive.jsonl"), Date.now() + 60_000)
  return { desks, ada, ben, dora, shown, hidden }
}

type Started = Awaited<ReturnType<typeof startDesks>>

/** Ids that a balancer or a service could read as the concealed Work, as something of it, or as a list. */
const spellings = (shown: string, hidden: string) => [
  hidden,
  hidden.replaceAll("-", "%2D"),
  `${hidden}%2F`,
  `${hidden}%2Fattention`,
  `${hidden}%2Fartifacts`,
  `%2F${hidden}`,
  `x%2F..%2F${hidden}`,
  `x%2f%2e%2e%2f${hidden}`,
  `${shown}%2F..%2F${hidden}`,
  `..%5C${hidden}`,
  `x%5C%2e%2e%5C${hidden}`,
  `${hidden}%00`,
  `%00${hidden}`,
  `%2e%2e%2Fwork%2F${hidden}`,
  "%2F",
  "%2e",
  "%2e%2e",
  ".",
  "..",
  "%2e%2e%2F",
  "%5C",
  "%00",
]

/** Sends every operation, and every address of the desk with an id, with each spelling at each place. Nobody but who may sees the Work. */
async function walk({ desks, ada, dora, shown, hidden }: Started): Promise<void> {
  for (const desk of desks) {
    const api = Object.values(operations).map(({ method, path }) => `${method} ${path}`)
    for (const address of [
      ...api,
      ...Object.keys(desk.routes).filter((each) => each.startsWith("GET") || each.startsWith("DELETE")),
    ]) {
      const [method = "", template = ""] = address.split(" ")
      if (!template.includes("{")) continue
      for (const spelled of spellings(shown, hidden)) {
        const path = template.replace(/\{\w+\}/, spelled).replaceAll(/\{\w+\}/g, "x")
        const found =
          method === "POST"
            ? await post(desk, ada, path, '{"decision":"decline","response":"x"}')
            : await ask(desk, ada, method, path)
        const told = JSON.stringify([found.rawHeaders, found.text])
        expect(found.status, `${address} ${spelled}`).toBe(404)
        expect(told, `${address} ${spelled}`).not.toMatch(new RegExp(`${HIDDEN}|${hidden}`))
      }
    }
    for (const spelled of spellings(shown, hidden)) {
      const found = await ask(desk, ada, "GET", `/desk/context?work=${spelled}&approval=x`)
      expect([404, 400], `context ${spelled}`).toContain(found.status)
      expect(found.text, `context ${spelled}`).not.toMatch(new RegExp(`${HIDDEN}|${hidden}`))
    }
    expect((await send(desk.url, `/api/v1/work/${hidden}`, { headers: dora })).text).toContain(HIDDEN)
    expect((await send(desk.url, `/api/v1/work/${shown}`, { headers: ada })).text).toContain("shown")
  }
}

function ask(desk: SignInProxy, person: PersonHeaders, method: string, path: string): Promise<Reply> {
  return send(desk.url, path, { method, headers: { ...MUTATION, "Idempotency-Key": `key-${++keys}`, ...person } })
}

/** What of another Work the desks refuse below the address of the Work that a person sees. */
async function refusesOfOther({ desks, ada, shown }: Started, item: string, artifact: string): Promise<void> {
  for (const desk of desks) {
    const answer = (id: string) => post(desk, ada, `/api/v1/work/${shown}/attention/${id}/resolve`, '{"response":"x"}')
    const download = (id: string) => ask(desk, ada, "GET", `/api/v1/work/${shown}/artifacts/${id}/content`)
    for (const of of [answer, download]) {
      const [other, unknown] = [await of(of === answer ? item : artifact), await of("unknown")]
      expect([other.status, toldBy(other)]).toEqual([404, toldBy(unknown)])
    }
  }
}

/** Bodies that two parsers could read differently. */
async function refusesDoubtfulBodies({ desks, ada, ben, shown }: Started, upload: string): Promise<void> {
  for (const desk of desks) {
    const decide = (body: string | Buffer, type?: string) =>
      post(desk, ada, `/api/v1/work/${shown}/approvals/letter/resolve`, body, type)
    expect((await decide(DECLINE, "application/json; charset=utf-7")).status).toBe(415)
    expect((await decide(`\uFEFF{"decision":"decline"}`)).status).toBe(400)
    expect((await decide(Buffer.from('{"decision":"decline","comment":"\xff"}', "latin1"))).status).toBe(400)
    expect((await decide('{"decision":"approve","decision":"decline"}')).status).toBe(400)
    const fields = '"title":"of another","objective":"x","colleague_id":"analyst"'
    const named = `"input_upload_ids":["${upload}"]`
    const create = (body: string, type?: string) => post(desk, ada, "/api/v1/work", body, type)
    expect((await create(`{${fields},${named}}`)).status).toBe(404)
    expect((await create(`{${fields},${named},"input_upload_ids":[]}`)).status).toBe(400)
    expect((await create(`{${fields},"input_upload_id\u017f":[],${named}}`)).status).toBe(400)
    expect((await create(`{${fields},"Input_Upload_Ids":["${upload}"]}`)).status).toBe(400)
    expect((await create(`{${fields},"input_upload_ids":[["${upload}"]]}`)).status).toBe(400)
    expect((await create(`{${fields},"input_upload_ids":{"0":"${upload}"}}`)).status).toBe(400)
    const hiddenInUtf7 = `{${fields},"due_at":"+ACI-,${named.replaceAll('"', "+ACI-")},+ACI-x+ACI-:+ACI-"}`
    expect((await create(hiddenInUtf7, "application/json; charset=utf-7")).status).toBe(415)
    expect((await post(desk, ben, "/api/v1/work", `{${fields},"title":"twice"}`)).status).toBe(400)
  }
}

const newUpload = async ({ desks: [desk], ben }: Started) =>
  idOf(await post(desk, ben, "/api/v1/uploads", '{"name":"a.csv","media_type":"text/csv","content":"a,b"}'))

it("the embedded service shows nothing of what is concealed", { timeout: 120_000 }, async () => {
  const credentials = [{ token: CANARY, account: "sa_demo", owner: "owner_demo", scopes: ALL_SCOPES }]
  const service = await serviceForTest({ configuration: { credentials } })
  const started = await startDesks(service.url)
  const { hidden } = started
  await walk(started)
  const listed = async (items: string) => {
    const { text } = await send(service.url, `/api/v1/work/${hidden}/${items}`, {
      headers: { Authorization: `Bearer ${CANARY}` },
    })
    return (JSON.parse(text) as { data: { id: string }[] }).data[0]?.id ?? ""
  }
  await expect.poll(() => listed("attention"), { timeout: 20_000 }).not.toBe("")
  await refusesOfOther(started, await listed("attention"), "unknown-to-the-list")
  await refusesDoubtfulBodies(started, await newUpload(started))
})

const isNginxMissing = findMissing({ nginx: "nginx-light" }).length > 0

describe.each(["alone", "behind nginx with a path"])("a careless service %s", (where) => {
  const start = async () => {
    const service = await startCarelessService()
    const baseUrl = where === "alone" ? service.url : await startNginxWithPath(service.url)
    return { ...service, ...(await startDesks(baseUrl)) }
  }

  it.skipIf(where !== "alone" && isNginxMissing)(
    "shows nothing of what is concealed, and hears no doubtful body",
    { timeout: 120_000 },
    async () => {
      const started = await start()
      const { performed, hidden } = started
      const upload = await newUpload(started)
      const before = performed.length
      await walk(started)
      await refusesOfOther(started, `of-${hidden}`, `of-${hidden}`)
      await refusesDoubtfulBodies(started, upload)
      expect(performed.slice(before)).toEqual([])
    },
  )

  it.skipIf(where !== "alone" && isNginxMissing)(
    "gets a decline as it was judged, and no approve whose destination has a rule",
    { timeout: 60_000 },
    async () => {
      const { desks, ada, shown, performed, approvals } = await start()
      for (const [index, destination] of [
        "payments@(x)bank.example",
        "payments@bank. example",
        "https:/bank.example/pay",
        "x@bank.example, y@halden.example",
      ].entries()) {
        const letter = { id: `letter-${index}`, status: "pending", version: 1, requested_by_colleague: "analyst" }
        approvals.push({ ...letter, destination, subject: "s", summary: "s", created_at: "2026-11-21T10:00:00Z" })
        const path = `/api/v1/work/${shown}/approvals/letter-${index}/resolve`
        const before = performed.length
        for (const desk of desks) {
          const refused = await post(desk, ada, path, '{"decision":"approve"}')
          if (destination.includes("@"))
            expect([refused.status, memberOf(refused, "code")], destination).toEqual([403, "PROXY_RULE"])
        }
        if (destination.includes("@")) expect(performed.slice(before)).toEqual([])
        for (const desk of desks) expect((await post(desk, ada, path, DECLINE)).status).toBe(200)
        expect(performed.slice(-2).map(({ body }) => body)).toEqual([JSON.parse(DECLINE), JSON.parse(DECLINE)])
      }
    },
  )

  it.skipIf(where !== "alone" && isNginxMissing)(
    "is asked for at most 20 Works for a page of the record, at either desk",
    { timeout: 60_000 },
    async () => {
      const started = await start()
      const { desks, ada, ben, heard, failLists } = started
      failLists()
      for (let index = 0; index < READS_MAX + 5; index++) {
        const work = {
          title: `work ${index}`,
          objective: "x",
          colleague_id: "analyst",
          visibility_scope: "organization",
        }
        expect((await post(desks[0], ben, "/api/v1/work", JSON.stringify(work))).status).toBe(201)
      }
      for (const desk of desks) {
        const before = heard.length
        const page = await send(desk.url, "/desk/record?limit=100", { headers: ada })
        const reads = heard.slice(before).filter((path) => path.startsWith("/api/v1/work/"))
        expect([reads.length, memberOf(page, "complete")]).toEqual([READS_MAX, false])
      }
    },
  )
})

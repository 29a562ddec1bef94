import { describe, expect, it, onTestFinished } from "vitest"
import { PostgresServer } from "../store/testing/postgres.ts"
import { databaseForTest } from "../store/testing/stores.ts"
import { startSignInProxy, type PersonHeaders, type SignInProxy } from "../testing/sign-in.ts"
import { MUTATION, problemOf, send } from "../testing/desk.ts"
import { startUpstream, type Answering, type Heard } from "../testing/upstreams.ts"

const access = {
  contact: "the finance desk",
  roles: { delegator: ["group:ops"], approver: ["group:finance"] },
  rules: [{ destination: "*@bank.example", approvers: ["group:cfo"] }],
}

const anyone = ["anyone"]
const everything = { roles: { reader: anyone, answerer: anyone, delegator: anyone, approver: anyone } }

const TOGETHER = "6f0d5a0e-7f3c-4c37-9c66-0f4c1f0f3a11"

const APPROVAL = {
  id: "a",
  work_id: "w",
  status: "pending",
  version: 3,
  requested_by_colleague: "analyst",
  destination: "x@halden.example",
  subject: "s",
  summary: "s",
}

/** A service with the approval `a` of the Work `w`. It answers the decision with 200. */
const answer =
  (approval: object = APPROVAL): Answering =>
  (heard, response) => {
    const isCreated = heard.method === "POST" && heard.url === "/api/v1/work"
    response.writeHead(isCreated ? 201 : 200, { "Content-Type": "application/json" })
    response.end(
      heard.url.endsWith("/approvals")
        ? JSON.stringify({ data: [approval] })
        : heard.method === "POST" && !isCreated
          ? '{"version":1}'
          : '{"id":"w","version":1}',
    )
  }

const RESOLVE = "/api/v1/work/w/approvals/a/resolve"

const decide = (
  proxy: SignInProxy,
  person: PersonHeaders,
  {
    body = '{"decision":"approve"}',
    headers = {},
  }: { body?: string; headers?: Record<string, string | string[]> } = {},
) =>
  send(proxy.url, RESOLVE, {
    method: "POST",
    headers: { ...MUTATION, "If-Match": '"3"', ...person, ...headers },
    body,
  })

const posts = (heard: readonly Heard[]) => heard.filter(({ method }) => method === "POST")

describe("a mutation in sign-in mode", () => {
  it("is forwarded unchanged, and recorded with the person who sent it", async () => {
    const upstream = await startUpstream(answer())
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const ada = await proxy.signIn("Ada", ["finance"])
    const body = '{ "decision" : "approve",\n "comment":"\\u00e9 😀" }'
    expect((await decide(proxy, ada, { body })).status).toBe(200)
    expect(posts(upstream.heard).map((heard) => heard.body)).toEqual([body])
    const page = JSON.parse((await send(proxy.url, "/desk/record", { headers: { ...ada } })).text) as { data: object[] }
    expect(page.data).toMatchObject([
      {
        person: { id: ada["Desk-Person"], name: "Ada" },
        operation: "resolveWorkApproval",
        decision: "approve",
        work_id: "w",
        item_id: "a",
        outcome: "recorded",
        destination: "x@halden.example",
      },
    ])
  })

  it.each([
    ["Desk-Approve", ["hold", "hold"], "PROXY_HEADER_REPEATED"],
    ["Desk-Approve", "hold, hold", "PROXY_HEADER_INVALID"],
    ["Desk-Approve", "Hold", "PROXY_HEADER_INVALID"],
    ["Desk-Approve", "", "PROXY_HEADER_INVALID"],
    ["Desk-Wants-Change", "yes", "PROXY_HEADER_INVALID"],
    ["Desk-Together", [TOGETHER, TOGETHER], "PROXY_HEADER_REPEATED"],
    ["Desk-Together", `${TOGETHER}, ${TOGETHER}`, "PROXY_TOGETHER_INVALID"],
    ["Desk-Together", "", "PROXY_TOGETHER_INVALID"],
    ["Desk-Together", TOGETHER.slice(1), "PROXY_TOGETHER_INVALID"],
    ["Desk-Together", TOGETHER.replaceAll("-", ""), "PROXY_TOGETHER_INVALID"],
    ["Desk-Together", `{${TOGETHER}}`, "PROXY_TOGETHER_INVALID"],
    ["Desk-Together", `${TOGETHER}","outcome":"recorded`, "PROXY_TOGETHER_INVALID"],
  ])("is refused with %s: %j", async (name, value, code) => {
    const upstream = await startUpstream(answer())
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const ada = await proxy.signIn("Ada", ["finance"])
    const refused = await decide(proxy, ada, { headers: { [name]: value } })
    expect([refused.status, problemOf(refused).code]).toEqual([400, code])
    expect(posts(upstream.heard)).toEqual([])
  })

  it("is recorded with the id of Desk-Together in lower case, which the service doesn't get", async () => {
    const upstream = await startUpstream(answer())
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const ada = await proxy.signIn("Ada", ["finance"])
    expect((await decide(proxy, ada, { headers: { "Desk-Together": TOGETHER.toUpperCase() } })).status).toBe(200)
    expect(JSON.stringify(upstream.heard).toLowerCase()).not.toContain(TOGETHER)
    const page = JSON.parse((await send(proxy.url, "/desk/record", { headers: { ...ada } })).text) as { data: object[] }
    expect(page.data).toMatchObject([{ together: TOGETHER, together_others: 0, rules: [] }])
  })

  it.each([
    ["GET", "/api/v1/work"],
    ["GET", "/api/v1/work/w/approvals"],
    ["POST", "/api/v1/work"],
    ["POST", "/api/v1/work/w/attention/a/resolve"],
    ["GET", "/desk/record"],
    ["GET", "/desk/session"],
    ["GET", "/desk/health"],
    ["PUT", "/desk/views"],
    ["DELETE", "/desk/approvals/w/a/mine"],
  ])("is refused with Desk-Together at %s %s, where nothing is decided", async (method, path) => {
    const upstream = await startUpstream(answer())
    const proxy = await startSignInProxy(upstream.url, { people: { access: everything } })
    const ada = await proxy.signIn("Ada", [])
    const body = method === "GET" || method === "DELETE" ? {} : { body: "{}" }
    const headers = { ...MUTATION, "If-Match": '"3"', ...ada, "Desk-Together": TOGETHER }
    const refused = await send(proxy.url, path, { method, headers, ...body })
    expect([refused.status, problemOf(refused).code]).toEqual([400, "PROXY_TOGETHER_INVALID"])
    expect(upstream.heard.filter(({ url }) => url.startsWith(path) && method === "POST")).toEqual([])
  })

  it.each([
    ["names a member twice", '{"decision":"decline","decision":"approve"}'],
    ["names a member twice in other letters", '{"decision":"decline","\\u0064ecision":"approve"}'],
    ["is a list", '[{"decision":"approve"}]'],
    ["is no JSON", "decision=approve"],
    ["is empty", ""],
  ])("is refused when its body %s, and the service hears nothing", async (_, body) => {
    const upstream = await startUpstream(answer())
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const reply = await decide(proxy, await proxy.signIn("Ada", ["finance"]), { body })
    expect(reply.status).toBe(400)
    expect(posts(upstream.heard)).toEqual([])
  })

  it.each<[what: string, approval: object, headers: Record<string, string>, status: number, code: string]>([
    ["of another version", { ...APPROVAL, version: 4 }, {}, 412, "PROXY_VERSION_STALE"],
    ["that is not there", { ...APPROVAL, id: "b" }, {}, 404, "PROXY_NOT_FOUND"],
    ["that a rule refuses", { ...APPROVAL, destination: "x@bank.example" }, {}, 403, "PROXY_RULE"],
    ["with a malformed If-Match", APPROVAL, { "If-Match": "3" }, 400, "PROXY_VERSION_INVALID"],
  ])("of an approval %s is not sent", async (_, approval, headers, status, code) => {
    const upstream = await startUpstream(answer(approval))
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const reply = await decide(proxy, await proxy.signIn("Ada", ["finance"]), { headers })
    expect(reply.status).toBe(status)
    expect(problemOf(reply)).toMatchObject({ code, retryable: false })
    expect(posts(upstream.heard)).toEqual([])
  })

  it("of a decision without If-Match is 428", async () => {
    const upstream = await startUpstream(answer())
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const ada = await proxy.signIn("Ada", ["finance"])
    const reply = await send(proxy.url, RESOLVE, { method: "POST", headers: { ...MUTATION, ...ada }, body: "{}" })
    expect(reply.status).toBe(428)
    expect(posts(upstream.heard)).toEqual([])
  })

  it("with the key of another person is refused", async () => {
    const upstream = await startUpstream(answer())
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const [ada, ben] = [await proxy.signIn("Ada", ["ops"]), await proxy.signIn("Ben", ["ops"])]
    const create = (person: PersonHeaders) =>
      send(proxy.url, "/api/v1/work", { method: "POST", headers: { ...MUTATION, ...person }, body: "{}" })
    expect((await create(ada)).status).toBe(201)
    const reply = await create(ben)
    expect([reply.status, problemOf(reply).code]).toEqual([409, "PROXY_KEY_OF_ANOTHER"])
    expect(posts(upstream.heard)).toHaveLength(1)
  })

  it("gets the service's answer and is not sent when the approvals cannot be read", async () => {
    const upstream = await startUpstream((heard, response) => {
      if (heard.method === "GET") return void response.end("<html>")
      return answer()(heard, response)
    })
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const reply = await decide(proxy, await proxy.signIn("Ada", ["finance"]))
    expect([reply.status, problemOf(reply).code]).toEqual([502, "PROXY_UPSTREAM_INVALID"])
    expect(posts(upstream.heard)).toEqual([])
  })
})

it("while PostgreSQL is away the API is 503, the desk stays ready, and it heals by itself", async () => {
  const postgres = await PostgresServer.start()
  onTestFinished(() => postgres.stop())
  const database = await databaseForTest({ dataFolder: "/unused", databaseUrl: await postgres.newDatabase() })
  const upstream = await startUpstream(answer())
  const proxy = await startSignInProxy(upstream.url, { people: { access, database } })
  const ada = await proxy.signIn("Ada", ["finance"])
  const ask = (path: string) => send(proxy.url, path, { headers: { ...ada } })
  await postgres.kill()
  for (const path of ["/api/v1/work", "/desk/waiting", "/desk/session"]) {
    const reply = await ask(path)
    expect([reply.status, problemOf(reply).code], path).toEqual([503, "PROXY_STORE_UNAVAILABLE"])
    expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0)
  }
  expect((await ask("/desk/ready")).status).toBe(200)
  expect((await ask("/desk/health")).status).toBe(200)
  expect(upstream.heard).toEqual([])
  await postgres.restart()
  await expect.poll(async () => (await ask("/api/v1/work")).status).toBe(200)
})

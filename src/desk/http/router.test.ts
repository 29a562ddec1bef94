import { describe, expect, it } from "vitest"
import { operations } from "../../contract/operations.ts"
import type { OperationId } from "../../contract/resources.ts"
import { startSignInProxy, type PersonHeaders, type SignInProxy } from "../testing/sign-in.ts"
import { MUTATION, problemOf, send } from "../testing/desk.ts"
import { answerJson, startUpstream, type Answering, ownJson } from "../testing/upstreams.ts"

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

/** Every address below /desk, and some addresses that the desk does not have. */
const DESK_PATHS = [
  "/desk",
  "/desk/",
  "/desk/health",
  "/desk/ready",
  "/desk/session",
  "/desk/session/touch",
  "/desk/sign-in",
  "/desk/sign-in/callback",
  "/desk/sign-out",
  "/desk/sign-out/back",
  "/desk/waiting",
  "/desk/overview",
  "/desk/work",
  "/desk/context",
  "/desk/record",
  "/desk/views",
  "/desk/presence",
  "/desk/assignment",
  "/desk/aside",
  "/desk/people",
  "/desk/token",
  "/desk/record/",
  "/desk/..%2frecord",
]
const API_PATHS = [
  ...new Set(Object.values(operations).map(({ path }) => path.replaceAll(/\{\w+\}/g, "x"))),
  "/api",
  "/api/",
  "/api/v1/webhooks",
  "/api/v1/work/x/",
]

/** The addresses that are served without a session. Signing in fails here, because there is no provider. */
const PUBLIC: Readonly<Record<string, number>> = {
  "GET /desk/health": 200,
  "GET /desk/ready": 200,
  "GET /desk/session": 200,
  "GET /desk/sign-in": 502,
  "GET /desk/sign-in/callback": 400,
  "POST /desk/sign-out/back": 400,
}

const READ: OperationId[] = [
  "listWork",
  "getWork",
  "streamWorkEvents",
  "listWorkAttention",
  "listWorkApprovals",
  "listWorkArtifacts",
  "downloadWorkArtifact",
]
const ROLES: Readonly<Record<string, readonly OperationId[]>> = {
  reader: READ,
  answerer: [...READ, "resolveWorkAttention"],
  delegator: [...READ, "createInputUpload", "getInputUpload", "retryInputUploadProcessing", "createWork"],
  approver: [...READ, "resolveWorkApproval"],
}
const access = {
  contact: "the finance desk",
  roles: Object.fromEntries(Object.keys(ROLES).map((role) => [role, [`group:${role}`]])),
}

/** An approval that also stands for a clarification and an Artifact. */
const APPROVAL = {
  id: "x",
  work_id: "x",
  status: "pending",
  version: 3,
  requested_by_colleague: "a",
  destination: "d",
  subject: "s",
  summary: "s",
}

/** Answers every operation with a success. */
const answerOwn: Answering = (heard, response) => {
  if (/\/(?:approvals|attention|artifacts)$/.test(heard.url)) {
    response.writeHead(200, { "Content-Type": "application/json" })
    return void response.end(JSON.stringify({ data: [APPROVAL] }))
  }
  if (heard.url.endsWith("/content")) response.writeHead(200, { "Content-Type": "application/octet-stream" })
  else if (heard.url.endsWith("/events")) response.writeHead(200, { "Content-Type": "text/event-stream" })
  else {
    const created = heard.method === "POST" && /\/(?:uploads|work)$/.test(heard.url)
    response.writeHead(heard.url.endsWith("/retry") ? 202 : created ? 201 : 200, { "Content-Type": "application/json" })
  }
  response.end(heard.url.endsWith("/events") ? ": x\n" : heard.url.endsWith("/content") ? "x" : ownJson(heard.url))
}

const ask = (proxy: SignInProxy, method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  send(proxy.url, path, {
    method,
    headers: { ...MUTATION, "If-Match": '"3"', ...headers },
    body: method === "POST" || method === "PUT" ? '{"decision":"approve"}' : "",
  })

describe("every address and method", () => {
  it("is closed without a session, except those for signing in and probes", async () => {
    const upstream = await startUpstream()
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    for (const path of [...DESK_PATHS, ...API_PATHS]) {
      for (const method of METHODS) {
        const reply = await ask(proxy, method, path)
        const expected = PUBLIC[`${method} ${path}`] ?? 401
        expect(reply.status, `${method} ${path}`).toBe(expected)
        if (expected === 401 && method !== "HEAD") expect(problemOf(reply).code).toBe("PROXY_SIGNED_OUT")
      }
    }
    expect(upstream.heard).toEqual([])
  })

  it.each([
    ["forged", { Cookie: `workdesk-4400=${"A".repeat(43)}` }],
    ["empty", { Cookie: "workdesk-4400=" }],
    ["of another desk", { Cookie: `workdesk-4401=${"A".repeat(43)}` }],
    ["local mode's", { Cookie: "workdesk-4400=local", "Desk-Person": "local" }],
    ["another proxy's", { "X-Forwarded-User": "ada", "Tailscale-User-Login": "ada", X_Forwarded_User: "ada" }],
  ])("is closed with a %s identity", async (_, headers) => {
    const upstream = await startUpstream()
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    for (const path of ["/api/v1/work", "/desk/waiting", "/desk/record"]) {
      expect((await ask(proxy, "GET", path, headers)).status).toBe(401)
    }
    expect(JSON.parse((await ask(proxy, "GET", "/desk/session", headers)).text)).toEqual({
      mode: "sign-in",
      person: null,
      version: "0.0.0",
    })
    expect(upstream.heard).toEqual([])
  })

  it("is closed with the cookies of two sessions", async () => {
    const proxy = await startSignInProxy((await startUpstream()).url, { people: { access } })
    const [ada, ben] = [await proxy.signIn("Ada", ["reader"]), await proxy.signIn("Ben", ["reader"])]
    const both = { "Desk-Person": ada["Desk-Person"], Cookie: `${ada.Cookie}; ${ben.Cookie}` }
    expect((await ask(proxy, "GET", "/api/v1/work", both)).status).toBe(401)
  })

  it.each(Object.entries(ROLES))("serves the role %s its operations and no others", async (role, allowed) => {
    const upstream = await startUpstream(answerOwn)
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const person = await proxy.signIn("Ada", [role])
    for (const { id, method, path } of Object.values(operations)) {
      const reply = await ask(proxy, method, path.replaceAll(/\{\w+\}/g, "x"), person)
      if (allowed.includes(id)) {
        expect([200, 201, 202], `${id} ${reply.text}`).toContain(reply.status)
      } else {
        expect([reply.status, problemOf(reply).code], id).toEqual([403, "PROXY_ROLE_MISSING"])
        expect(problemOf(reply)["detail"]).toMatch(/(?:reader|answerer|delegator|approver).*the finance desk/)
      }
    }
    for (const path of ["/desk/waiting", "/desk/record", "/desk/views"]) {
      expect((await ask(proxy, "GET", path, person)).status).toBe(200)
    }
    expect((await ask(proxy, "GET", "/desk/token", person)).status).toBe(404)
    expect((await ask(proxy, "DELETE", "/desk/record", person)).status).toBe(405)
    expect((await ask(proxy, "GET", "/api/v1/webhooks", person)).status).toBe(404)
  })

  it("is closed without a role, except the session", async () => {
    const upstream = await startUpstream()
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const person = await proxy.signIn("Nobody", ["elsewhere"])
    for (const path of [...API_PATHS, "/desk/waiting", "/desk/record", "/desk/views", "/desk/token"]) {
      const reply = await ask(proxy, "GET", path, person)
      expect([reply.status, problemOf(reply).code], path).toEqual([403, "PROXY_NO_ROLE"])
      expect(problemOf(reply)["detail"]).toContain("the finance desk")
    }
    const session: unknown = JSON.parse((await ask(proxy, "GET", "/desk/session", person)).text)
    expect(session).toMatchObject({
      mode: "sign-in",
      person: { id: person["Desk-Person"], name: "Nobody", roles: [], operations: [] },
      contact: "the finance desk",
      ends_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect((await ask(proxy, "POST", "/desk/session/touch", person)).status).toBe(200)
    expect(upstream.heard).toEqual([])
  })
})

describe("Desk-Person", () => {
  it("is required for a mutation, must name the session's person, and never reaches the upstream", async () => {
    const upstream = await startUpstream(answerOwn)
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const [ada, ben] = [await proxy.signIn("Ada", ["delegator"]), await proxy.signIn("Ben", ["delegator"])]
    const { Cookie } = ada
    const codeOf = async (method: string, path: string, headers: Readonly<Record<string, string>>) => {
      const reply = await ask(proxy, method, path, headers)
      return reply.status < 300 ? reply.status : [reply.status, problemOf(reply).code]
    }
    expect(await codeOf("POST", "/api/v1/work", { Cookie })).toEqual([403, "PROXY_PERSON_MISSING"])
    const mixed: PersonHeaders = { Cookie, "Desk-Person": ben["Desk-Person"] }
    expect(await codeOf("POST", "/api/v1/work", mixed)).toEqual([409, "PROXY_PERSON_CHANGED"])
    expect(await codeOf("GET", "/api/v1/work", mixed)).toEqual([409, "PROXY_PERSON_CHANGED"])
    expect(await codeOf("GET", "/api/v1/work/w/events", mixed)).toEqual([409, "PROXY_PERSON_CHANGED"])
    expect(await codeOf("PUT", "/desk/views", mixed)).toEqual([409, "PROXY_PERSON_CHANGED"])
    expect(upstream.heard).toEqual([])
    expect(await codeOf("GET", "/api/v1/work", { Cookie })).toBe(200)
    expect(await codeOf("POST", "/api/v1/work", ada)).toBe(201)
    expect(upstream.heard.flatMap(({ headers }) => Object.keys(headers))).not.toContain("desk-person")
    expect(upstream.heard.flatMap(({ headers }) => Object.keys(headers))).not.toContain("cookie")
  })
})

describe("the end of a session", () => {
  it("ends the streams and waiting requests of its session alone", { timeout: 20_000 }, async () => {
    const upstream = await startUpstream((heard, response) => {
      if (!heard.url.includes("/events")) return answerJson(heard, response)
      response.writeHead(200, { "Content-Type": "text/event-stream" })
      response.flushHeaders()
    })
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const [ada, ben] = [await proxy.signIn("Ada", ["reader"]), await proxy.signIn("Ben", ["reader"])]
    const openStream = async (person: PersonHeaders) => {
      const response = await fetch(`${proxy.url}/api/v1/work/w/events`, { headers: person })
      return { response, ended: response.text() }
    }
    const [hers, his] = await Promise.all([openStream(ada), openStream(ben)])
    const { headers } = await ask(proxy, "GET", "/desk/waiting", ada)
    const waiting = ask(proxy, "GET", "/desk/waiting?wait=25", { ...ada, "If-None-Match": headers.etag ?? "" })
    const out = await ask(proxy, "POST", "/desk/sign-out", ada)
    expect([out.status, JSON.parse(out.text)]).toEqual([200, { location: null }])
    expect(out.headers["set-cookie"]?.[0]).toMatch(/^workdesk-4400=;/)
    await hers.ended
    expect([200, 401]).toContain((await waiting).status)
    expect((await ask(proxy, "GET", "/api/v1/work", ada)).status).toBe(401)
    expect((await ask(proxy, "GET", "/api/v1/work", ben)).status).toBe(200)
    expect(await Promise.race([his.ended, Promise.resolve("open")])).toBe("open")
    await expect.poll(() => upstream.openStreams()).toBe(1)
    await his.response.body?.cancel().catch(() => undefined)
  })
})

describe("other sites", () => {
  const crossSite = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" }

  it("reach the callback by a navigation, and no other address below /api and /desk", async () => {
    const proxy = await startSignInProxy((await startUpstream()).url, { people: { access } })
    const person = await proxy.signIn("Ada", ["reader"])
    for (const path of [...DESK_PATHS, ...API_PATHS]) {
      for (const method of ["GET", "POST"]) {
        const reply = await ask(proxy, method, path, { ...person, ...crossSite })
        const isCallback = method === "GET" && path === "/desk/sign-in/callback"
        expect(reply.status, `${method} ${path}`).toBe(isCallback ? 400 : 403)
      }
    }
    for (const change of [{ "Sec-Fetch-Mode": "cors" }, { "Sec-Fetch-Dest": "iframe" }]) {
      expect((await ask(proxy, "GET", "/desk/sign-in/callback", { ...crossSite, ...change })).status).toBe(403)
    }
  })

  it("get no page that could run a script", async () => {
    const proxy = await startSignInProxy((await startUpstream()).url, { people: { access } })
    const reply = await ask(proxy, "GET", "/desk/sign-in/callback?state=%3Cscript%3E&error=%3Cimg%3E", crossSite)
    expect(reply.headers["content-type"]).toMatch(/^text\/html/)
    expect(reply.headers["content-security-policy"]).toContain("default-src 'none'")
    expect(reply.text).not.toMatch(/<script|<img|style=/)
    expect(reply.text).toContain('<a href="/desk/sign-in?return=')
  })
})

import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ALL_SCOPES } from "../configuration.ts"
import { call } from "../testing/client.ts"
import { ALICE, NOBODY, startTestService, type TestService } from "../testing/test-service.ts"

let service: TestService
let work: string

beforeAll(async () => {
  service = await startTestService()
  work = await service.work()
})

afterAll(() => service.stop())

const UPLOAD = { name: "a.txt", media_type: "text/plain", content: "a" }
describe("headers", () => {
  test.each([undefined, "", "k".repeat(256)])("the Idempotency-Key %s is 400", async (key) => {
    const answer = await call(service.url, "POST", "/api/v1/uploads", {
      token: ALICE,
      body: UPLOAD,
      ...(key === undefined ? {} : { key }),
    })
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining("Idempotency-Key") } })
  })

  test("a repeated Idempotency-Key is 400, and a repeated Authorization is 401", async () => {
    const options = { token: ALICE, body: UPLOAD }
    const keys = await call(service.url, "POST", "/api/v1/uploads", {
      ...options,
      headers: { "idempotency-key": ["a", "b"] },
    })
    expect(keys.status).toBe(400)
    const authorization = [`Bearer ${ALICE}`, "Bearer x"]
    expect((await service.get("/api/v1/work", { headers: { authorization } })).status).toBe(401)
  })

  test("a refused request with Expect gets no 100 Continue, and its connection is closed", async () => {
    const text = await exchangeRaw(
      service.url,
      "POST /api/v1/uploads HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
    )
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
    expect(text).toMatch(/^Connection: close\r$/m)
  })

  test("pipelined requests are answered in their order", async () => {
    const headers = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ALICE}\r\n\r\n`
    const requests = ["/nowhere", "/api/v1/work?limit=1", `/api/v1/work/${work}/events`]
    const text = await exchangeRaw(
      service.url,
      requests.map((target) => `GET ${target} ${headers}`).join(""),
      "work.created",
    )
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["404", "200", "200"])
    expect(text).toContain("\r\nid: 1\nevent: work.created\n")
  })

  test("a request that is not HTTP gets a Problem", async () => {
    const text = await exchangeRaw(service.url, "nonsense\r\n\r\n")
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(text.slice(text.indexOf("{")))).toMatchObject({ status: 400, code: "INVALID_REQUEST" })
  })
})

describe("the order of checks", () => {
  const limited = async (limits: object) => startTestService({ configuration: { limits: { ...limits } } })

  test("401 before the path, the path before the scope, the scope before the input", async () => {
    const bad = { key: "", body: "{" }
    expect((await call(service.url, "POST", "/nowhere", bad)).status).toBe(401)
    expect((await call(service.url, "POST", "/nowhere", { ...bad, token: NOBODY })).status).toBe(404)
    expect((await call(service.url, "PUT", "/api/v1/work", { ...bad, token: NOBODY })).status).toBe(405)
    expect((await call(service.url, "POST", "/api/v1/work", { ...bad, token: NOBODY })).status).toBe(403)
    expect(
      (await call(service.url, "POST", "/api/v1/work/x/attention/y/resolve", { ...bad, token: ALICE })).status,
    ).toBe(400)
  })

  test("429 before the path", async () => {
    const none = await limited({ readPerMinute: 0 })
    expect((await none.get("/nowhere")).status).toBe(429)
    await none.stop()
  })

  test("400, 404, the key, 428, 412, 409", async () => {
    const id = await service.work()
    const item = await service.first(id, "attention")
    const path = `/api/v1/work/${id}/attention/${item}/resolve`
    const body = { response: "x" }
    expect((await service.post("/api/v1/work/x/attention/y/resolve", {})).status).toBe(400)
    expect((await service.post("/api/v1/work/x/attention/y/resolve", body)).status).toBe(404)
    expect((await service.post(path, body, { key: "order" })).status).toBe(428)
    const stale = { status: 412, body: { code: "VERSION_STALE", retryable: false } }
    expect(await service.post(path, body, { key: "order", ifMatch: '"9"' })).toMatchObject(stale)
    expect((await service.post(path, body, { key: "order", ifMatch: '"1"' })).status).toBe(200)
    expect((await service.post(path, body, { key: "order" })).body).toMatchObject({ code: "IDEMPOTENCY_CONFLICT" })
    expect((await service.post(path, body, { ifMatch: '"1"' })).status).toBe(412)
    expect((await service.post(path, body, { ifMatch: '"2"' })).status).toBe(409)
  })

  test("422 before 503", async () => {
    const full = await limited({ activeWork: 0 })
    const post = (objective: string) => full.post("/api/v1/work", { colleague_id: "analyst", objective })
    expect((await post("policy:block")).status).toBe(422)
    expect((await post("anything")).status).toBe(503)
    await full.stop()
  })
})

test("a scope allows its own operations and no others", async () => {
  const scoped = ALL_SCOPES.map((scope) => ({
    token: `only-${scope}`,
    account: "sa_alice",
    owner: "o",
    scopes: [scope],
  }))
  const tight = await startTestService({ configuration: { credentials: scoped } })
  const reads = [
    ["upload:create", "/api/v1/uploads/x"],
    ["work:read", "/api/v1/work/x"],
    ["work:read", "/api/v1/work/x/events"],
    ["work:guide", "/api/v1/work/x/attention"],
    ["approval:read", "/api/v1/work/x/approvals"],
    ["artifact:read", "/api/v1/work/x/artifacts"],
    ["artifact:read", "/api/v1/work/x/artifacts/y/content"],
  ] as const
  for (const [needed, target] of reads) {
    for (const scope of ALL_SCOPES) {
      const { status } = await tight.get(target, { token: `only-${scope}` })
      expect(status, `${scope} at ${target}`).toBe(scope === needed ? 404 : 403)
    }
  }
  await tight.stop()
})

/** Sends raw text and returns the answer up to the end of the connection, or up to the text `last`. */
async function exchangeRaw(base: string, request: string, last?: string): Promise<string> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  socket.write(request)
  let text = ""
  for await (const chunk of socket) {
    text += String(chunk)
    if (last !== undefined && text.includes(last)) break
  }
  socket.destroy()
  return text
}

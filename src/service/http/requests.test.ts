import { request } from "node:http"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ALL_SCOPES } from "../configuration.ts"
import { call, newKey, textOf } from "../testing/client.ts"
import { ALICE, BOB, NOBODY, startDeskService } from "../testing/desk-service.ts"
import type { DeskService } from "../testing/desk-service.ts"

let service: DeskService
let work: string

beforeAll(async () => {
  service = await startDeskService()
  work = await service.work()
})

afterAll(() => service.stop())

const UPLOAD = { name: "a.txt", media_type: "text/plain", content: "a" }
const upload = (changes: object) => service.post("/api/v1/uploads", { ...UPLOAD, ...changes })

describe("the raw path", () => {
  test.each([
    "/",
    "/api/v1/work/",
    "/api/v1/Work",
    "/API/v1/work",
    "/api/v1//work",
    "/api/v1/%77ork",
    "/api/v2/work",
    "/api/v1/work/../work",
    "/api/v1/work//events",
    "/api/v1/work/x/y",
    "/api/v1/work/x/attention/y",
    "/api/v1/work/x/events/",
    "/api/v1/work;a=b",
  ])("%s is no path of the API", async (target) => {
    expect(await service.get(target)).toMatchObject({ status: 404, body: { code: "UNKNOWN_PATH" } })
  })

  test.each(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])("%s is a method that no path has", async (method) => {
    const answer = await call(service.url, method, "/api/v1/work", { token: ALICE })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow?.split(", ").toSorted()).toEqual(["GET", "POST"])
  })

  test.each([
    ["POST", "/api/v1/work/x"],
    ["GET", "/api/v1/uploads"],
    ["GET", "/api/v1/work/x/attention/y/resolve"],
  ])("%s %s is a known path with another method", async (method, target) => {
    const answer = await call(service.url, method, target, { token: ALICE })
    expect(answer).toMatchObject({ status: 405, body: { code: "METHOD_NOT_ALLOWED" } })
  })

  test.each(["..%2f..", "%2e%2e", "%00", "%zz", "a%0d%0ab", "%F0%9F%98%80", "'", "x".repeat(2000)])(
    "the id %s is unknown, and says so as every unknown one does",
    async (id) => {
      const answer = await service.get(`/api/v1/work/${id}`)
      const other = await service.get("/api/v1/work/unknown")
      expect(withoutOccasion(answer.body)).toEqual(withoutOccasion(other.body))
      expect(answer.status).toBe(404)
    },
  )

  test("an id may be sent percent-encoded, and a target in its absolute form", async () => {
    const encoded = work.replace("work_", "work%5F")
    expect((await service.get(`/api/v1/work/${encoded}`)).body).toMatchObject({ id: work })
    expect((await service.get(`http://elsewhere.example/api/v1/work/${work}`)).body).toMatchObject({ id: work })
  })

  test("another account's Work and upload are as unknown as what never was", async () => {
    const foreign = await service.get(`/api/v1/work/${work}`, { token: BOB })
    const unknown = await service.get("/api/v1/work/unknown", { token: BOB })
    expect(withoutOccasion(foreign.body)).toEqual(withoutOccasion(unknown.body))
    const id = await service.upload("a.csv", "a,b\n1,2\n")
    expect((await service.get(`/api/v1/uploads/${id}`, { token: BOB })).status).toBe(404)
    for (const list of ["events", "attention", "approvals", "artifacts"]) {
      expect((await service.get(`/api/v1/work/${work}/${list}`, { token: BOB })).status).toBe(404)
    }
  })
})

describe("the query", () => {
  test.each([
    ["/api/v1/work?limit=0", "limit"],
    ["/api/v1/work?limit=101", "limit"],
    ["/api/v1/work?limit=1e1", "limit"],
    ["/api/v1/work?limit=+5", "limit"],
    ["/api/v1/work?limit=05", "limit"],
    ["/api/v1/work?limit=", "limit"],
    ["/api/v1/work?limit", "limit"],
    ["/api/v1/work?limit=5&limit=5", "limit"],
    ["/api/v1/work?limit=5&%6cimit=5", "limit"],
    ["/api/v1/work?status=WORKING", "status"],
    ["/api/v1/work?status=", "status"],
    ["/api/v1/work?cursor=", "cursor"],
    ["/api/v1/work?cursor=abc", "cursor"],
    ["/api/v1/work?cursor=%ff", "cursor"],
  ])("%s is 400 and names the field", async (target, field) => {
    expect(await service.get(target)).toMatchObject({
      status: 400,
      body: { code: "INVALID_REQUEST", detail: expect.stringContaining(field) },
    })
  })

  test.each(["-1", "1e3", "9223372036854775808", "0x1", "1.0", " 1", "abc", ""])("after=%s is 400", async (after) => {
    const answer = await service.get(`/api/v1/work/${work}/events?after=${encodeURIComponent(after)}`)
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining("after") } })
  })

  test.each(["-1", "abc", "1.5", "9223372036854775808"])("Last-Event-ID: %s is 400", async (id) => {
    const answer = await service.get(`/api/v1/work/${work}/events`, { headers: { "last-event-id": id } })
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining("Last-Event-ID") } })
  })

  test("what an operation does not know is ignored, even twice and empty", async () => {
    expect((await service.get("/api/v1/work?x=1&x=&=&&after=-1&limit=5")).status).toBe(200)
  })
})

describe("the body", () => {
  const post = (body: unknown, headers: Record<string, string | string[]> = {}) =>
    call(service.url, "POST", "/api/v1/uploads", { token: ALICE, key: newKey(), body, headers })

  test.each([
    "text/plain",
    "application/json5",
    "",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
  ])("with the content type '%s' is 400", async (type) => {
    expect(await post(UPLOAD, { "content-type": type })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("Content-Type") },
    })
  })

  test.each(["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"'])(
    "with the content type '%s' is read",
    async (type) => expect((await post(UPLOAD, { "content-type": type })).status).toBe(201),
  )

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["half", '{"name":'],
    ["a comment", '{/**/"name":"a"}'],
    ["a list", "[]"],
    ["null", "null"],
    ["bad UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["a byte order mark", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(UPLOAD))])],
    ["UTF-16", Buffer.from(JSON.stringify(UPLOAD), "utf16le")],
    ["deep nesting", "[".repeat(500_000)],
    ["deep nesting of objects", '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)],
    ["a lone surrogate", '{"name":"\\ud800","media_type":"text/plain","content":"a"}'],
    ["a lone surrogate in a name", '{"name":"a","media_type":"text/plain","content":"a","\\udc00":1}'],
  ])("that is %s is 400", async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } })
  })

  test("of more than 1 MiB is 413, announced or not", async () => {
    const body = Buffer.alloc(1_048_577, 0x20)
    expect(await post(body)).toMatchObject({ status: 413, body: { code: "BODY_TOO_LARGE" } })
    expect((await post(body, { "transfer-encoding": "chunked", "content-length": [] })).status).toBe(413)
  })

  test("that never ends is cut early", async () => {
    const { hostname, port } = new URL(service.url)
    const headers = { authorization: `Bearer ${ALICE}`, "idempotency-key": "k", "content-type": "application/json" }
    let sent = 0
    const status = await new Promise((resolve, reject) => {
      const endless = request({ hostname, port, method: "POST", path: "/api/v1/uploads", headers }, (response) => {
        resolve(response.statusCode)
        endless.destroy()
      })
      endless.on("error", reject)
      const pump = () => {
        while (!endless.destroyed && sent < 50_000_000) {
          sent += 65_536
          if (!endless.write(Buffer.alloc(65_536, 0x20))) return void endless.once("drain", pump)
        }
      }
      pump()
    })
    expect(status).toBe(413)
    expect(sent).toBeLessThan(20_000_000)
  })

  test.each([
    [{ name: "" }, "name"],
    [{ name: "é".repeat(121) }, "name"],
    [{ name: 5 }, "name"],
    [{ media_type: "text/html" }, "media_type"],
    [{ content: "" }, "content"],
    [{ content: "é".repeat(51_201) }, "content"],
    [{ content: "x".repeat(102_401) }, "content"],
    [{ surprise: 1 }, "surprise"],
  ])("%o is 400 and names the field", async (changes, field) => {
    expect(await upload(changes)).toMatchObject({ status: 400, body: { detail: expect.stringContaining(field) } })
  })

  test("counts characters as code points and the content in bytes", async () => {
    expect((await upload({ name: "😀".repeat(120) })).status).toBe(201)
    expect((await upload({ content: "x".repeat(102_400) })).status).toBe(201)
    expect((await upload({ content: "é".repeat(51_200) })).status).toBe(201)
  })

  test("is kept exactly, NUL and U+202E included", async () => {
    const name = "a\u0000\u202E\u200B\r\n\t😀é.txt"
    const answer = await upload({ name })
    expect(textOf((await service.get(`/api/v1/uploads/${textOf(answer.body, "id")}`)).body, "name")).toBe(name)
    const objective = "NUL \u0000 in the middle\u2028 and \uFEFF"
    const id = await service.work({ objective, title: "" })
    expect((await service.get(`/api/v1/work/${id}`)).body).toMatchObject({ objective, title: "" })
  })

  test.each([
    [{ objective: "x".repeat(4001) }, "objective"],
    [{ due_at: "tomorrow" }, "due_at"],
    [{ active_execution_limit_seconds: 0 }, "active_execution_limit_seconds"],
    [{ active_execution_limit_seconds: 86_401 }, "active_execution_limit_seconds"],
    [{ active_execution_limit_seconds: 1.5 }, "active_execution_limit_seconds"],
    [{ input_upload_ids: ["a", "a"] }, "input_upload_ids"],
    [{ input_upload_ids: ["a", "b", "c", "d", "e"] }, "input_upload_ids"],
    [{ priority: null }, "priority"],
    [{ status: "done" }, "status"],
  ])("of Work with %o is 400 and names the field", async (changes, field) => {
    const answer = await service.post("/api/v1/work", { colleague_id: "analyst", objective: "x", ...changes })
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining(field) } })
  })
})

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

  test("a refused body that was announced is not asked for, and no request may follow it", async () => {
    const text = await exchangeRaw(
      service.url,
      "POST /api/v1/uploads HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
    )
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
    expect(text).toMatch(/^Connection: close\r$/m)
  })

  test("requests that were sent in one go are answered in their order, a stream last", async () => {
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

  test("what is no HTTP is a Problem, too", async () => {
    const text = await exchangeRaw(service.url, "nonsense\r\n\r\n")
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(text.slice(text.indexOf("{")))).toMatchObject({ status: 400, code: "INVALID_REQUEST" })
  })
})

describe("the order of checks", () => {
  const limited = async (limits: object) => startDeskService({ configuration: { limits: { ...limits } } })

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
    expect((await service.post(path, body, { key: "order", ifMatch: '"9"' })).status).toBe(412)
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

test("a scope opens its own operations and no other", async () => {
  const scoped = ALL_SCOPES.map((scope) => ({
    token: `only-${scope}`,
    account: "sa_alice",
    owner: "o",
    scopes: [scope],
  }))
  const tight = await startDeskService({ configuration: { credentials: scoped } })
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

/** Sends text as it is, and gives what comes back until the connection ends or `last` has come. */
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

/** A Problem without what tells one occasion from another. */
function withoutOccasion(body: unknown): object {
  return { ...(typeof body === "object" ? body : {}), instance: "", request_id: "" }
}

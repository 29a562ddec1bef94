import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { call, newKey, textOf } from "../testing/client.ts"
import { ALICE, startTestService, type TestService } from "../testing/test-service.ts"

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})

afterAll(() => service.stop())

const UPLOAD = { name: "a.txt", media_type: "text/plain", content: "a" }
const upload = (changes: object) => service.post("/api/v1/uploads", { ...UPLOAD, ...changes })

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

  test("that never ends is refused early", async () => {
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

  test("is stored exactly, including NUL and U+202E", async () => {
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

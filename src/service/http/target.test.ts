import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { call } from "../testing/client.ts"
import { ALICE, BOB, startTestService, type TestService } from "../testing/test-service.ts"

let service: TestService
let work: string

beforeAll(async () => {
  service = await startTestService()
  work = await service.work()
})

afterAll(() => service.stop())

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
    "the id %s gets the same Problem as every unknown id",
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

  test("another account's Work and upload give the same 404 as unknown ids", async () => {
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

  test("unknown parameters are ignored, even when they are repeated or empty", async () => {
    expect((await service.get("/api/v1/work?x=1&x=&=&&after=-1&limit=5")).status).toBe(200)
  })
})

/** A Problem without its `request_id`, which differs each time. */
function withoutOccasion(body: unknown): object {
  return { ...(typeof body === "object" ? body : {}), request_id: "" }
}

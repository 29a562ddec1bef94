import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { listOf, member, textOf } from "./testing/client.ts"
import { TEST_COLLEAGUES } from "./testing/colleagues.ts"
import { ALICE, BOB, serviceForTest, startTestService, type TestService } from "./testing/test-service.ts"

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})

afterAll(() => service.stop())

const look = async (id: string, on = service) => (await on.get(`/api/v1/work/${id}`)).body

/** Reads a list to its end and returns the ids in order. Calls `between` after each page. */
async function readAll(on: TestService, query: string, between = async () => {}): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const { body, text, status } = await on.get(
      `/api/v1/work?${query}${cursor === undefined ? "" : `&cursor=${cursor}`}`,
    )
    expect(status, text).toBe(200)
    ids.push(...listOf(body).map((work) => textOf(work, "id")))
    const next = member(body, "next_cursor")
    cursor = typeof next === "string" ? next : undefined
    await between()
  } while (cursor !== undefined)
  return ids
}

describe("the list of Work", () => {
  test("has pages with the newest Work first, and misses nothing while Work is created", async () => {
    const own = await serviceForTest()
    const created: string[] = []
    for (let count = 0; count < 23; count++) created.unshift(await own.work({ title: `Work ${count}` }))
    const ids = await readAll(own, "limit=5", async () => void (await own.work({ title: "Later" })))
    expect(ids).toEqual(created)
    expect(listOf((await own.get("/api/v1/work?limit=100")).body)).toHaveLength(23 + 5)
  })

  test("has 50 Works a page by default, and a cursor only if there are more", async () => {
    const own = await serviceForTest()
    await Promise.all(Array.from({ length: 51 }, () => own.work()))
    const first = (await own.get("/api/v1/work")).body
    expect(listOf(first)).toHaveLength(50)
    const last = (await own.get(`/api/v1/work?cursor=${textOf(first, "next_cursor")}`)).body
    expect(listOf(last)).toHaveLength(1)
    expect(last).not.toHaveProperty("next_cursor")
    expect((await own.get("/api/v1/work?limit=51")).body).not.toHaveProperty("next_cursor")
  })

  test("filters by status, page by page", async () => {
    const own = await serviceForTest()
    const waiting: string[] = []
    for (let count = 0; count < 7; count++) {
      await own.work({ colleague_id: "metronome" })
      waiting.unshift(await own.work())
    }
    await Promise.all(waiting.map((id) => own.until(id, "needs_you")))
    expect(await readAll(own, "limit=2&status=needs_you")).toEqual(waiting)
    expect(await readAll(own, "limit=3&status=working")).toHaveLength(7)
    expect(await readAll(own, "status=paused")).toEqual([])
  })

  test("refuses what is no cursor, and gives nobody another account's Work", async () => {
    await service.work()
    await service.work()
    const cursor = textOf((await service.get("/api/v1/work?limit=1")).body, "next_cursor")
    expect((await service.get(`/api/v1/work?cursor=${cursor}`)).status).toBe(200)
    const base64 = (text: string) => Buffer.from(text).toString("base64url")
    const wrong = [`${cursor}A`, cursor.slice(0, -1), `${cursor}=`, `${cursor}%20`, "x", "1.2"]
    for (const other of [...wrong, base64("1"), base64("1.2.3"), base64("-1.2"), base64("1.x"), base64("1.1e3")]) {
      expect((await service.get(`/api/v1/work?cursor=${other}`)).status, other).toBe(400)
    }
    const foreign = await service.get(`/api/v1/work?cursor=${cursor}`, { token: BOB })
    expect(listOf(foreign.body)).toEqual([])
  })

  test("has only the Work of the credential's account", async () => {
    const mine = await service.work()
    const ids = await readAll(service, "limit=100")
    expect(ids).toContain(mine)
    expect(listOf((await service.get("/api/v1/work", { token: BOB })).body)).toEqual([])
  })
})

describe("a Work", () => {
  test("has the fields that were sent, and defaults for the others", async () => {
    const due = "2026-12-24T18:00:00+01:00"
    const fields = { title: "Title", objective: "Do it", visibility_scope: "team", priority: "urgent", due_at: due }
    expect(await look(await service.work(fields))).toMatchObject({
      ...fields,
      created_by: "sa_alice",
      human_owner_id: "owner_alice",
    })
    const plain = await look(await service.work({ objective: "First line\nSecond line" }))
    expect(plain).toMatchObject({ title: "First line", visibility_scope: "private", priority: "normal" })
    expect(plain).not.toHaveProperty("due_at")
  })

  test("goes from working to needs_you to done, and each change raises its version", async () => {
    const file = await service.upload("a.csv", "a,b\n1,x\n2,y\n")
    const created = await service.post("/api/v1/work", {
      colleague_id: "analyst",
      objective: "x",
      input_upload_ids: [file],
    })
    expect(created.body).toMatchObject({ status: "working", version: 1n })
    const id = textOf(created.body, "id")
    const attention = await service.first(id, "attention")
    const [question] = listOf((await service.get(`/api/v1/work/${id}/attention`)).body)
    expect(await look(id)).toMatchObject({
      status: "needs_you",
      version: 2n,
      current_attention_id: attention,
      attention_question: textOf(question, "title"),
    })
    const answered = await service.answer(id, " exactly\u0000 this ")
    expect(answered.body).toMatchObject({ status: "resolved", version: 2n, resolution: " exactly\u0000 this " })
    expect(answered.headers.etag).toBe('"2"')
    expect(listOf((await service.get(`/api/v1/work/${id}/attention`)).body)).toEqual([])
    const approval = await service.first(id, "approvals?status=pending")
    const waiting = await look(id)
    expect(waiting).toMatchObject({ status: "needs_you", version: 4n })
    expect(waiting).not.toHaveProperty("current_attention_id")
    const path = `/api/v1/work/${id}/approvals/${approval}/resolve`
    const declined = await service.post(path, { decision: "decline", comment: "no \u202E" }, { ifMatch: '"1"' })
    expect(declined.body).toMatchObject({ status: "declined", version: 2n, resolution_comment: "no \u202E" })
    const done = await service.until(id, "done")
    expect(done).toMatchObject({ version: 6n, completion_summary: expect.stringMatching(/./) })
    const { headers } = await service.get(`/api/v1/work/${id}`)
    expect(headers.etag).toBe('"6"')
    for (const [status, count] of [
      ["pending", 0],
      ["declined", 1],
      ["approved", 0],
    ] as const) {
      expect(listOf((await service.get(`/api/v1/work/${id}/approvals?status=${status}`)).body)).toHaveLength(count)
    }
  })

  test("is refused with 503 when all accounts together have activeWork unfinished Works", async () => {
    const small = await serviceForTest({ configuration: { limits: { activeWork: 2 } } })
    const delegate = (token: string) =>
      small.post("/api/v1/work", { colleague_id: "analyst", objective: "x" }, { token })
    const first = textOf((await delegate(ALICE)).body, "id")
    expect((await delegate(BOB)).status).toBe(201)
    const refused = await delegate(ALICE)
    expect(refused).toMatchObject({ status: 503, body: { code: "NO_CAPACITY", retryable: true } })
    expect(refused.headers["retry-after"]).toMatch(/^[1-9]\d*$/)
    await small.answer(first)
    await small.decide(first, "approve")
    await small.until(first, "done")
    expect((await delegate(ALICE)).status).toBe(201)
  })
})

describe("the execution limit", () => {
  test("that is used up leaves the Work unfinished, so that it still counts for activeWork", async () => {
    const small = await serviceForTest({ configuration: { limits: { activeWork: 2 } } })
    for (const _ of [1, 2])
      await small.until(await small.work({ colleague_id: "metronome", active_execution_limit_seconds: 1 }), "paused")
    const refused = await small.post("/api/v1/work", { colleague_id: "analyst", objective: "x" }, { token: ALICE })
    expect(refused).toMatchObject({ status: 503, body: { code: "NO_CAPACITY" } })
  })

  test("does not count the time in which a colleague waits for a thread", async () => {
    const colleagueLimits = { processorMs: 500, memoryMb: 64 }
    const busy = await serviceForTest({ registry: TEST_COLLEAGUES, colleagueLimits })
    for (const _ of [1, 2, 3]) await busy.work({ colleague_id: "spinner" })
    const work = await busy.work({ colleague_id: "returning", active_execution_limit_seconds: 1 })
    const status = async () => textOf((await busy.get(`/api/v1/work/${work}`)).body, "status")
    await expect.poll(status, { timeout: 40_000 }).not.toBe("working")
    expect(await status()).toBe("done")
  }, 60_000)

  test("pauses Work that is working, for good", async () => {
    const id = await service.work({
      colleague_id: "metronome",
      objective: "rate=50",
      active_execution_limit_seconds: 1,
    })
    expect(await service.until(id, "paused")).toMatchObject({ version: 2n })
    expect((await service.get(`/api/v1/work/${id}`)).headers.etag).toBe('"2"')
  })

  test("does not count the time that a person takes", async () => {
    const id = await service.work({ active_execution_limit_seconds: 2 })
    await service.first(id, "attention")
    const metronome = await service.work({ colleague_id: "metronome", active_execution_limit_seconds: 2 })
    await service.until(metronome, "paused")
    expect(await look(id)).toMatchObject({ status: "needs_you" })
    await service.answer(id)
    await service.decide(id, "decline")
    await service.until(id, "done")
  })
})

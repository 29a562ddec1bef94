import { writeFile } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Answer, newKey, textOf } from "../testing/client.ts"
import {
  ALICE,
  BOB,
  credentials,
  execute,
  folderForTest,
  serviceForTest,
  startTestService,
  type TestService,
} from "../testing/test-service.ts"

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})

afterAll(() => service.stop())

const WORK = { colleague_id: "analyst", objective: "Profile", priority: "high", active_execution_limit_seconds: 60 }
const create = (body: unknown, key: string, token = ALICE) => service.post("/api/v1/work", body, { key, token })
const idOf = ({ body }: Answer) => textOf(body, "id")

describe("an idempotency key", () => {
  test("gives the first answer again, also after the Work has changed", async () => {
    const key = newKey()
    const first = await create(WORK, key)
    await service.first(idOf(first), "attention")
    const second = await create(WORK, key)
    expect(second).toMatchObject({ status: 200, text: first.text })
    expect(second.headers).toMatchObject({ "idempotent-replayed": "true", etag: first.headers.etag })
  })

  test.each([
    [
      "another order and spacing",
      '{ "active_execution_limit_seconds" : 60,\n"objective":"Profile","priority":"high","colleague_id":"analyst"}',
    ],
    [
      "another spelling",
      '{"colleague_id":"\\u0061nalyst","objective":"Profile","priority":"high","active_execution_limit_seconds":6e1}',
    ],
  ])("treats a body in %s as the same input", async (_, body) => {
    const key = newKey()
    const first = await create(WORK, key)
    const second = await create(body, key)
    expect(second).toMatchObject({ status: 200, text: first.text })
  })

  test.each([
    [{ ...WORK, objective: "profile" }],
    [{ ...WORK, title: "A title" }],
    [{ ...WORK, active_execution_limit_seconds: 61 }],
    [{ colleague_id: "analyst", objective: "Profile", active_execution_limit_seconds: 60 }],
  ])("with other input (%o) is a conflict", async (body) => {
    const key = newKey()
    await create(WORK, key)
    expect(await create(body, key)).toMatchObject({ status: 409, body: { code: "IDEMPOTENCY_CONFLICT" } })
  })

  test("is another key under another operation, and in another account", async () => {
    const key = newKey()
    const file = { name: "a.txt", media_type: "text/plain", content: "a" }
    const first = await create(WORK, key)
    expect((await service.post("/api/v1/uploads", file, { key })).status).toBe(201)
    const other = await create(WORK, key, BOB)
    expect(other.status).toBe(201)
    expect(idOf(other)).not.toBe(idOf(first))
  })

  test("is not used up by a refusal", async () => {
    const key = newKey()
    expect((await create({ ...WORK, priority: "asap" }, key)).status).toBe(400)
    expect((await create({ ...WORK, colleague_id: "nobody" }, key)).status).toBe(404)
    expect((await create({ ...WORK, objective: "policy:block" }, key)).status).toBe(422)
    expect((await create(WORK, key)).status).toBe(201)
  })

  test("counts path and If-Match as input", async () => {
    const work = await service.work()
    const attention = await service.first(work, "attention")
    const key = newKey()
    const answer = (response: string, ifMatch: string) =>
      service.post(`/api/v1/work/${work}/attention/${attention}/resolve`, { response }, { key, ifMatch })
    const first = await answer("Oslo", '"1"')
    expect(first.status).toBe(200)
    // The version is stale now, but the retry still gets the first result.
    expect(await answer("Oslo", '"1"')).toMatchObject({ status: 200, text: first.text })
    expect((await answer("Oslo", '"2"')).body).toMatchObject({ code: "IDEMPOTENCY_CONFLICT" })
    const other = await service.work()
    const otherAttention = await service.first(other, "attention")
    const path = `/api/v1/work/${other}/attention/${otherAttention}/resolve`
    const elsewhere = await service.post(path, { response: "Oslo" }, { key, ifMatch: '"1"' })
    expect(elsewhere.body).toMatchObject({ code: "IDEMPOTENCY_CONFLICT" })
  })

  test("gives the first answer again when its colleague is out of reach, but is no way to what is not visible", async () => {
    const own = await serviceForTest()
    const key = newKey()
    const post = (objective: string) =>
      own.post("/api/v1/work", { colleague_id: "analyst", objective }, { key, token: BOB })
    const first = await post("a")
    const others = credentials.map((entry) => ({ ...entry, colleagues: [] }))
    await writeFile(own.configFile, JSON.stringify({ credentials: others, pace: 0 }))
    await expect.poll(async () => (await own.post("/api/v1/work", WORK)).status).toBe(404)
    expect(await post("a")).toMatchObject({ status: 200, text: first.text })
    expect((await post("b")).status).toBe(404)
  })

  test("gives the first answer again when the Work was removed, and is unused after 72 hours", async () => {
    const dataFolder = await folderForTest()
    const before = await startTestService({ dataFolder })
    const work = await before.work()
    const target = `/api/v1/work/${work}/attention/${await before.first(work, "attention")}/resolve`
    const options = { key: newKey(), ifMatch: '"1"' }
    const first = await before.post(target, { response: "x" }, options)
    await before.decide(work, "decline")
    await before.until(work, "done")
    await before.running.backdate(work, 2 * 86_400_000)
    await before.stop()
    const after = await startTestService({ dataFolder, retentionDays: 1 })
    await expect.poll(async () => (await after.get(`/api/v1/work/${work}`)).status).toBe(404)
    expect(await after.post(target, { response: "x" }, options)).toMatchObject({ status: 200, text: first.text })
    await after.stop()
    execute(dataFolder, `UPDATE idempotency SET created_at = created_at - ${72 * 3_600_000}`)
    const later = await serviceForTest({ dataFolder })
    await expect.poll(async () => (await later.post(target, { response: "x" }, options)).status).toBe(404)
  })

  test("replays a scan's retry as 202, without a second scan", async () => {
    const id = await service.upload("stale-signatures.csv", "a,b\n")
    const path = `/api/v1/uploads/${id}/processing/retry`
    const key = newKey()
    const first = await service.post(path, undefined, { key })
    const second = await service.post(path, undefined, { key })
    expect(first.status).toBe(202)
    expect(second).toMatchObject({ status: 202, text: first.text, headers: { "idempotent-replayed": "true" } })
    expect((await service.post(path, undefined)).status).toBe(409)
  })
})

describe("races", () => {
  test("fifty parallel requests with one key have one effect", async () => {
    const key = newKey()
    const answers = await Promise.all(Array.from({ length: 50 }, () => create({ ...WORK, title: "Race" }, key)))
    expect(new Set(answers.map(idOf)).size).toBe(1)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49)
  })

  test("fifty parallel answers with one key raise the version once", async () => {
    const work = await service.work()
    const id = await service.first(work, "attention")
    const path = `/api/v1/work/${work}/attention/${id}/resolve`
    const options = { key: newKey(), ifMatch: '"1"' }
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.post(path, { response: "x" }, options)))
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.etag}`))).toEqual(new Set(['200 "2"']))
  })

  test("only one of fifty parallel decisions is recorded", async () => {
    const work = await service.work()
    await service.answer(work)
    const id = await service.first(work, "approvals")
    const path = `/api/v1/work/${work}/approvals/${id}/resolve`
    const decide = (index: number) =>
      service.post(path, { decision: index % 2 === 0 ? "approve" : "decline" }, { ifMatch: '"1"' })
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => decide(index)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 412 || status === 409)).toHaveLength(49)
    await service.until(work, "done")
  })

  test("only one of twenty parallel Works gets the same upload", async () => {
    const upload = await service.upload("a.csv", "a,b\n1,2\n")
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create({ ...WORK, input_upload_ids: [upload] }, newKey())),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })
})

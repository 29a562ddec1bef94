import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { listOf, textOf } from "./testing/client.ts"
import { credentials, serviceForTest, folderForTest } from "./testing/test-service.ts"

test("Work keeps the value that `demonstration` had when it was delegated", async () => {
  const dataFolder = await folderForTest()
  const service = await serviceForTest({ dataFolder })
  const work = await service.work({ objective: "Profile it approval:second" })
  await service.answer(work)
  await service.decide(work, "approve")
  await service.first(work, "approvals?status=pending")
  await writeFile(service.configFile, JSON.stringify({ credentials, pace: 0, demonstration: false }))
  await expect.poll(async () => (await service.post("/api/v1/uploads", BLOCKED)).status).toBe(201)
  await service.decide(work, "approve")
  await service.until(work, "done")
  await expect.poll(() => readdir(join(dataFolder, "outbox"))).toHaveLength(2)
})

const BLOCKED = { name: "stale-signatures.txt", media_type: "text/plain", content: "policy:block" }

test("`demonstration` false switches every value off", async () => {
  const service = await serviceForTest({ configuration: { demonstration: false } })
  const upload = await service.post("/api/v1/uploads", BLOCKED)
  expect(upload.body).toMatchObject({ status: "ready" })
  const work = await service.work({ objective: "policy:block approval:second artifact:quarantine artifact:block" })
  await service.answer(work)
  await service.decide(work, "approve")
  await service.until(work, "done")
  expect(listOf((await service.get(`/api/v1/work/${work}/approvals`)).body)).toHaveLength(1)
  const artifacts = listOf((await service.get(`/api/v1/work/${work}/artifacts`)).body)
  expect(artifacts.map((artifact) => textOf(artifact, "processing_state"))).toEqual(artifacts.map(() => "available"))
  await service.results(work)
})

const WEEK_MS = 7 * 86_400_000

test("backdating changes the times of a Work and of its uploads, events, clarifications, approvals and Artifacts, and nothing else", async () => {
  const service = await serviceForTest()
  const upload = await service.upload("a.csv", "a,b\n1,x\n2,y\n")
  const id = await service.work({ input_upload_ids: [upload] })
  await service.answer(id)
  await service.decide(id, "approve")
  await service.until(id, "done")
  const newer = await service.work()
  const read = async () => {
    const events = await service.eventsUntilDone(id)
    const parts = ["", "/approvals", "/artifacts"].map((part) => service.get(`/api/v1/work/${id}${part}`))
    const answers = await Promise.all([...parts, service.get(`/api/v1/uploads/${upload}`)])
    return [events, ...answers.map(({ text }) => text)].join("\n")
  }
  const before = await read()
  await service.running.backdate(id, WEEK_MS)
  const after = await read()
  const shifted = before.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
    new Date(Date.parse(time) - WEEK_MS).toISOString(),
  )
  expect(after).toBe(shifted)
  const ids = listOf((await service.get("/api/v1/work")).body).map((work) => textOf(work, "id"))
  expect(ids).toEqual([newer, id])
})

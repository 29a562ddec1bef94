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

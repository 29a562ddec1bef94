import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, onTestFinished, test } from "vitest"
import { openLog } from "../platform/log.ts"
import { member, textOf } from "./testing/client.ts"
import { TEST_COLLEAGUES } from "./testing/colleagues.ts"
import { serviceForTest, folderForTest } from "./testing/test-service.ts"

test("the line of a refused or failed request has the request_id of its Problem, and no secret", async () => {
  const lines: string[] = []
  const log = openLog("info", { write: (line) => lines.push(line) })
  const dataFolder = await folderForTest()
  const service = await serviceForTest({ dataFolder, log, registry: TEST_COLLEAGUES })
  const lineOf = (body: unknown): unknown => {
    const line = lines.find((one) => one.includes(textOf(body, "request_id")))
    return line === undefined ? undefined : JSON.parse(line)
  }

  const unknown = await service.get("/api/v1/work/unknown")
  expect(lineOf(unknown.body)).toMatchObject({ level: "info", operation: "getWork", status: 404, code: "NOT_FOUND" })

  const other = new DatabaseSync(join(dataFolder, "service.db"))
  onTestFinished(() => other.close())
  other.exec("BEGIN IMMEDIATE")
  const failed = await service.post("/api/v1/work", { colleague_id: "clerk", objective: "x" })
  other.exec("ROLLBACK")
  expect(failed.status).toBe(500)
  const line = lineOf(failed.body)
  expect(line).toMatchObject({
    level: "error",
    operation: "createWork",
    status: 500,
    code: "STORAGE_UNAVAILABLE",
    cause: "refused",
  })
  expect(member(line, "failure")).toContain("locked")

  const broken = await service.post("/api/v1/work", { colleague_id: "failing", objective: "written by a person" })
  await expect.poll(() => lines.join("")).toContain(textOf(broken.body, "id"))
  expect(lines.join("")).toContain("A Work failed")
  expect(lines.join("")).not.toMatch(/written by a person|out of ink/)

  await service.get("/api/v1/work", { token: "a-wrong-token" })
  expect(lines.join("")).not.toMatch(/token-alice|a-wrong-token/)
})

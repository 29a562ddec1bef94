import { open } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, onTestFinished, test } from "vitest"
import { folderForTest, startTestService } from "../testing/test-service.ts"
import { ServiceProcess } from "../testing/service-process.ts"
import { CHECKED_AT_START_MAX_BYTES } from "./check.ts"

test("a damaged database that is too large to be checked at the start ends the service later, with a line and a non-zero status", async () => {
  const dataFolder = await folderForTest()
  const service = await startTestService({ dataFolder })
  await service.work()
  await service.stop()
  const file = join(dataFolder, "service.db")
  const database = new DatabaseSync(file)
  database.exec("CREATE TABLE filling (content BLOB)")
  const fill = database.prepare("INSERT INTO filling VALUES (zeroblob(1000000))")
  for (let bytes = 0; bytes < 1.2 * CHECKED_AT_START_MAX_BYTES; bytes += 1_000_000) fill.run()
  database.close()
  const bytes = await open(file, "r+")
  await bytes.write(Buffer.alloc(100_000, 0xa5), 0, 100_000, 40_000_000)
  await bytes.close()
  const damaged = ServiceProcess.start({ SERVICE_DATA: dataFolder })
  onTestFinished(async () => void (await damaged.end("SIGKILL")))
  await damaged.address()
  expect(await damaged.ended()).toBe(1)
  expect(damaged.stdout).toContain("service.db is corrupt")
}, 120_000)

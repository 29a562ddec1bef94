import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { longestBlock } from "../platform/testing/longest-block.ts"
import { folderForTest, serviceForTest, startTestService } from "./testing/test-service.ts"

const DAY_MS = 86_400_000
const EVENTS = 200_000
const ARTIFACTS = 40

test("retention of large Work blocks requests only in small parts", { timeout: 120_000 }, async () => {
  const dataFolder = await folderForTest()
  const first = await startTestService({ dataFolder })
  const works = [await first.work(), await first.work()]
  for (const work of works) {
    await first.answer(work)
    await first.decide(work, "approve")
    await first.until(work, "done")
    await first.running.backdate(work, 8 * DAY_MS)
  }
  await first.stop()
  const database = new DatabaseSync(join(dataFolder, "service.db"))
  for (const work of works) {
    database.exec(
      `WITH RECURSIVE n(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM n WHERE n < ${EVENTS + 1000})
         INSERT INTO event SELECT '${work}', n, 'x', '{"message":"' || hex(randomblob(50)) || '"}', 0 FROM n;
       WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${ARTIFACTS})
         INSERT INTO artifact (id, work_id, path, version, media_type, content, size, content_hash, processing_state, created_at)
         SELECT '${work}' || n, '${work}', n, 1, 'text/plain', zeroblob(1000000), 1000000, '', 'available', 0 FROM n`,
    )
  }
  database.close()
  const second = await serviceForTest({ dataFolder, retentionDays: 7 })
  const { longest, total } = await longestBlock(async () => {
    for (const work of works) {
      const status = async () => (await second.get(`/api/v1/work/${work}`)).status
      await expect.poll(status, { timeout: 60_000 }).toBe(404)
    }
    const left = () => {
      using reader = new DatabaseSync(join(dataFolder, "service.db"), { readOnly: true })
      return reader.prepare("SELECT count(*) AS count FROM work").get()
    }
    await expect.poll(left, { timeout: 60_000, interval: 500 }).toEqual({ count: 0 })
  })
  expect(longest).toBeLessThan(total / 10)
})

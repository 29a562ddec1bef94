import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ConfigurationError } from "../platform/configuration-error.ts"
import { openLog } from "../platform/log.ts"
import { readRetentionDays } from "./housekeeping.ts"
import { textOf } from "./testing/client.ts"
import { execute, folderForTest, serviceForTest, startTestService, type TestService } from "./testing/test-service.ts"

const DAY_MS = 86_400_000

const statusOf = async (service: TestService, path: string) => (await service.get(`/api/v1/${path}`)).status

test.each(["0", "-1", "1.5", "x", "36501", "1e3"])("RETENTION_DAYS=%s is refused", (value) => {
  const read = () => readRetentionDays({ RETENTION_DAYS: value })
  expect(read).toThrow(ConfigurationError)
  expect(read).toThrow("RETENTION_DAYS")
})

/** Creates Work with an upload, a letter and results, and waits until it is done. */
async function finished(service: TestService): Promise<{ work: string; upload: string }> {
  const upload = await service.upload("a.csv", `a,b\n${`1,${"x".repeat(800)}\n`.repeat(100)}`)
  const work = await service.work({ input_upload_ids: [upload] })
  await service.answer(work)
  await service.decide(work, "approve")
  await service.until(work, "done")
  return { work, upload }
}

test("Work that was done long ago is removed with its uploads and letters, other Work stays, and the file shrinks", async () => {
  const dataFolder = await folderForTest()
  const file = join(dataFolder, "service.db")
  const first = await startTestService({ dataFolder })
  const old = await Promise.all([finished(first), finished(first), finished(first)])
  const recent = await finished(first)
  const unfinished = await first.work()
  await first.first(unfinished, "attention")
  for (const { work } of old) await first.running.backdate(work, 8 * DAY_MS)
  await first.running.backdate(recent.work, 6 * DAY_MS)
  await first.running.backdate(unfinished, 30 * DAY_MS)
  await first.stop()
  const before = (await stat(file)).size
  expect(await readdir(join(dataFolder, "outbox"))).toHaveLength(4)

  const kept = await startTestService({ dataFolder })
  expect(await statusOf(kept, `work/${old[0].work}`)).toBe(200)
  await kept.stop()

  const second = await serviceForTest({ dataFolder, retentionDays: 7 })
  for (const { work, upload } of old) {
    await expect.poll(() => statusOf(second, `work/${work}`)).toBe(404)
    expect(await statusOf(second, `uploads/${upload}`)).toBe(404)
  }
  expect(await statusOf(second, `work/${recent.work}`)).toBe(200)
  expect(await statusOf(second, `uploads/${recent.upload}`)).toBe(200)
  expect(await statusOf(second, `work/${unfinished}`)).toBe(200)
  expect(await readdir(join(dataFolder, "outbox"))).toHaveLength(1)
  await expect.poll(async () => (await stat(file)).size).toBeLessThan(before * 0.6)
})

test("Work that was paused long ago is removed", async () => {
  const dataFolder = await folderForTest()
  const first = await startTestService({ dataFolder })
  const paused = await first.work({ colleague_id: "metronome", active_execution_limit_seconds: 1 })
  await first.until(paused, "paused")
  await first.running.backdate(paused, 8 * DAY_MS)
  await first.stop()
  const second = await serviceForTest({ dataFolder, retentionDays: 7 })
  await expect.poll(() => statusOf(second, `work/${paused}`)).toBe(404)
})

test("a letter's file that cannot be removed keeps no Work, and is removed later", async () => {
  const dataFolder = await folderForTest()
  const outbox = join(dataFolder, "outbox")
  const first = await startTestService({ dataFolder })
  const old = await Promise.all([finished(first), finished(first)])
  for (const { work } of old) await first.running.backdate(work, 8 * DAY_MS)
  await first.stop()
  const [letter = ""] = await readdir(outbox)
  const path = join(outbox, letter)
  await rm(path)
  await mkdir(join(path, "in the way"), { recursive: true })
  await writeFile(join(outbox, "notes.txt"), "of a person")
  const lines: string[] = []
  const log = openLog("error", { write: (line) => void lines.push(line) })
  const second = await startTestService({ dataFolder, retentionDays: 7, log })
  for (const { work } of old) await expect.poll(() => statusOf(second, `work/${work}`)).toBe(404)
  await expect.poll(() => lines.join("")).toContain(letter)
  await second.stop()
  expect((await readdir(outbox)).toSorted()).toEqual([letter, "notes.txt"].toSorted())
  await rm(path, { recursive: true })
  await writeFile(path, "the letter")
  const third = await startTestService({ dataFolder, retentionDays: 7 })
  await expect.poll(() => readdir(outbox)).toEqual(["notes.txt"])
  await third.stop()
})

test("an expired upload that no Work uses is removed after a day", async () => {
  const dataFolder = await folderForTest()
  const configuration = { uploadLifetimeSeconds: 0.001 }
  const first = await startTestService({ dataFolder, configuration })
  const upload = await first.upload("a.csv", "a,b\n1,2\n")
  await expect.poll(async () => textOf((await first.get(`/api/v1/uploads/${upload}`)).body, "status")).toBe("expired")
  await first.stop()
  const second = await startTestService({ dataFolder })
  expect(await statusOf(second, `uploads/${upload}`)).toBe(200)
  await second.stop()
  execute(dataFolder, `UPDATE upload SET expires_at = expires_at - ${DAY_MS} WHERE id = '${upload}'`)
  const third = await serviceForTest({ dataFolder })
  await expect.poll(() => statusOf(third, `uploads/${upload}`)).toBe(404)
})

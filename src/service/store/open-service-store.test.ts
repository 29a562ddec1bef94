import { readFile, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { folderForTest, startTestService } from "../testing/test-service.ts"
import { DataFolderError, openStore } from "./open-service-store.ts"
import { migrations } from "./service-schema.ts"

/** A folder in which a service has worked and stopped, and its database file. */
async function usedFolder(): Promise<{ folder: string; file: string }> {
  const folder = await folderForTest()
  const service = await startTestService({ dataFolder: folder })
  await service.work({ objective: "x".repeat(4000) })
  await service.stop()
  return { folder, file: join(folder, "service.db") }
}

describe("a data folder", () => {
  test("serves one process at a time", async () => {
    const folder = await folderForTest()
    const first = openStore(folder)
    expect(() => openStore(folder)).toThrow(DataFolderError)
    expect(() => openStore(folder)).toThrow("in use")
    first.close()
    openStore(folder).close()
  })

  test("has a durable database (WAL, synchronous FULL) with the version of the schema", async () => {
    const folder = await folderForTest()
    const opened = openStore(folder)
    const { store } = opened
    expect(store.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" })
    expect(store.get("PRAGMA synchronous")).toEqual({ synchronous: 2n })
    expect(store.get("PRAGMA user_version")).toEqual({ user_version: BigInt(migrations.length) })
    opened.close()
  })

  test.each([
    ["no database", (file: string) => writeFile(file, "this is no database, but a text of some length")],
    ["empty", (file: string) => truncate(file, 0)],
    ["cut short", (file: string) => truncate(file, 9000)],
    [
      "overwritten in the middle",
      async (file: string) => {
        const bytes = await readFile(file)
        await writeFile(file, bytes.fill(0xa5, 4096, bytes.length - 4096))
      },
    ],
  ])("whose file is %s is refused and left untouched", async (_, damage) => {
    const { folder, file } = await usedFolder()
    await damage(file)
    const before = await readFile(file)
    expect(() => openStore(folder)).toThrow(/corrupt: nothing was changed/)
    expect((await readFile(file)).equals(before)).toBe(true)
  })

  test("that cannot be read now is not called corrupt", async () => {
    const { folder, file } = await usedFolder()
    const other = new DatabaseSync(file)
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    expect(() => openStore(folder)).toThrow(/^service\.db: database is locked$/)
    other.close()
    openStore(folder).close()
  })

  test("of a newer program is refused and left untouched", async () => {
    const { folder, file } = await usedFolder()
    const database = new DatabaseSync(file)
    database.exec("PRAGMA user_version = 999")
    database.close()
    const before = await readFile(file)
    expect(() => openStore(folder)).toThrow(/newer/)
    expect((await readFile(file)).equals(before)).toBe(true)
  })
})

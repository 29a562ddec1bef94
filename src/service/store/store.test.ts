import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeEach, describe, expect, test } from "vitest"
import { folderForTest } from "../testing/test-service.ts"
import { openStore } from "./open-service-store.ts"
import { Store, isStorageFailure } from "./store.ts"

let database: DatabaseSync
let store: Store

beforeEach(() => {
  database = new DatabaseSync(":memory:")
  database.exec("CREATE TABLE note (text TEXT UNIQUE)")
  store = new Store(database)
})

const write = (text: string) => store.effect(() => store.insert("note", { text }))
const notes = () => store.all("SELECT text FROM note ORDER BY text").map(({ text }) => text)

describe("an effect", () => {
  test("that fails leaves nothing, and the other effects of the same commit stay", async () => {
    const failing = store.effect(() => {
      store.insert("note", { text: "half" })
      throw new Error("no")
    })
    const results = await Promise.allSettled([write("a"), failing, write("b")])
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
    expect(notes()).toEqual(["a", "b"])
  })

  test("runs its actions after the commit, in order, and not when the commit fails", async () => {
    const told: string[] = []
    const tell = (text: string, fails = false) =>
      store.effect(() => {
        store.afterCommit(() => told.push(`${text} ${database.isTransaction}`))
        if (fails) throw new Error("no")
      })
    await Promise.allSettled([tell("first"), tell("second", true), tell("third")])
    expect(told).toEqual(["first false", "third false"])
  })

  test("sees what an earlier one of the same commit has done", async () => {
    const count = () =>
      store.effect(() => {
        store.insert("note", { text: String(notes().length) })
        return notes().length
      })
    expect(await Promise.all([count(), count(), count()])).toEqual([1, 2, 3])
  })

  test("on a full disk is refused as a storage failure, and works again when there is room", async () => {
    database.exec("PRAGMA max_page_count = 4")
    const refusal = await write("x".repeat(100_000)).catch((error: unknown) => error)
    expect(isStorageFailure(refusal)).toBe(true)
    expect(notes()).toEqual([])
    await write("small")
    database.exec("PRAGMA max_page_count = 1000")
    await write("x".repeat(100_000))
    expect(notes()).toHaveLength(2)
  })

  test("that violates a constraint is no storage failure", async () => {
    await write("a")
    expect(isStorageFailure(await write("a").catch((error: unknown) => error))).toBe(false)
  })

  test("that is refused is told so only after the commit of what the refusal rests on", async () => {
    database.exec("PRAGMA foreign_keys = ON")
    database.exec("CREATE TABLE reply (note TEXT REFERENCES note (text) DEFERRABLE INITIALLY DEFERRED)")
    const failing = store.effect(() => store.insert("reply", { note: "of no note" }))
    const resting = store.effect(() => {
      if (store.all("SELECT note FROM reply").length > 0) throw new Error("there is a reply already")
    })
    const results = await Promise.allSettled([failing, resting])
    expect(results.map((result) => (result.status === "rejected" ? String(result.reason) : "done"))).toEqual([
      "Error: FOREIGN KEY constraint failed",
      "Error: FOREIGN KEY constraint failed",
    ])
  })
})

describe("shrinking", () => {
  test("does not wait for another program that reads the file", async () => {
    const folder = await folderForTest()
    const opened = openStore(folder)
    const fill = () => opened.store.insert("meta", { name: String(Math.random()), value: new Uint8Array(200_000) })
    await opened.store.effect(() => Array.from({ length: 20 }, fill))
    const reader = new DatabaseSync(join(folder, "service.db"), { readOnly: true })
    reader.exec("BEGIN; SELECT count(*) FROM meta")
    await opened.store.effect(() => opened.store.run("DELETE FROM meta"))
    const begun = performance.now()
    let batches = 1
    while (await opened.store.shrink(100)) batches += 1
    const shrunk = performance.now()
    // This checkpoint waits for the reader.
    opened.store.all("PRAGMA wal_checkpoint(TRUNCATE)")
    const wait = performance.now() - shrunk
    reader.close()
    opened.close()
    expect(batches).toBeGreaterThan(5)
    expect((shrunk - begun) / batches).toBeLessThan(wait / 2)
  })
})

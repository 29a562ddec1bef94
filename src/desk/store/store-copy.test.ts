import { expect, onTestFinished, test } from "vitest"
import { logBackgroundFailures } from "../../platform/background.ts"
import { type Database, StoreUnavailableError } from "./database.ts"
import { StoreCopy } from "./store-copy.ts"
import { insert } from "./tables.ts"
import { changedDatabase, databaseForTest, describeStores } from "./testing/stores.ts"

const NEVER_MS = 86_400_000

/** A copy of the colleagues that are frozen. */
function openCopy(database: Database, refreshMs = NEVER_MS) {
  const read = async () => (await database.read("SELECT colleague FROM frozen ORDER BY colleague")).map(Object.values)
  const copy = new StoreCopy<unknown[]>({ database, topic: "freeze", refreshMs, empty: [], read })
  onTestFinished(copy.stop)
  let changes = 0
  copy.onChange(() => changes++)
  return { copy, changes: () => changes }
}

const freeze = (database: Database, colleague: string) =>
  insert(database, "frozen", { colleague, since: 0, reason: "tests" })

/** The lines that background work logs during a test. */
function loggedLines() {
  const lines: unknown[] = []
  logBackgroundFailures({
    error: ({ cause }, message) => lines.push(["error", cause, message]),
    info: (_, message) => lines.push(["info", message]),
  })
  onTestFinished(() => logBackgroundFailures({ error: () => undefined, info: () => undefined }))
  return lines
}

describeStores("a copy of a table", ({ newStore }) => {
  test("that could not be read keeps its content, reads again by itself, and logs when it begins and ends", async () => {
    const database = await databaseForTest(await newStore())
    const lines = loggedLines()
    let failures = 0
    const read: Database["read"] = (...statement) => {
      if (failures === 0) return database.read(...statement)
      failures--
      return Promise.reject(new StoreUnavailableError("away", "timeout"))
    }
    const { copy, changes } = openCopy(changedDatabase(database, { read }))
    await freeze(database, "analyst")
    await copy.load()
    // Before the change, because PostgreSQL's message of the change makes the copy read, too.
    failures = 100
    await freeze(database, "writer")
    await copy.refresh()
    await copy.refresh()
    expect(copy.now).toEqual([["analyst"]])
    expect(failures).toBeLessThanOrEqual(98)
    failures = 1
    await expect.poll(() => copy.now, { timeout: 10_000 }).toEqual([["analyst"], ["writer"]])
    expect(lines).toEqual([
      ["error", "timeout", `the desk's copy of "freeze" could not be read`],
      ["info", `the desk's copy of "freeze" is up to date again`],
    ])
    expect(changes()).toBe(2)
  })

  test("is complete soon after a failed first read, without another call", async () => {
    const database = await databaseForTest(await newStore())
    loggedLines()
    await freeze(database, "analyst")
    let reads = 0
    const read: Database["read"] = (...statement) =>
      reads++ === 0 ? Promise.reject(new StoreUnavailableError("away", "timeout")) : database.read(...statement)
    const { copy } = openCopy(changedDatabase(database, { read }))
    await copy.load()
    expect(copy.now).toEqual([])
    await expect.poll(() => copy.now, { timeout: 10_000 }).toEqual([["analyst"]])
  })

  test("that gets no message reads the change by its timer, and notifies its listener only of changes", async () => {
    const database = await databaseForTest(await newStore())
    let reads = 0
    const read: Database["read"] = (...statement) => {
      reads++
      return database.read(...statement)
    }
    const { copy, changes } = openCopy(changedDatabase(database, { read, subscribe: () => () => undefined }), 10)
    await copy.load()
    await freeze(database, "analyst")
    await expect.poll(() => copy.now).toEqual([["analyst"]])
    const before = reads
    await expect.poll(() => reads).toBeGreaterThan(before + 2)
    expect(changes()).toBe(1)
  })

  test("has what the later of two overlapping reads found, although the earlier one ends later", async () => {
    const database = await databaseForTest(await newStore())
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    let reads = 0
    const read: Database["read"] = async (...statement) => {
      const isFirst = reads++ === 0
      const rows = await database.read(...statement)
      begun.resolve()
      if (isFirst) await held.promise
      return rows
    }
    const { copy } = openCopy(changedDatabase(database, { read }))
    const first = copy.load()
    await begun.promise
    await freeze(database, "analyst")
    const later = [copy.refresh(), copy.changed(), copy.refresh()]
    // A later read that did not wait for the first one would have ended by then.
    await database.read("SELECT 1")
    held.resolve()
    await Promise.all([first, ...later])
    expect(copy.now).toEqual([["analyst"]])
    // The later calls share a read.
    expect(reads).toBe(2)
  })

  test("reads the change of another desk at its message", async () => {
    const where = await newStore()
    const [one, other] = [await databaseForTest(where), await databaseForTest(where)]
    if (!one.isShared) return
    const { copy } = openCopy(other)
    await copy.load()
    await freeze(one, "analyst")
    const { copy: sender } = openCopy(one)
    // The first message may be sent before the other desk listens.
    await expect
      .poll(async () => {
        await sender.changed()
        return copy.now
      })
      .toEqual([["analyst"]])
  })
})

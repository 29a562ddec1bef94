import { expect, test } from "vitest"
import { databaseForTest, describeStores } from "../store/testing/stores.ts"
import { forgetPerson } from "../people/administration.ts"
import { SEEN_WORK_MAX, SeenStore } from "./seen-store.ts"

const row = (index: number, version = 1n) => ({
  workId: `w${String(index).padStart(5, "0")}`,
  version,
  sequence: index,
  itemsUntil: index,
})
const NOW = { at: 1_000, sequence: 5 }

describeStores("what a person has seen", ({ newStore }) => {
  const openStore = async () => new SeenStore(await databaseForTest(await newStore()))

  test("begins with their first use, and never goes back", async () => {
    const store = await openStore()
    expect((await store.read("ada", NOW)).since).toEqual(NOW)
    expect((await store.read("ada", { at: 2_000, sequence: 9 })).since).toEqual(NOW)
    const version = 9_007_199_254_740_993n
    await store.save("ada", [{ workId: "w", version, sequence: 7, itemsUntil: 30 }])
    await store.save("ada", [{ workId: "w", version: 3n, sequence: 8, itemsUntil: 20 }])
    const { works } = await store.read("ada", NOW)
    expect(works.get("w")).toEqual({ workId: "w", version, sequence: 8, itemsUntil: 30 })
    expect((await store.read("ben", NOW)).works.size).toBe(0)
  })

  test("is forgotten with the person", async () => {
    const database = await databaseForTest(await newStore())
    const store = new SeenStore(database)
    const insert = `INSERT INTO person (id, issuer, subject, name, member_groups, signed_in_at) VALUES (?, 'i', ?, 'A', '[]', 0)`
    for (const person of ["ada", "ben"]) {
      await database.write(insert, person, person)
      await store.read(person, NOW)
      await store.save(person, [row(1)])
    }
    expect(await forgetPerson(database, "ada")).toBe(true)
    const later = { at: 3_000, sequence: 9 }
    expect(await store.read("ada", later)).toEqual({ since: later, works: new Map() })
    expect((await store.read("ben", later)).works.size).toBe(1)
  })

  test("is kept of the newest Works, and the others count as seen until then", async () => {
    const store = await openStore()
    await store.read("ada", NOW)
    await store.save("ben", [row(0)])
    const saveFrom = (first: number) =>
      store.save(
        "ada",
        Array.from({ length: 100 }, (_, index) => row(first + index)),
      )
    await saveFrom(0)
    const savedAt = Date.now()
    // Rows of the same millisecond are equally new.
    await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(savedAt)
    for (let first = 100; first < SEEN_WORK_MAX + 100; first += 100) await saveFrom(first)
    const { since, works } = await store.read("ada", NOW)
    expect(works.size).toBe(SEEN_WORK_MAX)
    expect([works.has(row(99).workId), works.has(row(SEEN_WORK_MAX + 99).workId)]).toEqual([false, true])
    expect(since.sequence).toBe(99)
    expect(since.at).toBeGreaterThan(NOW.at)
    expect((await store.read("ben", NOW)).works.size).toBe(1)
  })
})

import * as v from "valibot"
import { expect, test } from "vitest"
import { insert, optional, select, selectInPages, upsert } from "./tables.ts"
import { databaseForTest, describeStores } from "./testing/stores.ts"

const assignment = v.object({
  workId: v.string(),
  itemId: v.string(),
  personId: optional(v.string()),
  team: optional(v.string()),
  byId: v.string(),
  at: v.number(),
  etag: v.string(),
})

const ALL = "SELECT * FROM assignment ORDER BY work_id, item_id"
const ada = {
  workId: "w1",
  itemId: "a1",
  personId: "ada",
  team: undefined,
  byId: "bo",
  at: 1_790_000_000_000,
  etag: "e1",
}

describeStores("a table", ({ newStore }) => {
  test("gives the rows that were stored, with undefined where SQL has NULL", async () => {
    const database = await databaseForTest(await newStore())
    const team = { ...ada, itemId: "a2", personId: undefined, team: "payments" }
    await insert(database, "assignment", ada, team)
    await insert(database, "assignment")
    expect(await select(database, assignment, ALL)).toEqual([ada, team])
    expect(await select(database, assignment, "SELECT * FROM assignment WHERE item_id = ?", "a2")).toEqual([team])
  })

  test("refuses a second row with the same key, unless it is an upsert", async () => {
    const database = await databaseForTest(await newStore())
    await insert(database, "assignment", ada)
    await expect(insert(database, "assignment", ada)).rejects.toThrow()
    await upsert(database, "assignment", { key: ["workId", "itemId"] }, { ...ada, personId: "cy", etag: "e2" })
    expect(await select(database, assignment, ALL)).toEqual([{ ...ada, personId: "cy", etag: "e2" }])
  })

  test("changes neither the columns to keep nor any column when there is none but the key", async () => {
    const database = await databaseForTest(await newStore())
    const key = ["workId", "itemId"]
    const later = { ...ada, personId: "cy", at: 1_800_000_000_000, etag: "e2" }
    await upsert(database, "assignment", { key, kept: ["at"] }, ada, { ...ada, itemId: "a2" })
    await upsert(database, "assignment", { key, kept: ["at"] }, later)
    expect((await select(database, assignment, ALL))[0]).toEqual({ ...later, at: ada.at })
    await upsert(database, "withdrawn_key", { key: ["keyHash"] }, { keyHash: "k" }, { keyHash: "l" })
    await upsert(database, "withdrawn_key", { key: ["keyHash"] }, { keyHash: "k" })
    expect(await database.read("SELECT key_hash FROM withdrawn_key ORDER BY key_hash")).toHaveLength(2)
  })

  test("throws for a row that does not fit the schema, without the row's value", async () => {
    const database = await databaseForTest(await newStore())
    await insert(database, "assignment", ada)
    const wrong = v.object({ at: v.string() })
    await expect(select(database, wrong, ALL)).rejects.toThrow(/^a row is not as its schema says: at$/)
  })

  test("is read in pages, each row once and in order", async () => {
    const database = await databaseForTest(await newStore())
    const rows = Array.from({ length: 1_250 }, (_, index) => ({ ...ada, itemId: String(index).padStart(5, "0") }))
    await insert(database, "assignment", ...rows)
    const sql = "SELECT * FROM assignment WHERE item_id > ? ORDER BY item_id"
    const read = await Array.fromAsync(selectInPages(database, assignment, sql, (last) => [last?.itemId ?? ""]))
    expect(read).toEqual(rows)
  })
})

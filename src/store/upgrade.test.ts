import { cp, mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { verify } from "../record/hash-chain.ts"
import { readEntries } from "../record/entries.ts"
import { FROM_THE_END } from "../record/query.ts"
import { databaseForTest, folderForTest, sqliteForTest } from "./testing/stores.ts"
import { readViews } from "../people/saved-views.ts"
import { migrations } from "./schema.ts"

const RELEASED = join(import.meta.dirname, "testing/released")
const released = await readdir(RELEASED)

/** Opens a copy of a released store, as its process left it. */
async function openReleased(name: string) {
  const dataFolder = await folderForTest()
  await mkdir(join(dataFolder, "desk"))
  await cp(join(RELEASED, name), join(dataFolder, "desk"), { recursive: true })
  return databaseForTest({ dataFolder, databaseUrl: undefined })
}

test("there is a store of each released schema", () => {
  expect(released).toEqual(migrations.map((_, index) => `schema-${index + 1}`))
})

test.each(released)("%s opens: the record's chain, its entries, the views and the sessions are there", async (name) => {
  const database = await openReleased(name)
  expect(await verify(database)).toMatchObject({ rows: 8, faults: [] })
  const { entries } = await readEntries(database, {}, FROM_THE_END, 100)
  expect(entries).toMatchObject([
    { outcome: "unknown", person: { id: "ben", name: "a former person" }, operation: "createWork" },
    { outcome: "refused", status: 409 },
    { outcome: "recorded", decision: "approve", version: 9007199254740993n, service_actor: "sa_demo" },
    { outcome: "recorded", work_id: "work_1", summary: "October" },
  ])
  expect(await readViews(database, "ada")).toMatchObject({
    views: { views: [{ name: "October", query: "colleague=analyst" }] },
  })
  expect(await database.read("SELECT person_id FROM session")).toEqual([{ person_id: "ada" }])
  expect(await database.read("SELECT destination FROM known_approval")).toHaveLength(1)
})

test.each(released)("%s has the tables of a new store: a released migration was not edited", async (name) => {
  const tables = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
  const fresh = await sqliteForTest()
  expect(await (await openReleased(name)).read(tables)).toEqual(await fresh.read(tables))
})

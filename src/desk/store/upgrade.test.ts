import { cp, mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { uploadersOf } from "../record/creations.ts"
import { readHead } from "../record/hash-chain.ts"
import { verify } from "../record/chain-verification.ts"
import { attemptsWith } from "../record/gate/idempotency-keys.ts"
import { inputHashOf, keyHashOf } from "../record/gate/mutation.ts"
import { readEntries } from "../record/entries.ts"
import { creation } from "../record/testing/deciding.ts"
import { FROM_THE_END } from "../record/record-query.ts"
import { databaseForTest, folderForTest, sqliteForTest } from "./testing/stores.ts"
import { readViews } from "../people/saved-views.ts"
import { migrations } from "./desk-schema.ts"

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
    document: { views: [{ name: "October", query: "colleague=analyst" }] },
  })
  expect(await database.read("SELECT person_id FROM session")).toEqual([{ person_id: "ada" }])
  expect(await database.read("SELECT destination FROM known_approval")).toHaveLength(1)
})

test.each(released)("%s has the tables of a new store: a released migration was not edited", async (name) => {
  const tables = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
  const fresh = await sqliteForTest()
  expect(await (await openReleased(name)).read(tables)).toEqual(await fresh.read(tables))
})

test("what a desk of schema 2 has archived counts as before, and the chain goes on", async () => {
  const archived = creation({ operation: "createInputUpload", target: "/api/v1/input-uploads" })
  const dataFolder = await folderForTest()
  await cp(join(RELEASED, "schema-2"), join(dataFolder, "desk"), { recursive: true })
  const old = new DatabaseSync(join(dataFolder, "desk/desk.db"))
  old.exec(`
    INSERT INTO record_checkpoint (sequence, hash, archived_at) SELECT sequence, hash, at FROM record WHERE sequence = 8;
    INSERT INTO archived_key (sequence, key_hash, person_id, input_hash, outcome, operation, work_id, item_id)
      VALUES (1, '${keyHashOf(archived)}', 'ada', '${inputHashOf(archived)}', 'recorded', 'createInputUpload', NULL, 'upload_1');
    DELETE FROM record`)
  old.close()
  const database = await databaseForTest({ dataFolder, databaseUrl: undefined })
  expect(await attemptsWith(database, archived, "ada")).toEqual([
    { sequence: 1, personId: "ada", outcome: "recorded", intent: { input_hash: inputHashOf(archived) } },
  ])
  expect(await uploadersOf(database, "upload_1")).toEqual(["ada"])
  expect((await readHead(database)).sequence).toBe(8)
  expect((await readEntries(database, {}, FROM_THE_END, 100)).entries).toEqual([])
})

test("who was notified of what by a desk of schema 3 is known after the upgrade", async () => {
  const dataFolder = await folderForTest()
  await cp(join(RELEASED, "schema-3"), join(dataFolder, "desk"), { recursive: true })
  const old = new DatabaseSync(join(dataFolder, "desk/desk.db"))
  old.exec(`INSERT INTO notice (channel, recipient, work_id, item_id, version, step, delivery)
    VALUES ('mail', 'ada', 'work_1', 'approval_1', '1', 'told', 3), ('chat', 'chat', 'work_1', 'approval_1', '1', 'told', 4)`)
  old.close()
  const database = await databaseForTest({ dataFolder, databaseUrl: undefined })
  expect(await database.read("SELECT channel, delivery, urgent FROM notice ORDER BY delivery")).toEqual([
    { channel: "mail", delivery: 3, urgent: null },
    { channel: "chat", delivery: 4, urgent: null },
  ])
})

test.each([
  ["after", 0, [{ work_id: "work_1", status: "created" }]],
  ["before", 8, []],
])(
  "a Work that a desk of schema 3 recorded %s its last look for notices is looked for as before",
  async (_, until, found) => {
    const dataFolder = await folderForTest()
    await cp(join(RELEASED, "schema-3"), join(dataFolder, "desk"), { recursive: true })
    const old = new DatabaseSync(join(dataFolder, "desk/desk.db"))
    old.exec(`DELETE FROM noticed_work; DELETE FROM notice_desk;
    INSERT INTO notice_desk (id, token_key, looked_at, recorded_until) VALUES (1, 'key', 0, ${until})`)
    old.close()
    const database = await databaseForTest({ dataFolder, databaseUrl: undefined })
    expect(await database.read("SELECT work_id, status FROM noticed_work")).toEqual(found)
  },
)

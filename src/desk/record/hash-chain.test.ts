import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { parseAccess } from "../people/access-file.ts"
import { ada, creation, DecidingDesk, success } from "./testing/deciding.ts"
import { databaseForTest, describeStores, folderForTest } from "../store/testing/stores.ts"
import { hashOf } from "./hash-chain.ts"
import { verify } from "./chain-verification.ts"
import { DeskRecord } from "./desk-record.ts"
import { readOutcomeRow } from "./record-rows.ts"

/** A record of five mutations, ten rows. */
async function usedRecord() {
  const dataFolder = await folderForTest()
  const database = await databaseForTest({ dataFolder, databaseUrl: undefined })
  const desk = new DecidingDesk(database)
  for (let turn = 1; turn <= 5; turn++) await desk.send(ada, creation(), success({ id: `work_${turn}` }))
  return { desk, database, file: join(dataFolder, "desk", "desk.db") }
}

/** Edits the file, as a person with access to the file could. */
function edit(file: string, sql: string): void {
  const other = new DatabaseSync(file)
  other.exec(sql)
  other.close()
}

describe("the chain", () => {
  test.each([
    [
      "changed",
      `UPDATE record SET entry = replace(entry, 'request-2', 'request-3') WHERE sequence = 5`,
      ["Row 5 was changed."],
    ],
    ["replaced by what is no row", `UPDATE record SET entry = '{}' WHERE sequence = 5`, ["Row 5 was changed."]],
    [
      "changed where it is searched by",
      `UPDATE record SET work_id = 'other' WHERE sequence = 4`,
      ["Row 4 was changed in its search columns."],
    ],
    ["removed", `DELETE FROM record WHERE sequence = 5`, ["Row 5 was removed."]],
    ["removed at the beginning", `DELETE FROM record WHERE sequence <= 2`, ["Rows 1 to 2 were removed."]],
    [
      "moved",
      `UPDATE record SET sequence = 100 WHERE sequence = 5; UPDATE record SET sequence = 5 WHERE sequence = 6;
       UPDATE record SET sequence = 6 WHERE sequence = 100`,
      expect.arrayContaining(["Row 6 was moved: it is now row 5.", "Row 5 was moved: it is now row 6."]),
    ],
  ] as const)("tells a row that was %s", async (_, sql, faults) => {
    const { desk, database, file } = await usedRecord()
    expect(await verify(database)).toMatchObject({ rows: 10, faults: [] })
    edit(file, sql)
    expect((await verify(database)).faults).toEqual(faults)
    const page = await desk.record.list("")
    expect(page).toMatchObject({ chain: { complete: false } })
  })

  test("names a row whose content and hash were both changed", async () => {
    const { database, file } = await usedRecord()
    const [row] = await database.read("SELECT entry FROM record WHERE sequence = 5")
    const forged = String(row?.["entry"]).replaceAll("request-2", "request-3")
    edit(file, `UPDATE record SET entry = '${forged}', hash = '${hashOf(forged)}' WHERE sequence = 5`)
    expect((await verify(database)).faults).toEqual(["Row 6 doesn't follow row 5: one of the two was changed."])
  })

  test("whose last rows were removed is shorter than a logged head", async () => {
    const { desk, database, file } = await usedRecord()
    const { head } = await verify(database)
    edit(file, "DELETE FROM record WHERE sequence > 8")
    const cut = await verify(database)
    expect(cut).toMatchObject({ faults: [], head: { sequence: 8 } })
    expect((await verify(database, head)).faults).toEqual(["Rows 9 to 10 were removed: the log has row 10."])
    await desk.send(ada, creation(), success({ id: "work_6" }))
    expect((await verify(database, head)).faults).toEqual(["Row 10 differs from the row in the log."])
  })
})

describeStores("the record", ({ newStore }) => {
  test("tells its head at the start, and is verified from its first row to its last", async () => {
    const where = await newStore()
    const database = await databaseForTest(where)
    const desk = new DecidingDesk(database)
    expect(await desk.record.list("")).toMatchObject({ data: [], chain: { complete: true, rows: 0 } })
    await desk.send(ada, creation(), success({ id: "work_1" }))
    const next = new DecidingDesk(await databaseForTest(where))
    expect(await next.record.list("")).toMatchObject({ chain: { complete: true, rows: 2 } })
    const { head } = await verify(database)
    await expect.poll(() => next.heads).toEqual([head])
    expect(head.hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test("is verified once a minute at most, however often somebody opens it", async () => {
    const database = await databaseForTest(await newStore())
    let checks = 0
    const unused = () => undefined
    const record = new DeskRecord({
      database,
      mode: "local",
      access: () => parseAccess('{"roles":{}}'),
      onStored: unused,
      onFailed: unused,
      onHead: unused,
      onChecked: () => void checks++,
    })
    onTestFinished(() => record.stop())
    vi.useFakeTimers({ toFake: ["performance"] })
    onTestFinished(() => void vi.useRealTimers())
    const open = async (times: number) => {
      for (let time = 0; time < times; time++) await record.list("")
      return checks
    }
    expect(await open(3)).toBe(1)
    vi.advanceTimersByTime(59_000)
    expect(await open(1)).toBe(1)
    vi.advanceTimersByTime(1_000)
    expect(await open(3)).toBe(2)
  })

  test("keeps no key and no comment, and every text as it was", async () => {
    const database = await databaseForTest(await newStore())
    const desk = new DecidingDesk(database)
    const title = "a\0b\u{d800}c \u{202e} “?”"
    await desk.send(ada, creation({ idempotencyKey: "a key in confidence" }), success({ id: "w", title }))
    const rows = await database.read("SELECT entry, hash FROM record ORDER BY sequence")
    expect(JSON.stringify(rows)).not.toContain("in confidence")
    expect(readOutcomeRow(rows[1]?.["entry"])?.summary).toBe(title)
    expect((await verify(database)).faults).toEqual([])
  })
})

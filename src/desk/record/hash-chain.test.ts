import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { parseAccess } from "../people/access-file.ts"
import { ada, approval, creation, DecidingDesk, decision, success } from "./testing/deciding.ts"
import {
  changedDatabase,
  databaseForTest,
  describeStores,
  folderForTest,
  sqliteForTest,
} from "../store/testing/stores.ts"
import type { Database } from "../store/database.ts"
import { BEGINNING, hashOf, inRecord, readCheckpoint, readHead } from "./hash-chain.ts"
import { FAULTS_MAX, verify } from "./chain-verification.ts"
import { archiveRows } from "./record-archive.ts"
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
      ["The search columns of row 4 were changed."],
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

  test.each(["{}", "no JSON"])("names a row that was replaced by %s with its hash", async (forged) => {
    const { database, file } = await usedRecord()
    edit(file, `UPDATE record SET entry = '${forged}', hash = '${hashOf(forged)}' WHERE sequence = 5`)
    expect((await verify(database)).faults).toEqual([
      "Row 5 was changed.",
      "Row 6 doesn't follow row 5: one of the two was changed.",
    ])
  })

  test("whose last rows were removed is shorter than a logged head", async () => {
    const { desk, database, file } = await usedRecord()
    const { head } = await verify(database)
    expect(await verify(database, head)).toMatchObject({ faults: [], head })
    edit(file, "DELETE FROM record WHERE sequence > 8")
    const cut = await verify(database)
    expect(cut).toMatchObject({ faults: [], head: { sequence: 8 } })
    expect((await verify(database, head)).faults).toEqual(["Rows 9 to 10 were removed: the log has row 10."])
    await desk.send(ada, creation(), success({ id: "work_6" }))
    expect((await verify(database, head)).faults).toEqual(["Row 10 differs from the row in the log."])
  })
})

/** Archives all rows of a used record. */
const archiveAll = async (database: Database) =>
  archiveRows(database, join(await folderForTest(), "archive.jsonl"), Date.now() + 1_000)

describe("the columns that a row is searched by", () => {
  /** The columns that a kind of row copies. In the column `intent`, an intent has its own sequence. */
  const copied: readonly [string, number, readonly string[]][] = [
    ["an intent", 11, ["intent", "at", "person_id", "operation", "work_id", "item_id", "key_hash"]],
    ["an outcome", 12, ["intent", "at", "outcome"]],
    ["an archive's row", 13, ["intent", "at"]],
  ]
  const cases = copied.flatMap(([kind, sequence, columns]) => columns.map((column) => ({ kind, sequence, column })))

  test.each(cases)("$column of $kind can't be edited unnoticed", async ({ sequence, column }) => {
    const { desk, database, file } = await usedRecord()
    await desk.send(ada, decision(), success(approval({ status: "approved" })))
    await database.write("INSERT INTO record_checkpoint (sequence, hash, archived_at) VALUES (0, ?, 0)", BEGINNING.hash)
    await inRecord({ database }, ({ append }) => append({ kind: "checkpoint", archived: BEGINNING }))
    const [row = {}] = await database.read("SELECT * FROM record WHERE sequence = ?", sequence)
    expect(row[column]).not.toBeNull()
    expect((await verify(database)).faults).toEqual([])
    edit(
      file,
      `UPDATE record SET ${column} = ${typeof row[column] === "number" ? 7 : "'other'"} WHERE sequence = ${sequence}`,
    )
    expect((await verify(database)).faults).toEqual([`The search columns of row ${sequence} were changed.`])
  })

  test.each([
    ["an intent", 11, ["outcome"]],
    ["an outcome", 12, ["person_id", "operation", "key_hash"]],
  ] as const)("that %s leaves empty can't be filled", async (_, sequence, columns) => {
    const { desk, database, file } = await usedRecord()
    await desk.send(ada, decision(), success(approval({ status: "approved" })))
    for (const column of columns) {
      edit(file, `UPDATE record SET ${column} = 'other' WHERE sequence = ${sequence}`)
      expect((await verify(database)).faults, column).toHaveLength(1)
      edit(file, `UPDATE record SET ${column} = NULL WHERE sequence = ${sequence}`)
    }
    expect((await verify(database)).faults).toEqual([])
  })
})

describe("the chain behind an archive", () => {
  test("goes on after the last archived row, which a logged head may name", async () => {
    const { desk, database } = await usedRecord()
    const { head } = await verify(database)
    await archiveAll(database)
    expect(await readCheckpoint(database)).toEqual(head)
    expect(await verify(database, head)).toMatchObject({ rows: 1, faults: [], head: { sequence: 11 } })
    const forged = { ...head, hash: "0".repeat(64) }
    expect((await verify(database, forged)).faults).toEqual(["Row 10 differs from the row in the log."])
    await desk.send(ada, creation(), success({ id: "work_6" }))
    expect(await verify(database, head)).toMatchObject({ rows: 3, faults: [], head: await readHead(database) })
    expect((await verify(database, { sequence: 14, hash: "" })).faults).toEqual([
      "Row 14 was removed: the log has row 14.",
    ])
  })

  /** Verifies a used record. Before each read whose SQL has these words, all its rows are archived, and it gets another mutation. */
  async function verifyWhileArchived(...moments: readonly string[]) {
    const { desk, database } = await usedRecord()
    const left = [...moments]
    const read: Database["read"] = async (sql, ...values) => {
      if (left[0] !== undefined && sql.includes(left[0])) {
        left.shift()
        await archiveAll(database)
        await desk.send(ada, creation(), success({ id: "another" }))
      }
      return database.read(sql, ...values)
    }
    const verification = await verify(changedDatabase(database, { read }))
    expect(left).toEqual([])
    return verification
  }

  test("is complete when the archive is made while the chain is verified", async () => {
    expect(await verifyWhileArchived("SELECT * FROM record WHERE")).toMatchObject({ rows: 3, faults: [] })
  })

  test("is complete when a second archive is made before the first one was noticed", async () => {
    const verification = await verifyWhileArchived("SELECT * FROM record WHERE", "record_checkpoint")
    expect(verification).toMatchObject({ rows: 0, faults: [], head: { sequence: 13 } })
  })

  test("is verified row by row when the archive is made after the rows were read", async () => {
    const { database } = await usedRecord()
    let isArchived = false
    const read: Database["read"] = async (sql, ...values) => {
      const rows = await database.read(sql, ...values)
      if (!isArchived && sql.includes("SELECT * FROM record WHERE")) {
        isArchived = true
        await archiveAll(database)
      }
      return rows
    }
    expect(await verify(changedDatabase(database, { read }))).toMatchObject({ rows: 10, faults: [] })
  })

  test("names a row that was removed after it", async () => {
    const { desk, database, file } = await usedRecord()
    await archiveAll(database)
    for (const id of ["work_6", "work_7"]) await desk.send(ada, creation(), success({ id }))
    edit(file, "DELETE FROM record WHERE sequence IN (12, 13)")
    expect((await verify(database)).faults).toEqual(["Rows 12 to 13 were removed."])
  })

  test("is incomplete behind a checkpoint that no archive has made, or whose hash is another one", async () => {
    const { database, file } = await usedRecord()
    const cut = (sequence: number) =>
      edit(
        file,
        `INSERT INTO record_checkpoint (sequence, hash, archived_at) SELECT sequence, hash, at FROM record WHERE sequence = ${sequence};
         DELETE FROM record WHERE sequence <= ${sequence}`,
      )
    cut(4)
    expect((await verify(database)).faults).toEqual(["No row confirms that the rows up to 4 were archived."])
    await archiveAll(database)
    expect((await verify(database)).faults).toEqual([])
    edit(file, `UPDATE record_checkpoint SET hash = '${"0".repeat(64)}' WHERE sequence = 10`)
    expect((await verify(database)).faults).toEqual([
      "Row 11 doesn't follow row 10: one of the two was changed.",
      "No row confirms that the rows up to 10 were archived.",
    ])
  })

  test("is incomplete when the row that the archive has appended can't be read, or has another end", async () => {
    const { database, file } = await usedRecord()
    await archiveAll(database)
    edit(file, "UPDATE record_checkpoint SET sequence = 9")
    expect((await verify(database)).faults).toEqual([
      "Row 10 was removed.",
      "No row confirms that the rows up to 9 were archived.",
    ])
    edit(file, "UPDATE record_checkpoint SET sequence = 10; UPDATE record SET entry = '{}' WHERE sequence = 11")
    expect((await verify(database)).faults).toEqual([
      "Row 11 was changed.",
      "No row confirms that the rows up to 10 were archived.",
    ])
  })

  test("names the archive's row only by its own place", async () => {
    const { desk, database, file } = await usedRecord()
    await archiveAll(database)
    await desk.send(ada, creation(), success({ id: "work_6" }))
    edit(
      file,
      `INSERT INTO record_checkpoint (sequence, hash, archived_at) SELECT sequence, hash, at FROM record WHERE sequence = 11;
       UPDATE record SET hash = '' WHERE sequence = 11`,
    )
    expect((await verify(database)).faults).toEqual(["No row confirms that the rows up to 11 were archived."])
  })
})

describe("a transaction of the record", () => {
  const row = { kind: "checkpoint", archived: BEGINNING } as const

  test("reports the rows that it has stored, and the time until they were", async () => {
    const { database } = await usedRecord()
    const onStored = vi.fn<(rows: readonly unknown[], milliseconds?: number) => void>()
    await inRecord({ database, onStored }, async () => undefined)
    expect(onStored).not.toHaveBeenCalled()
    const began = performance.now()
    const appended = await inRecord({ database, onStored }, async ({ append }) => [
      await append(row),
      await append(row),
    ])
    expect(onStored.mock.calls).toEqual([[appended, expect.any(Number)]])
    const [, milliseconds = -1] = onStored.mock.calls[0] ?? []
    expect(milliseconds).toBeGreaterThan(0)
    expect(milliseconds).toBeLessThanOrEqual(performance.now() - began)
    expect(appended.map(({ sequence }) => sequence)).toEqual([11, 12])
    expect(await readHead(database)).toEqual({ sequence: 12, hash: appended[1]?.hash })
    expect(await database.read("SELECT sequence FROM unlogged_row")).toEqual([])
  })

  test("of a command leaves its rows to the log of a desk", async () => {
    const database = await sqliteForTest()
    await inRecord({ database }, ({ append }) => append(row))
    expect(await database.read("SELECT sequence FROM unlogged_row")).toEqual([{ sequence: 1 }])
  })

  test("keeps the state of each attempt, also of one that gets the number of a removed row", async () => {
    const { desk, database, file } = await usedRecord()
    const attempts = () => database.read("SELECT intent, outcome FROM attempt ORDER BY intent")
    const recorded = [1, 3, 5, 7, 9].map((intent) => ({ intent, outcome: "recorded" }))
    expect(await attempts()).toEqual(recorded)
    edit(file, "DELETE FROM record WHERE sequence > 8")
    const prepared = await desk.prepare(ada, creation())
    expect(await attempts()).toEqual([...recorded.slice(0, -1), { intent: 9, outcome: "unknown" }])
    if (prepared.kind !== "send") throw new Error(prepared.kind)
    await prepared.storeOutcome({ kind: "problem", status: 422 })
    expect(await attempts()).toEqual([...recorded.slice(0, -1), { intent: 9, outcome: "refused" }])
  })
})

test("after a hundred faults no more are collected", async () => {
  const { desk, database, file } = await usedRecord()
  for (let row = 10; row < FAULTS_MAX + 20; row += 2) await desk.send(ada, creation(), success({ id: `work_${row}` }))
  edit(file, "UPDATE record SET hash = 'x'")
  const { faults, rows } = await verify(database)
  expect(rows).toBe(FAULTS_MAX + 20)
  expect(faults).toEqual(Array.from({ length: FAULTS_MAX }, (_, index) => `Row ${index + 1} was changed.`))
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

import { hash } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { parseJson } from "../contract/int64.ts"
import { readReport } from "../desk/record/testing/parse-csv.ts"
import { ada, creation, DecidingDesk, success } from "../desk/record/testing/deciding.ts"
import { databaseForTest, describeStores, folderForTest, type NewStore } from "../desk/store/testing/stores.ts"
import { runOnStore } from "./testing/run-command.ts"

const record = (where: NewStore, ...args: readonly string[]) => runOnStore("record", where, args)

describeStores("npm run record", ({ newStore }) => {
  test("verifies and exports while the desk runs", async () => {
    const where = await newStore()
    const database = await databaseForTest(where)
    const desk = new DecidingDesk(database)
    for (let turn = 1; turn <= 3; turn++) await desk.send(ada, creation(), success({ id: `work_${turn}` }))
    // On a busy machine an answer does not wait for its outcome row.
    await expect.poll(() => database.read("SELECT sequence FROM record")).toHaveLength(6)
    const [last] = await database.read("SELECT hash FROM record WHERE sequence = 6")
    expect(await record(where, "verify")).toEqual({
      code: 0,
      stderr: "",
      stdout: `The record is complete: 6 rows.\nLast row: 6, hash ${String(last?.["hash"])}\n`,
    })
    const { stdout } = await record(where, "export")
    const rows = stdout.trimEnd().split("\n")
    expect(rows.map(parseJson)).toMatchObject([
      { sequence: 1, kind: "intent", person: "ada" },
      { sequence: 2, kind: "outcome", intent: 1, outcome: "recorded", work_id: "work_1" },
      ...Array.from({ length: 4 }, () => expect.anything()),
    ])
    for (const row of rows) {
      const [, hashed, rest] = /^\{"hash":"([0-9a-f]{64})",(.*)$/.exec(row) ?? []
      expect(hash("sha256", `{${rest}`)).toBe(hashed)
    }
  })

  test("names what was changed, and ends with status 1", async () => {
    const where = await newStore()
    const database = await databaseForTest(where)
    const desk = new DecidingDesk(database)
    for (let turn = 1; turn <= 3; turn++) await desk.send(ada, creation(), success({ id: `work_${turn}` }))
    // On a busy machine an answer does not wait for its outcome row.
    await expect.poll(() => database.read("SELECT sequence FROM record")).toHaveLength(6)
    await database.write("UPDATE record SET entry = replace(entry, 'request-2', 'request-3') WHERE sequence = 3")
    await database.write("DELETE FROM record WHERE sequence = 5")
    const { code, stdout } = await record(where, "verify")
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^Row 3 was changed\.\nRow 5 was removed\.\nThe record is not complete: 5 rows\.\nLast row: 6, /,
    )
  })

  test("prints a report about the whole record while the desk runs, and ends with status 1 if the chain is broken", async () => {
    const where = await newStore()
    const database = await databaseForTest(where)
    const desk = new DecidingDesk(database)
    for (let turn = 1; turn <= 3; turn++) await desk.send(ada, creation(), success({ id: `work_${turn}` }))
    await expect.poll(() => database.read("SELECT sequence FROM record")).toHaveLength(6)
    const [today = "", tomorrow = ""] = [0, 86_400_000].map((more) =>
      new Date(Date.now() + more).toISOString().slice(0, 10),
    )
    const period = ["--to", tomorrow, "--from", today]
    const csv = await record(where, "report", ...period)
    expect([csv.code, csv.stderr]).toEqual([0, ""])
    const { title, lines } = readReport(csv.stdout)
    expect(title).toBe(`Workdesk record from ${today} to ${tomorrow} (UTC), the whole record`)
    expect(lines.filter(({ section }) => section === "delegation").map(({ work }) => work)).toEqual([
      "work_1",
      "work_2",
      "work_3",
    ])
    const html = await record(where, "report", "--format", "html", ...period)
    expect(html.code).toBe(0)
    expect(html.stdout).toMatch(/^<!doctype html>[^]*work_3[^]*<\/html>\n$/)
    await database.write("UPDATE record SET entry = replace(entry, 'request-2', 'request-3') WHERE sequence = 3")
    const broken = await record(where, "report", ...period)
    expect([broken.code, broken.stderr]).toEqual([1, "Row 3 was changed.\n"])
    await database.write("UPDATE record SET entry = '{}' WHERE sequence = 3")
    const unreadable = await record(where, "report", ...period)
    expect([unreadable.code, unreadable.stdout, unreadable.stderr]).toEqual([
      1,
      "",
      "workdesk: Row 3 of the record can't be read. Ask the operator to verify it.\n",
    ])
  })

  test("finds rows cut off at the end with a last row that the desk has logged", async () => {
    const where = await newStore()
    const database = await databaseForTest(where)
    await new DecidingDesk(database).send(ada, creation(), success({ id: "work_1" }))
    const { heads } = new DecidingDesk(database)
    await expect.poll(() => heads).toHaveLength(1)
    const anchor = `${heads[0]?.sequence}:${heads[0]?.hash}`
    expect(await record(where, "verify", "--head", anchor)).toMatchObject({ code: 0 })
    await database.write("DELETE FROM record WHERE sequence > 1")
    expect(await record(where, "verify")).toMatchObject({ code: 0 })
    expect(await record(where, "verify", "--head", anchor)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Row 2 was removed: the log has row 2.") as string,
    })
  })
})

describe("npm run record", () => {
  test("says in one line that there is no record, and makes none", async () => {
    const dataFolder = await folderForTest()
    const { code, stderr } = await record({ dataFolder, databaseUrl: undefined }, "verify")
    expect(code).toBe(1)
    expect(stderr).toBe("workdesk: DATA_DIR can't be used: desk.db: unable to open database file\n")
  })

  test("refuses the data of a newer version", async () => {
    const dataFolder = await folderForTest()
    const database = await databaseForTest({ dataFolder, databaseUrl: undefined })
    await database.write("UPDATE schema_version SET version = 999")
    const { code, stderr } = await record({ dataFolder, databaseUrl: undefined }, "verify")
    expect(code).toBe(1)
    expect(stderr).toContain("newer version of Workdesk")
  })

  test.each([
    ["2026-02-01", "2026-01-31", "from must not be after to."],
    ["2026-01-01", "2027-01-02", "The period must be at most 366 days long."],
    ["2026-01-01", "tomorrow", "to must be a day such as 2026-01-31."],
  ])("prints no report from %s to %s", async (from, to, sentence) => {
    const refused = await record(
      { dataFolder: "/unused", databaseUrl: undefined },
      "report",
      "--from",
      from,
      "--to",
      to,
    )
    expect(refused).toEqual({ code: 1, stdout: "", stderr: `workdesk: ${sentence}\n` })
  })

  test.each([
    [[]],
    [["check"]],
    [["verify", "--head"]],
    [["verify", "--head", "7:xyz"]],
    [["export", "more"]],
    [["report", "--from", "2026-01-01"]],
    [["report", "--from", "2026-01-01", "--to", "2026-01-31", "--format", "pdf"]],
  ])("tells its usage for %j", async (args) => {
    const { code, stderr } = await record({ dataFolder: "/unused", databaseUrl: undefined }, ...args)
    expect(code).toBe(2)
    expect(stderr).toContain("npm run record -- verify")
  })

  test("verifies a record that another process is writing", async () => {
    const dataFolder = await folderForTest()
    const desk = new DecidingDesk(await databaseForTest({ dataFolder, databaseUrl: undefined }))
    const other = new DatabaseSync(join(dataFolder, "desk", "desk.db"))
    await desk.send(ada, creation(), success({ id: "work_1" }))
    other.exec("BEGIN IMMEDIATE; UPDATE record SET entry = '{}'")
    expect(await record({ dataFolder, databaseUrl: undefined }, "verify")).toMatchObject({ code: 0 })
    other.exec("ROLLBACK")
    other.close()
  })
})

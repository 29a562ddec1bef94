import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test, vi } from "vitest"
import { attemptsWith } from "../desk/record/gate/idempotency-keys.ts"
import { ada, ben, approval, creation, DecidingDesk, decision, success } from "../desk/record/testing/deciding.ts"
import { databaseForTest, describeStores, folderForTest, type NewStore } from "../desk/store/testing/stores.ts"
import { runOnStore } from "./testing/run-command.ts"

const record = (where: NewStore, ...args: readonly string[]) => runOnStore("record", where, args)

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

describeStores("npm run record -- archive", ({ newStore }) => {
  /** A store with ten rows: five creations. */
  async function usedStore() {
    const where = await newStore()
    const database = await databaseForTest(where)
    const desk = new DecidingDesk(database)
    for (let turn = 1; turn <= 5; turn++)
      await desk.send(ada, creation(), success({ id: `work_${turn}` }, { status: 201 }))
    return { where, database, desk, file: join(await folderForTest(), "archive.jsonl") }
  }

  test("moves all old rows to a file that continues in the store, and both are verified", async () => {
    const { where, desk, file } = await usedStore()
    const before = (await record(where, "export")).stdout
    const archived = await record(where, "archive", file, "--before", TOMORROW)
    expect(archived).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^Archived rows 1 to 10\.\n/) as string,
    })
    expect(await readFile(file, "utf8")).toBe(before)
    expect(await record(where, "verify", file)).toMatchObject({
      code: 0,
      stdout: "The archive is complete: 10 rows.\n",
    })
    expect(await record(where, "verify")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The record is complete: 1 row\.\nLast row: 11, /) as string,
    })
    // A row of the log that stands in the file is not said to be in the record.
    const logged = await record(where, "verify", "--head", `3:${"0".repeat(64)}`)
    expect(logged.stdout).toMatch(/\nAn archive ends with row 10, hash [0-9a-f]{64}\.\nRow 3 is archived: /)
    expect(await desk.entries()).toEqual([])
    await desk.send(ada, creation(), success({ id: "work_6" }, { status: 201 }))
    expect(await record(where, "verify")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Last row: 13") as string,
    })
    // A second archive goes on where the first one ends, and both files stay valid.
    const second = `${file}.2`
    expect(await record(where, "archive", second, "--before", TOMORROW)).toMatchObject({ code: 0 })
    for (const each of [file, second]) expect(await record(where, "verify", each)).toMatchObject({ code: 0 })
    expect(await record(where, "archive", `${file}.3`, "--before", TOMORROW)).toMatchObject({
      code: 0,
      stdout: "No row is old enough, so no file was written.\n",
    })
  })

  test("finds a beginning that was removed behind a forged checkpoint, before and after an archive", async () => {
    const { where, database, desk, file } = await usedStore()
    const cutTo = async (sequence: number) => {
      await database.write(
        `INSERT INTO record_checkpoint (sequence, hash, archived_at) SELECT sequence, hash, at FROM record WHERE sequence = ?`,
        sequence,
      )
      await database.write("DELETE FROM record WHERE sequence <= ?", sequence)
    }
    const fault = (sequence: number) => ({
      code: 1,
      stdout: expect.stringContaining(`No row confirms that the rows up to ${sequence} were archived.`) as string,
    })
    await cutTo(4)
    expect(await record(where, "verify")).toMatchObject(fault(4))
    await record(where, "archive", file, "--before", TOMORROW)
    await desk.send(ada, creation(), success({ id: "work_6" }, { status: 201 }))
    expect(await record(where, "verify")).toMatchObject({ code: 0 })
    await cutTo(12)
    expect(await record(where, "verify")).toMatchObject(fault(12))
  })

  test("tells a file that was changed, cut or is of another record", async () => {
    const { where, file } = await usedStore()
    await record(where, "archive", file, "--before", TOMORROW)
    const text = await readFile(file, "utf8")
    const lines = text.trimEnd().split("\n")
    const cases: readonly [string, string][] = [
      [text.replace("request-2", "request-3"), "Line 1 was changed."],
      [`${lines.slice(0, -1).join("\n")}\n`, "Row 9 isn't the last row of an archive of this record."],
      [`${lines.slice(1).join("\n")}\n`, "Row 2 doesn't follow the row before it."],
      [`${lines.toSpliced(4, 1).join("\n")}\n`, "Row 6 doesn't follow the row before it."],
      ["", "The file has no rows."],
    ]
    for (const [edited, fault] of cases) {
      await writeFile(file, edited)
      expect(await record(where, "verify", file)).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(fault) as string,
      })
    }
    expect(await record(where, "verify", "/there/is/none")).toMatchObject({
      code: 1,
      stderr: "workdesk: The file can't be read.\n",
    })
  })

  test("keeps an intent until its outcome is older too, and leaves the rows after the date", async () => {
    const { where, database, desk, file } = await usedStore()
    const prepared = await desk.prepare(ben, creation())
    await desk.send(ada, creation(), success({ id: "work_6" }, { status: 201 }))
    expect(await record(where, "archive", file, "--before", TOMORROW)).toMatchObject({
      stdout: expect.stringContaining("Archived rows 1 to 10.") as string,
    })
    if (prepared.kind === "send") await prepared.storeOutcome(success({ id: "work_7" }, { status: 201 }))
    const [last] = await database.read("SELECT at FROM record WHERE sequence = 15")
    const moment = new Date(Number(last?.["at"])).toISOString()
    expect(await record(where, "archive", `${file}.2`, "--before", moment)).toMatchObject({
      stdout: "No row is old enough, so no file was written.\n",
    })
    expect(await record(where, "verify")).toMatchObject({ code: 0 })
  })

  test("goes on after an outcome that came when its intent was archived, and counts that outcome", async () => {
    const { where, database, desk, file } = await usedStore()
    const lost = creation()
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 2 * 86_400_000 })
    const prepared = await desk.prepare(ben, lost)
    vi.useRealTimers()
    await record(where, "archive", file, "--before", TOMORROW)
    await desk.send(ada, creation(), success({ id: "work_7" }, { status: 201 }))
    const moment = new Date(Date.now() + 1).toISOString()
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(moment))
    if (prepared.kind === "send") await prepared.storeOutcome(success({ id: "work_6" }, { status: 201 }))
    expect(await record(where, "archive", `${file}.2`, "--before", moment)).toMatchObject({
      stdout: expect.stringContaining("Archived rows 12 to 14.") as string,
    })
    expect(await record(where, "verify")).toMatchObject({ code: 0 })
    expect(await attemptsWith(database, lost, "ben")).toMatchObject([{ personId: "ben", outcome: "recorded" }])
  })

  test("removes the texts of the rows, and keeps which approvals were decided, by whom and when", async () => {
    const { where, database, desk, file } = await usedStore()
    await desk.send(ben, decision(), success(approval({ status: "approved" })))
    const before = await desk.record.decisionsAfter(0)
    expect(before).toMatchObject([{ approvalId: "approval_1", decision: "approve" }])
    await record(where, "archive", file, "--before", TOMORROW)
    expect(await desk.record.decisionsAfter(0)).toEqual(before)
    const texts = await database.read("SELECT entry FROM record WHERE hash = '' ORDER BY sequence")
    expect(texts).toHaveLength(12)
    expect(texts.map(({ entry }) => Object.keys(JSON.parse(String(entry)) as object).join())).toEqual(
      expect.arrayContaining(["input_hash", "input_hash,decision", ""]) as string[],
    )
  })

  test("keeps what the desk decides by: creators, and keys with what they were used for", async () => {
    const { where, desk, file } = await usedStore()
    desk.rules({ preventSelfApproval: true })
    const sent = decision()
    desk.approvals = [approval({ work_id: "work_1" })]
    await desk.send(ben, sent, success({ id: "approval_1", work_id: "work_1", status: "approved" }))
    await record(where, "archive", file, "--before", TOMORROW)
    await desk.refuses(ada, decision(), 403, "PROXY_RULE")
    await desk.refuses(ada, sent, 409, "PROXY_KEY_OF_ANOTHER")
    // A replay skips the approval's version, which is another one by now.
    desk.approvals = []
    expect((await desk.prepare(ben, sent)).kind).toBe("send")
  })

  test("refuses a file that exists and a record that is not complete, and changes nothing", async () => {
    const { where, database, file } = await usedStore()
    await writeFile(file, "kept")
    expect(await record(where, "archive", file, "--before", TOMORROW)).toMatchObject({
      code: 1,
      stderr: "workdesk: The file can't be created: it already exists\n",
    })
    expect(await readFile(file, "utf8")).toBe("kept")
    await database.write("UPDATE record SET entry = replace(entry, 'request-2', 'request-3') WHERE sequence = 3")
    expect(await record(where, "archive", `${file}.2`, "--before", TOMORROW)).toMatchObject({
      code: 1,
      stderr: "workdesk: The record is incomplete, so nothing was archived. Row 3 was changed.\n",
    })
    await expect(readFile(`${file}.2`)).rejects.toThrow("ENOENT")
    expect(await database.read("SELECT sequence FROM record")).toHaveLength(10)
  })
})

describe("npm run record -- archive", () => {
  test.each([
    ["archive"],
    ["archive", "file"],
    ["archive", "file", "--before", "yesterday"],
    ["archive", "file", "--before", "2026-02-30"],
    ["archive", "file", "--before", "2026-02-03T10:00"],
    ["archive", "--before", "2026-02-03"],
  ])("tells its usage for %j %j %j %j", async (...args) => {
    const given = args.filter((arg) => arg !== undefined)
    const { code, stderr } = await record({ dataFolder: "/unused", databaseUrl: undefined }, ...given)
    expect([code, stderr]).toEqual([2, expect.stringContaining("archive FILE --before DATE")])
  })
})

import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { localPeople } from "../desk/people/open-people.ts"
import { ada, DecidingDesk, decision } from "../desk/record/testing/deciding.ts"
import { openDatabase } from "../desk/store/open-store.ts"
import { startRecord } from "../desk/start-people.ts"
import { databaseForTest, describeStores, folderForTest } from "../desk/store/testing/stores.ts"
import { openLog } from "../platform/log.ts"
import { runOnStore } from "./testing/run-command.ts"

describeStores("npm run freeze", ({ newStore }) => {
  test("freezes and ends it beside a running desk", async () => {
    const where = await newStore()
    const desk = new DecidingDesk(await databaseForTest(where))
    const run = (...args: string[]) => runOnStore("freeze", where, args)
    expect(await run("on", "- Runs wild")).toMatchObject({ code: 0, stdout: "Frozen.\n", stderr: "" })
    expect(await desk.refuses(ada, decision(), 423, "PROXY_FROZEN")).toContain("operator froze the desk")
    const unknown = "Frozen, but the desk hasn't seen any Work by this colleague. Check the id.\n"
    expect(await run("on", "Wild", "--colleague", "-Xanalyst")).toMatchObject({ code: 0, stdout: unknown })
    const freezes = [
      { colleague: null, by: "operator", reason: "- Runs wild" },
      { colleague: "-Xanalyst", by: "operator", reason: "Wild" },
    ]
    expect(await desk.record.freezes.read()).toMatchObject(freezes)
    // Read again without a message, because a command tells a desk with SQLite nothing.
    await expect.poll(() => desk.record.freezes.now, { timeout: 5_000 }).toMatchObject(freezes)
    expect(await run("off")).toMatchObject({ code: 0, stdout: "The freeze has ended.\n" })
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
    expect(await run("off")).toMatchObject({ code: 1, stderr: "workdesk: There is no such freeze\n" })
    expect(await run("off", "--colleague=-XANALYST")).toMatchObject({ code: 0 })
    const operator = { id: "operator", name: "operator" }
    expect(await desk.entries("person=operator")).toMatchObject([
      { operation: "unfreeze", person: operator, colleague: "-Xanalyst", roles: [] },
      { operation: "unfreeze", person: operator },
      { operation: "freeze", person: operator, colleague: "-Xanalyst", summary: "Wild" },
      { operation: "freeze", person: operator, summary: "- Runs wild" },
    ])
  })

  test("refuses a reason that is empty or too long, and shows its usage", async () => {
    const where = await newStore()
    await databaseForTest(where)
    for (const reason of ["", " ", "x".repeat(281)]) {
      const stderr = "workdesk: The reason must have 1 to 280 characters\n"
      expect(await runOnStore("freeze", where, ["on", reason])).toMatchObject({ code: 1, stderr })
    }
    const wrong = [
      [],
      ["on"],
      ["off", "why"],
      ["on", "a", "b"],
      ["off", "--colleague", ""],
      ["of"],
      ["on", "a", "--who", "b"],
    ]
    for (const args of wrong) expect((await runOnStore("freeze", where, args)).code, args.join(" ")).toBe(2)
  })

  test("is in force at the desk that starts next, and says in one line where no desk has ever started", async () => {
    const where = await newStore()
    const { code, stderr } = await runOnStore("freeze", where, ["on", "Wild"])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^workdesk: [^\n]+\n$/)
    await (await openDatabase(where)).close()
    expect(await runOnStore("freeze", where, ["on", "x".repeat(280)])).toMatchObject({ code: 0 })
    const desk = new DecidingDesk(await databaseForTest(where))
    await desk.refuses(ada, decision(), 423, "PROXY_FROZEN")
    expect(await runOnStore("freeze", where, ["off"])).toMatchObject({ code: 0 })
    expect(await desk.prepare(ada, decision())).toMatchObject({ kind: "send" })
  })
})

describeStores("a row that a command appends", ({ newStore }) => {
  test("is a line of the log of a desk, once, at every LOG_LEVEL: of a freeze, and of an archive", async () => {
    const where = await newStore()
    const database = await databaseForTest(where)
    const lines: string[] = []
    const log = openLog("error", { write: (line) => void lines.push(line) })
    const startDesk = () => {
      const record = startRecord(localPeople(), database, { log, metrics: undefined })
      onTestFinished(() => record.stop())
    }
    startDesk()
    await runOnStore("freeze", where, ["on", "Wild"])
    await runOnStore("freeze", where, ["off"])
    const isLogged = (rows: number) => expect.poll(() => lines.length, { timeout: 10_000 }).toBe(rows)
    await isLogged(4)
    const file = join(await folderForTest(), "archive.jsonl")
    const archive = runOnStore("record", where, ["archive", file, "--before", "2999-01-01"])
    expect(await archive).toMatchObject({ code: 0 })
    await isLogged(5)
    // A desk that starts now finds no row that was not logged.
    startDesk()
    await runOnStore("freeze", where, ["on", "Again"])
    await isLogged(7)
    const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(rows).toMatchObject([
      { message: "record", sequence: 1, kind: "intent", person: "operator", operation: "freeze", summary: "Wild" },
      { message: "record", sequence: 2, kind: "outcome", intent: 1 },
      { message: "record", sequence: 3, operation: "unfreeze" },
      { message: "record", sequence: 4 },
      { message: "record", sequence: 5, kind: "checkpoint", archived: { sequence: 4 } },
      { message: "record", sequence: 6, operation: "freeze", summary: "Again" },
      { message: "record", sequence: 7 },
    ])
    // The hash of each logged row is the row's place in the chain.
    const stored = await database.read("SELECT hash FROM record WHERE hash <> '' ORDER BY sequence")
    expect(rows.slice(4).map(({ hash }) => hash)).toEqual(stored.map(({ hash }) => hash))
    // A row is removed from the queue after its line was written.
    await expect.poll(() => database.read("SELECT * FROM unlogged_row"), { timeout: 10_000 }).toEqual([])
  })
})

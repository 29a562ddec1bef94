import { expect, test } from "vitest"
import { ada, DecidingDesk, decision } from "../desk/record/testing/deciding.ts"
import { openDatabase } from "../desk/store/open-store.ts"
import { databaseForTest, describeStores } from "../desk/store/testing/stores.ts"
import { runOnStore } from "./testing/run-command.ts"

describeStores("npm run freeze", ({ newStore }) => {
  test("freezes and ends it beside a running desk", async () => {
    const where = await newStore()
    const desk = new DecidingDesk(await databaseForTest(where))
    const run = (...args: string[]) => runOnStore("freeze", where, args)
    expect(await run("on", "- Runs wild")).toMatchObject({ code: 0, stdout: "Frozen.\n", stderr: "" })
    expect(await desk.refuses(ada, decision(), 423, "PROXY_FROZEN")).toContain("operator froze the desk")
    const unknown = "Frozen, but no Work that the desk knows has this colleague: check the id.\n"
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
    expect(await run("off")).toMatchObject({ code: 1, stderr: "workdesk: This is not frozen\n" })
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

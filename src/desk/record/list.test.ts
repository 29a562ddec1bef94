import { answerOf } from "../../platform/http/testing/answer-of.ts"
import { expect, test } from "vitest"
import { parseJson } from "../../contract/int64.ts"
import { ada, ben, creation, DecidingDesk, decision, success } from "./testing/deciding.ts"
import { databaseForTest, describeStores, folderForTest } from "../store/testing/stores.ts"

describeStores("GET /desk/record", ({ newStore }) => {
  /** Ada creates work_1 to work_5, Ben's creation is refused and one answer of his is lost. */
  async function usedDesk() {
    const desk = new DecidingDesk(await databaseForTest(await newStore()))
    for (let turn = 1; turn <= 5; turn++)
      await desk.send(ada, creation(), success({ id: `work_${turn}` }, { status: 201 }))
    await desk.send(ben, creation(), { kind: "problem", status: 422 })
    await desk.send(ben, decision(), { kind: "none" })
    return desk
  }

  test("gives entries newest first, page by page, to the end", async () => {
    const desk = await usedDesk()
    const sequences: number[] = []
    let cursor = ""
    do {
      const page = await desk.record.list(`limit=3${cursor}`)
      expect(page.data.length).toBeLessThanOrEqual(3)
      sequences.push(...page.data.map(({ sequence }) => sequence))
      cursor = page.next_cursor === undefined ? "" : `&cursor=${page.next_cursor}`
    } while (cursor !== "")
    expect(sequences).toEqual([13, 11, 9, 7, 5, 3, 1])
  })

  test("shows a former person whom the desk has forgotten, and keeps the id alone in the rows", async () => {
    const database = await databaseForTest(await newStore())
    const desk = new DecidingDesk(database)
    await desk.send(ada, creation(), success({ id: "work_1" }))
    expect(await desk.entries()).toMatchObject([{ person: { id: "ada", name: "Ada" } }])
    const [row] = await database.read("SELECT entry FROM record WHERE sequence = 1")
    expect(parseJson(String(row?.["entry"]))).toMatchObject({ person: "ada" })
    await database.write("DELETE FROM person")
    expect(await desk.entries()).toMatchObject([{ person: { id: "ada", name: "a former person" } }])
  })

  test("filters by each parameter, and by several", async () => {
    const desk = await usedDesk()
    const found = {
      "work=work_1": [13, 1],
      "item=approval_1": [13],
      "person=ada": [9, 7, 5, 3, 1],
      "operation=resolveWorkApproval": [13],
      "outcome=unknown": [13],
      "outcome=refused": [11],
      "outcome=recorded&person=ada&limit=2": [9, 7],
      "work=work_1&outcome=recorded": [1],
      "work=nothing": [],
      "something=else": [13, 11, 9, 7, 5, 3, 1],
    }
    for (const [query, sequences] of Object.entries(found)) {
      expect(
        (await desk.entries(query)).map(({ sequence }) => sequence),
        query,
      ).toEqual(sequences)
    }
  })

  test("gives the decisions after a sequence, in the order of their outcomes", async () => {
    const desk = await usedDesk()
    expect(await desk.record.decisionsAfter(0)).toEqual([])
    await desk.send(ada, decision(), success({ id: "approval_1" }))
    await desk.send(ben, decision({ decide: "decline", itemId: "approval_1" }), success({ id: "approval_1" }))
    await desk.send(ben, decision(), { kind: "problem", status: 409 })
    const decisions = [
      { workId: "work_1", approvalId: "approval_1", decision: "approve", personId: "ada" },
      { workId: "work_1", approvalId: "approval_1", decision: "decline", personId: "ben" },
    ]
    expect(await desk.record.decisionsAfter(0)).toMatchObject(decisions)
    const [first, second] = await desk.record.decisionsAfter(0)
    expect(await desk.record.decisionsAfter(first?.sequence ?? 0)).toEqual([second])
    expect(await desk.record.decisionsAfter(second?.sequence ?? 0)).toEqual([])
  })

  test("gives all entries as JSON Lines, whatever the limit", async () => {
    const desk = await usedDesk()
    const lines = await desk.record.lines("limit=1&person=ada")
    const text = (await Array.fromAsync(lines)).join("")
    expect(text.endsWith("\n")).toBe(true)
    expect(text.trimEnd().split("\n").map(parseJson)).toEqual(await desk.entries("person=ada"))
  })
})

test.each([
  ["limit=0"],
  ["limit=101"],
  ["limit=ten"],
  ["limit="],
  ["limit=1&limit=2"],
  ["cursor=x"],
  ["cursor="],
  ["operation=listWork"],
  ["outcome=maybe"],
  ["work="],
  ["person=a&person=b"],
])("GET /desk/record refuses %s", async (query) => {
  const dataFolder = await folderForTest()
  const desk = new DecidingDesk(await databaseForTest({ dataFolder, databaseUrl: undefined }))
  expect(await answerOf(desk.record.list(query))).toMatchObject({ status: 400, code: "PROXY_QUERY_INVALID" })
  expect(await answerOf(desk.record.lines(query))).toMatchObject({ status: 400 })
})

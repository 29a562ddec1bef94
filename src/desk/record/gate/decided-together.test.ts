import { expect, test } from "vitest"
import { verify } from "../chain-verification.ts"
import type { ChooseEntries } from "../entries.ts"
import {
  ada,
  approval,
  ben,
  creation,
  decided,
  decision,
  type DecidingDesk,
  describeDesks,
  sqliteDesk,
  success,
  TWO,
} from "../testing/deciding.ts"

const replayed = success({ ...approval(), status: "approved", version: 2 }, { replayed: true })

const ID = "6f0d5a0e-7f3c-4c37-9c66-0f4c1f0f3a11"
const OTHER = "6f0d5a0e-7f3c-4c37-9c66-0f4c1f0f3a12"

/** A decision about another approval. */
const decisionOf = (itemId: string, more: Parameters<typeof decision>[0] = {}) =>
  decision({ itemId, target: `/api/v1/work/work_1/approvals/${itemId}/resolve`, ...more })

async function decideAll(desk: DecidingDesk, items: readonly string[], together: string | undefined) {
  desk.approvals = items.map((id) => approval({ id }))
  for (const item of items) await desk.send(ada, decisionOf(item, { together }), decided)
}

const rowsOf = async ({ database }: DecidingDesk) =>
  (await database.read("SELECT entry FROM record ORDER BY sequence")).map(({ entry }) => String(entry))

const counts = (entries: Awaited<ReturnType<DecidingDesk["entries"]>>) =>
  entries.map(({ item_id: item, together_others: others }) => [item, others])

describeDesks("decisions that were sent together", ({ newDesk }) => {
  test("have their id within the chain, and a row without it has no such member", async () => {
    const desk = await newDesk()
    await decideAll(desk, ["a"], undefined)
    await decideAll(desk, ["b"], ID)
    const rows = await rowsOf(desk)
    expect(rows.map((row) => row.includes("together"))).toEqual([false, false, true, false])
    expect((await verify(desk.database)).faults).toEqual([])
    const changed = (rows[2] ?? "").replace(ID, OTHER)
    await desk.database.write("UPDATE record SET entry = ? WHERE sequence = 3", changed)
    expect((await verify(desk.database)).faults).toEqual(["Row 3 was changed."])
  })

  test("are counted without the entry itself, without others' and without a second attempt at the same item", async () => {
    const desk = await newDesk()
    await decideAll(desk, ["a", "b", "c"], ID)
    await desk.send(ada, decisionOf("c", { together: ID }), decided)
    await desk.send(ben, decisionOf("b", { together: ID }), decided)
    await decideAll(desk, ["d"], OTHER)
    await decideAll(desk, ["e"], undefined)
    expect(counts(await desk.entries())).toEqual([
      ["e", undefined],
      ["d", 0],
      ["b", 0],
      ["c", 2],
      ["c", 2],
      ["b", 2],
      ["a", 2],
    ])
    // A filter and a cursor leave entries out, but not out of the count.
    expect(counts(await desk.entries("item=a"))).toEqual([["a", 2]])
    const page = await desk.record.list("limit=3")
    expect(counts((await desk.record.list(`limit=2&cursor=${page.next_cursor}`)).data)).toEqual([
      ["c", 2],
      ["c", 2],
    ])
    const lines = (await Array.fromAsync(await desk.record.lines("item=a"))).join("")
    expect(JSON.parse(lines)).toMatchObject({ item_id: "a", together: ID, together_others: 2 })
  })

  test("are counted as far as the reader sees them, and not at all when that is not known", async () => {
    const desk = await newDesk()
    await decideAll(desk, ["a", "b", "c"], ID)
    const seesNoB: ChooseEntries = async (entries) => ({
      entries: entries.filter(({ item_id: item }) => item !== "b"),
      complete: true,
    })
    expect(counts((await desk.record.list("", seesNoB)).data)).toEqual([
      ["c", 1],
      ["a", 1],
    ])
    let calls = 0
    const failing: ChooseEntries = async (entries) => ({ entries, complete: ++calls === 1 })
    const page = await desk.record.list("item=a", failing)
    expect([page.complete, counts(page.data)]).toEqual([true, [["a", undefined]]])
  })

  test("are replayed under their key with the header or without, and each row has what its own request had", async () => {
    const desk = await newDesk()
    const sent = decision({ together: ID })
    await desk.send(ada, sent, { kind: "none" })
    desk.approvals = [approval({ status: "approved", version: 2 })]
    await desk.send(ada, { ...sent, together: undefined }, replayed)
    const rows = (await desk.entries()).map(({ together, outcome, rules }) => [together, outcome, rules])
    expect(rows).toEqual([
      [undefined, "recorded", []],
      [ID, "recorded", []],
    ])
  })

  test("keep their own id when the desk holds them and another person's approve is sent", async () => {
    const desk = await newDesk()
    desk.rules(TWO)
    const held = decision({ together: ID })
    await desk.holds(ada, held)
    await desk.holds(ada, { ...held, together: OTHER })
    await desk.send(ben, decision(), decided)
    const rows = (await desk.entries()).map(({ person, together, outcome }) => [person.name, together, outcome])
    expect(rows).toEqual([
      ["Ben", undefined, "recorded"],
      ["Ada", ID, "held"],
    ])
  })
})

test("a client that uses one id for thousands of decisions costs no more than the nearest ones", async () => {
  const desk = await sqliteDesk()
  for (let number = 0; number < 250; number++) await decideAll(desk, [`item ${number}`], ID)
  const [oldest] = await desk.entries("item=item 0")
  expect(oldest).toMatchObject({ together: ID, together_others: 60 })
  const [middle] = await desk.entries("item=item 125")
  expect(middle).toMatchObject({ together_others: 120 })
})

describeDesks("the row of a decision", ({ newDesk }) => {
  const RULES = [
    { destination: "*@bank.example", approvers: ["group:finance"] },
    { destination: "*@bank.example", decideWithin: "24h" },
    { colleague: "analyst", preventSelfApproval: true },
    { destination: "*@other.example", approvers: ["group:nobody"] },
  ]
  const patterns = [{ destination: "*@bank.example" }, { colleague: "analyst" }]

  test.each(["approve", "decline"] as const)("names the rules that matched, for %s", async (decide) => {
    const desk = await newDesk()
    desk.rules(...RULES)
    await desk.send(ada, decision({ decide }), decided)
    const about = { colleague: "analyst", reason: "leaves the house", asked_at: "2026-11-21T10:00:00Z" }
    expect(await desk.entries()).toMatchObject([{ decision: decide, rules: patterns, ...about }])
    expect((await verify(desk.database)).faults).toEqual([])
  })

  test("has an empty list where no rule matched, and keeps its rules when a lost answer is asked for again", async () => {
    const desk = await newDesk()
    await desk.send(ada, decision({ decide: "decline" }), success(approval({ status: "declined", version: 2 })))
    desk.rules(...RULES)
    const lost = decision()
    await desk.send(ada, lost, { kind: "none" })
    desk.approvals = [approval({ status: "approved", version: 2 })]
    desk.rules()
    await desk.send(ada, lost, replayed)
    await desk.send(ada, lost, replayed)
    expect((await desk.entries()).map(({ rules }) => rules)).toEqual([patterns, patterns, patterns, []])
  })

  test("in local mode has an empty list, and what the answer says of the approval", async () => {
    const desk = await newDesk("local")
    await desk.send(ada, decision(), decided)
    expect(await desk.entries()).toMatchObject([{ rules: [], colleague: "analyst", reason: "leaves the house" }])
  })

  test("differs from the rows of other actions, which have no rules", async () => {
    const desk = await newDesk()
    await desk.send(ada, creation(), success({ id: "work_1" }, { status: 201 }))
    desk.rules(TWO)
    await desk.holds(ada, decision())
    await desk.withdraw(ada)
    expect((await desk.entries()).map(({ operation, colleague, rules }) => [operation, colleague, rules])).toEqual([
      ["withdrawApproval", "analyst", undefined],
      ["resolveWorkApproval", "analyst", [{ destination: "*@bank.example" }]],
      ["createWork", "analyst", undefined],
    ])
  })
})

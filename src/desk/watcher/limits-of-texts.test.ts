/** What the watcher makes of Work that is malformed or too large (`docs/architecture.md`, "Limits of the service's texts"). */
import { describe, expect, test } from "vitest"
import { countCharacters, ITEM_TEXT_MAX_BYTES, ROW_TEXT_MAX_CHARACTERS } from "../../contract/limits.ts"
import { unreadWithItemsOf } from "./visible-work.ts"
import { itemsOf } from "./watched-work.ts"
import { readApprovalList, readClarifications, readOneWork } from "./read-resources.ts"
import {
  answerFrom,
  fakeApproval,
  fakeClarification,
  fakeWork,
  problem,
  range,
  Simulation,
  workJson,
} from "./testing/simulation.ts"

const ONE_MB = 1_048_576

describe("a Work that is read", () => {
  const rowOf = (json: object) => readOneWork(JSON.stringify({ ...workJson(fakeWork("w", 0)), ...json }))

  test("has its texts cut for rows, and nothing else", () => {
    const work = rowOf({ title: "ä".repeat(600), attention_question: "q".repeat(ONE_MB), extra: { kept: [1, 2] } })
    const row = JSON.parse(work.json)
    for (const text of [work.title, row.title, row.attention_question])
      expect(countCharacters(text)).toBe(ROW_TEXT_MAX_CHARACTERS)
    expect(row.title).toMatch(/^ä+…$/)
    expect(row).toMatchObject({ objective: "Objective", version: 1, extra: { kept: [1, 2] } })
  })

  test("is whole where no text is too long, and an emoji counts as one character", () => {
    const title = "😀".repeat(ROW_TEXT_MAX_CHARACTERS)
    expect(JSON.parse(rowOf({ title, extra: "x".repeat(400) }).json)).toMatchObject({ title, extra: "x".repeat(400) })
    expect(countCharacters(rowOf({ title: `${title}!` }).title)).toBe(ROW_TEXT_MAX_CHARACTERS)
  })

  test("keeps only the members of openapi.yaml when the others are too long", () => {
    const row = JSON.parse(rowOf({ title: "T", extra: range(100_000) }).json)
    expect([row.title, row.human_owner_id, "extra" in row]).toEqual(["T", "owner", false])
  })

  test("may have null in an optional member", () => {
    const { due_at, ...nulls } = { due_at: null, attention_question: null, current_attention_id: null }
    expect(rowOf({ ...nulls, due_at }).isUnread).toBe(false)
  })
})

describe("an item that is read", () => {
  const text = "x".repeat(ITEM_TEXT_MAX_BYTES)

  test("is never cut", () => {
    const [approval] = readApprovalList(JSON.stringify({ data: [fakeApproval("a", { body: text.slice(1_000) })] }))
    expect(JSON.parse(approval?.json ?? "").body).toHaveLength(ITEM_TEXT_MAX_BYTES - 1_000)
    expect(approval?.isTooLarge).toBe(false)
  })

  test("has its ids alone when its texts are above 1 MiB in all", () => {
    const half = text.slice(ITEM_TEXT_MAX_BYTES / 2)
    const [approval] = readApprovalList(
      JSON.stringify({ data: [fakeApproval("a", { work_id: "w", body: half, subject: half, version: 7 })] }),
    )
    const ids = { id: "a", work_id: "w", version: 7, status: "pending", created_at: "2026-11-21T10:00:00Z" }
    expect(JSON.parse(approval?.json ?? "")).toEqual({ ...ids, too_large: true })
    const data = [fakeClarification("c", { why_needed: text })]
    const [question] = readClarifications(JSON.stringify({ data })).items
    expect(JSON.parse(question?.json ?? "")).toMatchObject({ id: "c", too_large: true })
  })
})

/** Members of a Work that make it unreadable, each in its own way. */
const FAULTS: readonly object[] = [
  { objective: undefined },
  { priority: null },
  { title: 7 },
  { version: "new" },
  { created_at: null },
  { colleague_id: {} },
  { updated_at: [] },
  { due_at: 5 },
  { status: null },
  { id: null },
]

test("of 1,000 Works of which every tenth is malformed in one member, the other 900 are listed, and the rest is counted", () => {
  const works = range(1_000).map((index) =>
    fakeWork(`w${index}`, index * 1_000, { json: index % 10 === 0 ? (FAULTS[(index / 10) % 10] ?? {}) : {} }),
  )
  const simulation = new Simulation(works)
  simulation.run(60_000)
  const { state } = simulation.plan
  const read = [...state.works.values()].filter(({ work }) => !work.isUnread)
  expect(read.map(({ work }) => work.id).sort()).toEqual(
    works
      .filter((_, index) => index % 10 !== 0)
      .map(({ id }) => id)
      .sort(),
  )
  // Twenty of them have no id or no status, so nothing can be asked about them.
  expect([state.works.size - read.length, state.unnamed, state.listFailure]).toEqual([80, 20, undefined])
})

test("the approvals of a Work that cannot be read are read all the same", () => {
  const work = fakeWork("w", 0, { json: { objective: undefined }, approvals: [fakeApproval("a")] })
  const simulation = new Simulation([work])
  simulation.run(5_000)
  const [watched] = simulation.plan.state.works.values()
  expect([watched?.work.isUnread, watched?.work.scope, simulation.approvals]).toEqual([true, "", ["a"]])
})

describe("an item that is malformed", () => {
  /** A watcher of a Work with one item of each kind, which a test then changes. */
  function watch() {
    const work = fakeWork("w", 0, {
      clarificationId: "c",
      approvals: [fakeApproval("a"), fakeApproval("b")],
      clarifications: [fakeClarification("c")],
    })
    const ended = new Set<string>()
    const simulation = new Simulation([work], {
      onResolved: (_, isResolved) => {
        for (const id of ["a", "b", "c"]) if (isResolved(id, 0)) ended.add(id)
      },
    })
    simulation.run(5_000)
    const found = () => {
      const { state } = simulation.plan
      const known = state.knownWhole()
      const asked = (["a", "b"] as const).map((itemId) => ({ kind: "approval" as const, workId: "w", itemId }))
      const [watched] = state.works.values()
      if (known.level === "whole") for (const { item } of known.findEnded(asked)) ended.add(item.itemId)
      return {
        items: watched ? itemsOf(watched).map(({ id }) => id) : [],
        unread: unreadWithItemsOf(state, { works: [...state.works.values()], sees: () => true, seesUnwatched: false }),
        failure: state.failureFor(() => true),
        ended: [...ended],
      }
    }
    return { work, simulation, found }
  }
  const none = { failure: undefined, ended: [] }

  test.each([
    ["body", { body: 7 }],
    ["id", { id: null }],
  ])("in its %s hides no other item of its Work, is counted, and what was known of it stays", (_, fault) => {
    const { work, simulation, found } = watch()
    work.approvals = [fakeApproval("a", fault), fakeApproval("b"), fakeApproval("new")]
    simulation.run(30_000)
    expect(found()).toEqual({ ...none, items: ["c", "b", "new", "a"], unread: 1 })
    work.approvals = [fakeApproval("a", { ...fault, status: "approved" }), fakeApproval("b")]
    simulation.run(30_000)
    expect(found()).toMatchObject({ items: ["c", "b"], unread: 0 })
  })

  test("hides no approval when it is a clarification, whose Work is malformed too", () => {
    const { work, simulation, found } = watch()
    work.clarifications = [fakeClarification("c", { title: null })]
    work.json = { current_attention_id: 7 }
    simulation.run(30_000)
    // The Work counts, too.
    expect(found()).toEqual({ ...none, items: ["c", "a", "b"], unread: 2 })
  })
})

describe("a page that is too large", () => {
  /** An upstream whose answers above `most` bytes cannot be read. */
  function before(sizes: readonly number[], most: number) {
    const works = sizes.map((size, index) =>
      fakeWork(`w${index}`, index * 1_000, {
        json: { extra: "x".repeat(size) },
        approvals: [fakeApproval(`a${index}`)],
      }),
    )
    const simulation = new Simulation(works)
    simulation.answer = (target) => {
      const answer = answerFrom(works, target)
      return JSON.stringify(answer.body).length > most ? problem(502, "PROXY_UPSTREAM_TOO_LARGE") : answer
    }
    return simulation
  }

  test("is asked for again with half its limit, and every Work is found", () => {
    const simulation = before(
      Array.from({ length: 40 }, () => 1_000),
      10_000,
    )
    simulation.run(30_000)
    expect([simulation.isComplete, simulation.approvals.length]).toEqual([true, 40])
    const limits = simulation.heard.flatMap(({ target }) => /status=working&limit=(\d+)/.exec(target)?.[1] ?? [])
    expect(limits.slice(0, 5)).toEqual(["100", "50", "25", "12", "6"])
    // Later rounds begin with the limit that fits.
    expect(new Set(limits.slice(5))).toEqual(new Set(["6"]))
    expect(simulation.plan.state.failureFor(() => true)).toBeUndefined()
  })

  test("of a single Work is left out and counted, and is no failure of the list", () => {
    const simulation = before([1_000, 20_000, 1_000], 10_000)
    simulation.run(30_000)
    const { state } = simulation.plan
    expect([state.listFailure, state.unnamed, [...state.works.keys()], simulation.isComplete]).toEqual([
      undefined,
      1,
      ["w2"],
      false,
    ])
  })
})

import { describe, expect, it, test } from "vitest"
import type { Overview } from "../../contract/desk-work.ts"
import { buildOverview } from "./overview.ts"
import {
  answerFrom,
  fakeApproval,
  fakeClarification,
  fakeWork,
  Simulation,
  range,
} from "../watcher/testing/simulation.ts"
import { DAY, NOW, watchedWorks } from "../watcher/testing/watched-works.ts"

describe("the overview", () => {
  const overviewOf = (watched: ReturnType<typeof watchedWorks>, more: object = {}): Overview =>
    buildOverview(
      {
        works: watched.watched,
        total: watched.watched.length,
        isComplete: true,
        problem: undefined,
        done: new Map(),
        isDoneListed: true,
        decisions: [],
        recordedSince: undefined,
        ...more,
      },
      NOW,
      "UTC",
    )

  it("has the same figures as an independent count", () => {
    const desk = watchedWorks(400)
    const overview = overviewOf(desk)
    const due = range(400).filter((index) => index % 3 !== 0)
    const dayOf = (index: number) => (index % 40) - 12
    expect(overview.due.none).toBe(400 - due.length)
    expect(overview.due.overdue).toBe(due.filter((index) => dayOf(index) < 0).length)
    expect(overview.due.earlier).toBe(due.filter((index) => dayOf(index) < -7).length)
    expect(overview.due.later).toBe(due.filter((index) => dayOf(index) > 14).length)
    expect(overview.due.days.map(({ count }) => count)).toEqual(
      range(22).map((day) => due.filter((index) => dayOf(index) === day - 7).length),
    )
    expect(overview.waiting.map(({ item_id }) => item_id)).toEqual(range(40).map((index) => `a${390 - index * 10}`))
    for (const [index, { id, open }] of overview.colleagues.entries()) {
      expect(id).toBe(`colleague-${index}`)
      expect(Object.values(open).reduce((sum, count) => sum + count, 0)).toBe(100)
    }
    const created = overview.colleagues.flatMap((colleague) => colleague.created.map(({ count }) => count))
    const start = Date.parse("2026-11-08T00:00:00Z")
    expect(created.reduce((sum, count) => sum + count, 0)).toBe(
      desk.works.filter((work) => work.created >= start).length,
    )
  })

  it("counts done Work in its day and colleague, and decisions with their median", () => {
    const desk = watchedWorks(0)
    const at = (days: number, seconds = 0) => NOW - days * DAY + seconds * 1_000
    const done = new Map([
      ["d1", { colleague: "analyst", createdAt: at(1) }],
      ["d2", { colleague: "analyst", createdAt: at(30) }],
    ])
    const decisions = range(6).map((index) => ({
      decision: index < 4 ? "approve" : "decline",
      at: at(index),
      requestedAt: at(index, -10 * (index + 1)),
    }))
    const overview = overviewOf(desk, { done, decisions, recordedSince: at(5) })
    expect(overview.colleagues).toHaveLength(1)
    expect(overview.colleagues[0]?.created.at(-2)).toEqual({ date: "2026-11-20", count: 1, done: 1 })
    expect(overview.decisions).toMatchObject({ median_seconds: 35, range_seconds: [10, 60] })
    expect(overview.decisions?.days.at(-1)).toEqual({ date: "2026-11-21", approved: 1, declined: 0 })
    expect(overviewOf(desk, { decisions: decisions.slice(0, 4), recordedSince: at(5) }).decisions).toBeUndefined()
  })
})

test("clarifications and approvals both have marks", () => {
  const works = [
    fakeWork("w", 1, {
      status: "needs_you",
      clarificationId: "q",
      clarifications: [fakeClarification("q")],
      approvals: [fakeApproval("a")],
    }),
  ]
  const simulation = new Simulation(works)
  simulation.answer = (target) => answerFrom(works, target)
  simulation.run(1_000)
  const overview = buildOverview(
    {
      works: [...simulation.plan.state.works.values()],
      total: 1,
      isComplete: true,
      problem: undefined,
      done: new Map(),
      isDoneListed: true,
      decisions: [],
      recordedSince: undefined,
    },
    NOW,
    "UTC",
  )
  expect(overview.waiting.map(({ kind }) => kind)).toEqual(["attention", "approval"])
})

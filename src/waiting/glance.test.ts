import { describe, expect, it, test } from "vitest"
import type { DecisionContext, Overview } from "../contract/desk.ts"
import type { KnownApproval } from "../contract/approvals.ts"
import { Days } from "./days.ts"
import { listOpenWork, readOpenWorkQuery } from "./open-work.ts"
import { buildOverview } from "./overview.ts"
import { answerFrom, fakeApproval, fakeAttention, fakeWork, Simulation, type FakeWork } from "./testing/simulation.ts"
import { createFetchReader, startRecordingUpstream } from "./testing/watcher.ts"
import { createWatcher } from "./watcher.ts"

const DAY = 86_400_000
const NOW = Date.parse("2026-11-21T12:00:00Z")
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Open Works of every kind, known to a plan. */
function knownWorks(count: number) {
  const statuses = ["working", "needs_you", "paused"]
  const works = range(count).map((index) =>
    fakeWork(`w${index}`, NOW - (index % 20) * DAY - index * 60_000, {
      status: statuses[index % 3] ?? "",
      json: {
        title: `${index % 2 === 0 ? "Résumé" : "Invoice"} ${index}`,
        objective: index % 5 === 0 ? "Count the penguins" : "Profile",
        colleague_id: `colleague-${index % 4}`,
        priority: ["low", "normal", "high", "urgent"][index % 4],
        updated_at: new Date(NOW - ((index * 7) % count) * 1_000).toISOString(),
        ...(index % 3 !== 0 && { due_at: new Date(NOW + ((index % 40) - 12) * DAY).toISOString() }),
      },
      approvals:
        index % 10 === 0
          ? [fakeApproval(`a${index}`, { created_at: new Date(NOW - index * 1_000).toISOString() })]
          : [],
    }),
  )
  const simulation = new Simulation(works)
  simulation.latency = 1
  simulation.run(count < 1_000 ? 2_000 : 300)
  return { works, simulation, watched: [...simulation.plan.state.works.values()] }
}

describe("open Work", () => {
  const { watched } = knownWorks(400)
  const page = (query: string) => {
    const asked = readOpenWorkQuery(query)
    if ("wrong" in asked) throw new Error(`${query} is refused`)
    return listOpenWork(watched, asked, NOW)
  }
  const all = (query: string) => {
    const ids: string[] = []
    for (let cursor = ""; ;) {
      const { works, nextCursor } = page(`${query}&limit=7${cursor}`)
      ids.push(...works.map(({ id }) => id))
      if (nextCursor === undefined) return ids
      cursor = `&cursor=${nextCursor}`
    }
  }

  it.each([
    ["sort=newest", (one: FakeRow, other: FakeRow) => other.createdAt - one.createdAt],
    ["sort=updated", (one: FakeRow, other: FakeRow) => other.updatedAt - one.updatedAt],
    ["sort=due", (one: FakeRow, other: FakeRow) => (one.dueAt ?? Infinity) - (other.dueAt ?? Infinity) || 0],
    ["sort=priority", (one: FakeRow, other: FakeRow) => RANK.indexOf(one.priority) - RANK.indexOf(other.priority)],
  ])("%s is in that order, page by page, without a gap or a double", (query, compare) => {
    const ids = all(query)
    expect(new Set(ids).size).toBe(400)
    const rows = ids.flatMap((id) => watched.find(({ work }) => work.id === id)?.work ?? [])
    for (const [index, row] of rows.slice(1).entries()) expect(compare(rows[index] ?? row, row)).toBeLessThanOrEqual(0)
  })

  it("sort=waiting begins with the longest wait", () => {
    expect(all("sort=waiting").slice(0, 3)).toEqual(["w390", "w380", "w370"])
  })

  it.each([
    ["colleague=colleague-2", (index: number) => index % 4 === 2],
    ["priority=urgent", (index: number) => index % 4 === 3],
    ["status=paused", (index: number) => index % 3 === 2],
    ["due=overdue", (index: number) => index % 3 !== 0 && index % 40 < 12],
    ["due=week", (index: number) => index % 3 !== 0 && index % 40 >= 12 && index % 40 < 19],
    ["q=resume", (index: number) => index % 2 === 0],
    ["q=PENGUINS+invoice", (index: number) => index % 5 === 0 && index % 2 === 1],
    ["priority=high&status=working&due=overdue", (index: number) => index % 4 === 2 && index % 3 === 0 && false],
  ])("%s agrees with an independent count", (query, matches) => {
    const expected = range(400)
      .filter((index) => matches(index))
      .map((index) => `w${index}`)
    expect(all(query).toSorted()).toEqual(expected.toSorted())
    expect(page(query).total).toBe(expected.length)
  })

  it("group puts the groups one after the other, with their counts", () => {
    const { groups, total } = page("group=colleague&limit=500")
    expect(groups).toEqual(range(4).map((index) => ({ key: `colleague-${index}`, count: 100 })))
    expect(total).toBe(400)
    expect(page("group=priority").groups?.map(({ key }) => key)).toEqual(["urgent", "high", "normal", "low"])
    expect(page("group=due").groups?.map(({ key }) => key)).toEqual(["overdue", "week", "later", "none"])
  })

  it.each([
    "sort=oldest",
    "limit=0",
    "limit=501",
    "limit=1e1",
    "cursor=x",
    "due=today",
    "status=open",
    "sort=due&sort=due",
  ])("%s is refused by the name of the parameter", (query) =>
    expect(readOpenWorkQuery(query)).toEqual({ wrong: query.split("=")[0] }),
  )

  it("a cursor belongs to its order, and parameters that are not known do not matter", () => {
    const { nextCursor = "" } = page("sort=due&limit=7")
    for (const other of ["sort=updated", "sort=due&group=due"]) {
      expect(readOpenWorkQuery(`${other}&cursor=${nextCursor}`)).toEqual({ wrong: "cursor" })
    }
    expect(page(`sort=due&limit=7&cursor=${nextCursor}&_=1&_=2`).works).toHaveLength(7)
  })
})

type FakeRow = { createdAt: number; updatedAt: number; dueAt: number | undefined; priority: string }
const RANK = ["urgent", "high", "normal", "low"]

describe("the overview", () => {
  const overviewOf = (watched: ReturnType<typeof knownWorks>, more: object = {}): Overview =>
    buildOverview(
      {
        state: watched.simulation.plan.state,
        isComplete: true,
        done: new Map(),
        isDoneListed: true,
        decisions: [],
        recordedSince: undefined,
        ...more,
      },
      NOW,
      "UTC",
    )

  it("agrees with an independent count", () => {
    const desk = knownWorks(400)
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

  it("of 10,000 open Works takes less than 100 ms, and so does each list", () => {
    const desk = knownWorks(10_000)
    expect(desk.watched.length).toBe(10_000)
    const took = (work: () => unknown) => {
      const times = range(5).map(() => {
        const began = performance.now()
        work()
        return performance.now() - began
      })
      return times.toSorted((one, other) => one - other)[2]
    }
    expect(took(() => JSON.stringify(overviewOf(desk)))).toBeLessThan(100)
    for (const query of ["", "sort=due&group=colleague", "q=penguins&sort=waiting"]) {
      const asked = readOpenWorkQuery(query)
      if (!("wrong" in asked)) expect(took(() => listOpenWork(desk.watched, asked, NOW))).toBeLessThan(100)
    }
  })

  it("counts done Work in its day and colleague, and decisions with their median", () => {
    const desk = knownWorks(0)
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

test("days begin at midnight of the zone, also where its clocks change", () => {
  const oslo = new Days(Date.parse("2026-10-26T12:00:00Z"), "Europe/Oslo", -2, 0)
  expect(oslo.dates).toEqual(["2026-10-24", "2026-10-25", "2026-10-26"])
  const indexes = [
    "2026-10-23T21:59:59Z",
    "2026-10-23T22:00:00Z",
    "2026-10-24T22:00:00Z",
    "2026-10-25T22:59:59Z",
    "2026-10-25T23:00:00Z",
  ]
  expect(indexes.map((moment) => oslo.indexOf(Date.parse(moment)))).toEqual([-1, 0, 1, 1, 2])
  expect(new Days(NOW, "Pacific/Kiritimati", 0, 0).dates).toEqual(["2026-11-22"])
})

describe("before you decide", () => {
  const letter = (id: string, more: object = {}) =>
    fakeApproval(id, { destination: "payments@halden.example", ...more })
  const decided = (id: string, status: string, day: number) =>
    letter(id, { status, resolved_at: new Date(NOW - day * DAY).toISOString() })

  async function startDesk(works: FakeWork[], decisions: readonly object[] = []) {
    const upstream = await startRecordingUpstream(works)
    const saved: KnownApproval[] = []
    const doneWorks = new Map<string, string>()
    const watcher = createWatcher({
      readUpstream: createFetchReader(upstream.url),
      knownApprovals: {
        load: () => Promise.resolve({ approvals: saved, doneWorks }),
        save: async (approvals) => void saved.push(...approvals),
        saveDoneWorks: async (versions) => versions.forEach((version, id) => doneWorks.set(id, version)),
      },
      readDecisions: () => Promise.resolve(decisions as never),
    })
    const context = async (work: string, approval: string): Promise<DecisionContext> => {
      const found = await watcher.context(`work=${work}&approval=${approval}`)
      if (!("context" in found)) throw new Error("no such approval")
      return found.context
    }
    const allRead = async (work: string, approval: string) => {
      for (;;) {
        const found = await context(work, approval)
        if (found.known.complete) return found
        await new Promise(setImmediate)
      }
    }
    return { upstream, watcher, context, allRead, saved, doneWorks }
  }

  it("knows pending and resolved approvals of open and done Work, and who decided them", async () => {
    const works = [
      fakeWork("new", 9, { approvals: [letter("now")] }),
      fakeWork("old", 8, { approvals: [decided("o1", "approved", 3), decided("o2", "declined", 2)] }),
      fakeWork("finished", 7, { status: "done", approvals: [decided("f1", "approved", 1)] }),
    ]
    const decisions = [{ workId: "finished", approvalId: "f1", decision: "approve", at: NOW, person: "Ada Lovelace" }]
    const desk = await startDesk(works, decisions)
    const found = await desk.allRead("new", "now")
    expect(found.destination).toMatchObject({ first: false, approved: 2, declined: 1 })
    expect(found.destination.last_approved).toEqual({
      work_id: "finished",
      approval_id: "f1",
      status: "approved",
      at: new Date(NOW - DAY).toISOString(),
      person: "Ada Lovelace",
    })
    expect(found.destination.history.map(({ approval_id }) => approval_id)).toEqual(["f1", "o2", "o1"])
    expect(found.known.approvals).toBe(3)
    expect(found.first_of_colleague).toBe(false)
    await desk.watcher.stop()
    expect(desk.saved.map(({ approvalId }) => approvalId).toSorted()).toEqual(["f1", "now", "o1", "o2"])
    expect(JSON.stringify(desk.saved)).not.toContain("Text")
    expect([...desk.doneWorks]).toEqual([["finished", "1"]])
    expect(desk.upstream.heard.filter(({ target }) => target.includes("/finished/"))).toHaveLength(1)
  })

  it("says what is first, alike and the same", async () => {
    const works = [
      fakeWork("w1", 3, { approvals: [letter("a1", { destination: "pаyments@halden.example" })] }),
      fakeWork("w2", 2, {
        approvals: [letter("a2", { destination: "pаyments@halden.example" }), decided("ok", "approved", 1)],
      }),
      fakeWork("w3", 1, {
        approvals: [letter("a3", { destination: "new@other.example", requested_by_colleague: "editor" })],
      }),
    ]
    const desk = await startDesk(works)
    const found = await desk.allRead("w1", "a1")
    expect(found.look_alikes).toEqual([
      {
        destination: "payments@halden.example",
        approved: 1,
        declined: 0,
        reason: { kind: "characters", character: "а", script: "Cyrillic" },
      },
    ])
    expect(found.same_elsewhere).toEqual([{ work_id: "w2", work_title: "Title w2", approval_id: "a2" }])
    expect(await desk.context("w3", "a3")).toMatchObject({ first_of_colleague: true, destination: { first: true } })
    await desk.watcher.stop()
  })

  it("names the older of two look-alikes that were never approved, and that it was declined", async () => {
    const at = (hour: number) => ({ created_at: new Date(NOW + hour * 3_600_000).toISOString() })
    const forged = { destination: "pаyments@halden.example" }
    const works = [
      fakeWork("w1", 3, { approvals: [letter("older", at(1))] }),
      fakeWork("w2", 2, { approvals: [letter("newer", { ...forged, ...at(2) })] }),
    ]
    const desk = await startDesk(works)
    expect((await desk.allRead("w1", "older")).look_alikes).toEqual([])
    const reason = { kind: "characters", character: "а", script: "Cyrillic" }
    const lookAlike = { destination: "payments@halden.example", approved: 0, declined: 0, reason }
    expect((await desk.context("w2", "newer")).look_alikes).toEqual([lookAlike])

    const [first] = works
    if (first === undefined) throw new Error("no Work")
    first.approvals = [letter("older", { ...at(1), status: "declined" })]
    desk.watcher.hint("w1")
    await expect
      .poll(async () => (await desk.context("w2", "newer")).look_alikes, { timeout: 10_000 })
      .toEqual([{ ...lookAlike, declined: 1 }])
    await desk.watcher.stop()
  })

  it("refuses what is no approval", async () => {
    const desk = await startDesk([fakeWork("w", 1)])
    expect(await desk.watcher.context("work=w&approval=x")).toMatchObject({ status: 404, code: "PROXY_NOT_FOUND" })
    expect(await desk.watcher.context("work=x&approval=x")).toMatchObject({ status: 404 })
    for (const query of ["", "work=w", "approval=x", "work=w&approval=x&work=y"]) {
      expect(await desk.watcher.context(query)).toMatchObject({ status: 400, code: "PROXY_QUERY_INVALID" })
    }
    await desk.watcher.stop()
  })
})

test("attention marks stand beside approvals", () => {
  const works = [
    fakeWork("w", 1, {
      status: "needs_you",
      attentionId: "q",
      attention: [fakeAttention("q")],
      approvals: [fakeApproval("a")],
    }),
  ]
  const simulation = new Simulation(works)
  simulation.answer = (target) => answerFrom(works, target)
  simulation.run(1_000)
  const overview = buildOverview(
    {
      state: simulation.plan.state,
      isComplete: true,
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

import { describe, expect, it } from "vitest"
import { parseAccess } from "../people/access-file.ts"
import { viewerOf } from "../people/visibility.ts"
import { DoneWorkReads, type KnownWork } from "./done-work-reads.ts"
import { VisibleWorkCache } from "./visible-work.ts"
import {
  answerFrom,
  bucket,
  fakeWork,
  manyWorks,
  problem,
  range,
  Simulation,
  type FakeWork,
} from "./testing/simulation.ts"

const DAY = 86_400_000
const MINUTE = 60_000

/** A watcher that reads done Work, too. */
function simulate(works: FakeWork[]) {
  const known = new Map<string, KnownWork>()
  const done = new DoneWorkReads(known)
  const simulation = new Simulation(works, {
    done,
    onApprovals(workId, _, version) {
      if (version !== undefined) known.set(workId, { version, facts: done.factsOf(workId) })
    },
  })
  /** The done Works that the desk neither lists nor takes for open. */
  const missing = () =>
    works.filter(({ id, status }) => {
      return status === "done" && done.factsOf(id) === undefined && !simulation.plan.state.works.has(id)
    })
  return { simulation, done, known, missing }
}

const doneWorks = (count: number) =>
  range(count).map((index) => fakeWork(`d${index}`, Date.now() - DAY - index * 1_000, { status: "done" }))

/** Open Work that was created before the done Work, so that the list of done Work has it on its last pages once it is done. */
const olderWorks = (count: number) =>
  range(count).map((index) => fakeWork(`w${index}`, Date.now() - 2 * DAY - index * 1_000))

describe("done Work", () => {
  it.each([
    [10, 60],
    [100, 300],
    [200, 600],
  ])("is listed and read while %i open Works want the whole quota of %i a minute", (count, quota) => {
    const works = [...manyWorks(count), ...doneWorks(250)]
    const { simulation, done, known } = simulate(works)
    const take = bucket(quota)
    simulation.answer = (target, at) => ({ ...answerFrom(works, target), headers: take(at).headers })
    // Half of the quota is the watcher's, a tenth of this is for done Work, and there are 253 requests to send.
    simulation.run((253 / (quota / 2 / 10)) * MINUTE * 1.5)
    expect([done.areShownDaysListed, done.isAllRead, known.size]).toEqual([true, true, 250])
  })

  it("is not lost when 300 Works end at once, and is not called complete before it is", () => {
    const works = [...olderWorks(300), ...doneWorks(150)]
    const { simulation, done, missing } = simulate(works)
    const take = bucket(600)
    simulation.answer = (target, at) => ({ ...answerFrom(works, target), headers: take(at).headers })
    simulation.run(20 * MINUTE)
    expect(done.isAllRead).toBe(true)
    for (const work of works) work.status = "done"
    const lies: number[] = []
    simulation.run(20 * MINUTE, () => {
      if (done.areShownDaysListed && missing().length > 0) lies.push(missing().length)
    })
    expect([lies, missing(), done.created.size, done.areShownDaysListed]).toEqual([[], [], 450, true])
  })

  it("is not called complete while a Work of its list cannot be read", () => {
    const works = doneWorks(20)
    const { simulation, done } = simulate(works)
    simulation.run(MINUTE)
    expect(done.areShownDaysListed).toBe(true)
    simulation.answer = (target) =>
      target.includes("status=done") ? { status: 200, body: { data: [null] } } : answerFrom(works, target)
    simulation.run(2 * MINUTE)
    expect(done.areShownDaysListed).toBe(false)
    simulation.answer = (target) => answerFrom(works, target)
    simulation.run(3 * MINUTE)
    expect(done.areShownDaysListed).toBe(true)
  })

  it.each(["the Work itself", "the list of done Work"])("is read before the backlog when %s shows its end", (where) => {
    const work = fakeWork("ended", Date.now())
    const works = [work, ...doneWorks(600)]
    const { simulation, known } = simulate(works)
    simulation.run(10_000)
    work.status = "done"
    const isHidden = (target: string) => where !== "the Work itself" && target.endsWith("/ended")
    simulation.answer = (target) => (isHidden(target) ? problem(500, "BROKEN") : answerFrom(works, target))
    let readBefore: number | undefined
    simulation.run(120_000, () => {
      if (known.has("ended")) readBefore ??= known.size
    })
    expect(readBefore).toBeLessThan(500)
  })

  it("has its results read at most once in a pass of the list while they cannot be read", () => {
    const works = [...manyWorks(1), ...doneWorks(2)]
    const { simulation, done } = simulate(works)
    const asked: string[] = []
    let isBroken = true
    simulation.answer = (target) => {
      if (target.endsWith("/artifacts")) asked.push(target)
      return isBroken && target.endsWith("/artifacts") ? problem(500, "BROKEN") : answerFrom(works, target)
    }
    const counts = () => [...done.newest.values()].map((work) => done.resultsOf(work))
    simulation.run(10 * MINUTE, () => void counts())
    expect(asked.length).toBeGreaterThan(2)
    expect(asked.length).toBeLessThanOrEqual(2 * 10)
    isBroken = false
    simulation.run(3 * MINUTE, () => void counts())
    expect(counts()).toEqual([0, 0])
  })

  it("is forgotten once the service no longer has it: when its results are read, and at the end of a pass", () => {
    const works = doneWorks(3)
    const { simulation, done } = simulate(works)
    const known = () => [...done.newest.keys()].toSorted()
    simulation.run(2 * MINUTE)
    expect(known()).toEqual(["d0", "d1", "d2"])
    const [gone, refused] = works.splice(0, 2)
    const first = gone && done.newest.get(gone.id)
    expect(first && done.resultsOf(first)).toBeUndefined()
    // The list still has the Work whose results are gone, so only the answer about them removes it.
    const listed = [gone, refused, ...works].filter((work) => work !== undefined)
    simulation.answer = (target) => answerFrom(target.includes("?") ? listed : works, target)
    const moments: string[][] = []
    simulation.run(2_000, () => void moments.push(known()))
    expect(moments).toContainEqual(["d1", "d2"])
    simulation.answer = (target) => answerFrom(works, target)
    simulation.run(2 * MINUTE)
    expect(known()).toEqual(["d2"])
    works.unshift(...listed.slice(1, 2))
    simulation.run(2 * MINUTE)
    expect(known()).toEqual(["d1", "d2"])
  })

  it("is not forgotten while its list fails, too", () => {
    const works = doneWorks(3)
    const { simulation, done } = simulate(works)
    simulation.run(2 * MINUTE)
    simulation.answer = (target) => {
      if (target.endsWith("/artifacts")) return problem(404, "NOT_FOUND")
      return target.includes("status=done") ? problem(500, "BROKEN") : answerFrom(works, target)
    }
    simulation.run(5 * MINUTE)
    const counts = () => [...done.newest.values()].map((work) => done.resultsOf(work))
    counts()
    simulation.run(MINUTE)
    expect(counts()).toEqual([0, 0, 0])
  })

  it("is not forgotten when the list repeats a cursor", () => {
    const works = doneWorks(3)
    const { simulation, done } = simulate(works)
    simulation.run(2 * MINUTE)
    simulation.answer = (target) =>
      target.includes("status=done")
        ? { status: 200, body: { data: [], next_cursor: "again" } }
        : answerFrom(works, target)
    simulation.run(3 * MINUTE)
    expect(done.newest.size).toBe(3)
  })

  it("is not lost when the Work itself cannot be read in the moment in which it ends", () => {
    const works = [...olderWorks(10), ...doneWorks(150)]
    const { simulation, done, missing } = simulate(works)
    simulation.run(2 * MINUTE)
    expect(done.isAllRead).toBe(true)
    for (const work of works) work.status = "done"
    const endsAt = simulation.now + 12_000
    simulation.answer = (target, at) =>
      at < endsAt && !target.includes("?") ? problem(503, "UNAVAILABLE") : answerFrom(works, target)
    const lies: number[] = []
    simulation.run(10 * MINUTE, () => {
      if (done.areShownDaysListed && missing().length > 0) lies.push(missing().length)
    })
    expect([lies, missing(), done.created.size, done.areShownDaysListed]).toEqual([[], [], 160, true])
  })

  it("of the first pages is read although a later page always fails, and the list is not called complete", () => {
    const works = doneWorks(250)
    const { simulation, done, known } = simulate(works)
    const isBad = (target: string) => target.includes("status=done") && target.includes("cursor=100")
    simulation.answer = (target) => (isBad(target) ? problem(500, "BROKEN") : answerFrom(works, target))
    simulation.run(10 * MINUTE)
    works.push(fakeWork("new", Date.now(), { status: "done" }))
    simulation.run(5 * MINUTE)
    expect([known.has("new"), known.size, done.areShownDaysListed, done.isAllListed]).toEqual([true, 101, false, false])
    simulation.answer = (target) => answerFrom(works, target)
    simulation.run(5 * MINUTE)
    expect([known.size, done.areShownDaysListed, done.isAllRead]).toEqual([251, true, true])
  })

  it("whose approvals could not be read is read again, and is missing until then", () => {
    const works = doneWorks(3)
    const { simulation, done, known } = simulate(works)
    simulation.answer = (target) => (target.includes("/d1/") ? problem(500, "BROKEN") : answerFrom(works, target))
    simulation.run(10 * MINUTE)
    expect([[...known.keys()].sort(), done.isAllListed, done.isAllRead]).toEqual([["d0", "d2"], true, false])
    simulation.answer = (target) => answerFrom(works, target)
    simulation.run(2 * MINUTE)
    expect([known.size, done.isAllRead]).toEqual([3, true])
  })

  it("that was created and has ended unseen is found by the next pass", () => {
    const works = doneWorks(3)
    const { simulation, known } = simulate(works)
    simulation.run(MINUTE)
    works.push(fakeWork("old", Date.now() - 10 * DAY, { status: "done" }))
    simulation.run(2 * MINUTE)
    expect(known.has("old")).toBe(true)
  })

  it("that the overview shows no more leaves memory, so that there is room for a newer one", () => {
    const works = [fakeWork("old", Date.now() - 20 * DAY, { status: "done" })]
    const { simulation, done, known } = simulate(works)
    simulation.run(2 * MINUTE)
    expect([known.has("old"), done.created.has("old")]).toEqual([true, false])
  })

  it("whose scope has changed is seen by others from the next pass on", () => {
    const work = (version: number, visibility_scope: string) =>
      fakeWork("d", Date.now() - DAY, { status: "done", version, json: { visibility_scope } })
    const works = [work(1, "private")]
    const { simulation, done } = simulate(works)
    const visibleWork = new VisibleWorkCache({ state: simulation.plan.state, done, people: undefined })
    const access = parseAccess('{"roles":{"reader":["anyone"]},"visibility":{}}')
    const ada = viewerOf(
      { id: "ada", identity: { issuer: "https://login.example", subject: "ada", groups: [] } },
      access,
    )
    simulation.run(MINUTE)
    expect([visibleWork.isDone("d"), visibleWork.seesWork(ada, "d")]).toEqual([true, false])
    works.splice(0, 1, work(2, "organization"))
    simulation.run(2 * MINUTE)
    expect(visibleWork.seesWork(ada, "d")).toBe(true)
  })
})

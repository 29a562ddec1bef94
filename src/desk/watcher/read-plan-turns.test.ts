/** When the plan reads each Work again: its turns, and its tries after a failure. Few Works, so that every moment can be compared. */
import { describe, expect, it } from "vitest"
import { upstreamTooLarge } from "../../platform/http/refusals.ts"
import { DoneWorkReads } from "./done-work-reads.ts"
import { answerFrom, fakeApproval, fakeWork, manyWorks, problem, range, Simulation } from "./testing/simulation.ts"

/** The differences between the moments of the requests whose target matches. */
function gapsOf(simulation: Simulation, target: RegExp, from = 0): number[] {
  const times = simulation.heard.flatMap((heard) => (heard.at >= from && target.test(heard.target) ? heard.at : []))
  return times.slice(1).map((at, index) => Math.round(at - (times[index] ?? 0)))
}

/** The fields of a quota that leaves the watcher so many requests until its refill. */
const quotaWith = (spare: number, refillSeconds: number) => ({
  "RateLimit-Policy": '"r";q=100;w=60',
  RateLimit: `"r";r=${50 + spare};t=${refillSeconds}`,
})

describe("turns", () => {
  it.each([1, 3, 10])("of %i Works follow each other so that each Work has one in 10 s", (count) => {
    const simulation = new Simulation(manyWorks(count))
    simulation.run(60_000)
    const gaps = gapsOf(simulation, /approvals/, 1_500)
    expect(gaps.length).toBeGreaterThan(3 * count)
    expect(new Set(gaps)).toEqual(new Set([Math.round(10_000 / count)]))
  })

  it.each([
    ["125 ms", quotaWith(5_000, 60), 125],
    ["200 ms where the upstream names no quota", {}, 200],
  ])("of 200 Works follow each other after %s", (_, headers, gap) => {
    const works = manyWorks(200)
    const simulation = new Simulation(works)
    simulation.answer = (target) => ({ ...answerFrom(works, target), headers })
    simulation.run(15_000)
    const from = simulation.now
    simulation.run(2_000)
    expect(Math.min(...gapsOf(simulation, /approvals/, from))).toBe(gap)
  })

  it("come to every Work, to Work with an item first, also beside Work that no address can hold", () => {
    const works = [...manyWorks(4), fakeWork("..", 0)]
    for (const work of works.slice(0, 2)) work.approvals = [fakeApproval(`a-${work.id}`)]
    const simulation = new Simulation(works)
    simulation.run(1_000)
    const from = simulation.now
    simulation.run(9_000)
    const turns = simulation.targets(from).filter((target) => target.endsWith("/approvals"))
    expect(turns).toEqual(["w1", "w0", "w3", "w2"].map((id) => `/${id}/approvals`))
  })

  it("are given to Work with an item first while a small quota makes the pass longer", () => {
    const works = manyWorks(8)
    for (const work of works.slice(0, 4)) work.approvals = [fakeApproval(`a-${work.id}`)]
    const simulation = new Simulation(works)
    simulation.run(1_500)
    simulation.answer = (target) => ({ ...answerFrom(works, target), headers: quotaWith(15, 60) })
    const from = simulation.now
    simulation.run(60_000)
    // The first answer names the quota.
    const turns = simulation.targets(from).filter((target) => target.endsWith("/approvals"))
    expect(turns.slice(1, 5)).toEqual(["w3", "w2", "w1", "w0"].map((id) => `/${id}/approvals`))
  })
})

describe("Work that fails", () => {
  it.each([
    [3, 1_000],
    [20, 500],
  ])("is tried again one Work at a time: of %i Works one every %i ms", (count, gap) => {
    const works = manyWorks(count)
    const simulation = new Simulation(works)
    simulation.answer = (target) => (target.endsWith("/approvals") ? problem(500, "BROKEN") : answerFrom(works, target))
    simulation.run(30_000)
    const gaps = gapsOf(simulation, /\/w\d+$/, 10_000)
    expect(gaps.length).toBeGreaterThan(15)
    expect(new Set(gaps)).toEqual(new Set([gap]))
  })
})

describe("the list", () => {
  it("goes first after a rest, also before Work of a class that had no read for long", () => {
    const simulation = new Simulation(manyWorks(1))
    simulation.run(11_500)
    for (const _ of range(6)) {
      simulation.plan.hint("w0", simulation.now)
      simulation.run(1_500)
    }
    simulation.run(2_000)
    simulation.plan.start()
    const from = simulation.now
    simulation.run(1_000)
    expect(simulation.targets(from).map((target) => target.replace(/&.*/, ""))).toEqual([
      "?status=needs_you",
      "?status=working",
      "?status=paused",
      "/w0/approvals",
    ])
  })

  it("is read before any done Work", () => {
    const works = [fakeWork("d", 1, { status: "done" })]
    const simulation = new Simulation(works, { done: new DoneWorkReads(new Map()) })
    const { answer } = simulation
    simulation.answer = (target, at) => (/needs_you/.test(target) ? problem(429, "RATE_LIMITED") : answer(target, at))
    const readsDone = () => simulation.targets().some((target) => target.includes("status=done"))
    simulation.run(20_000)
    expect(readsDone()).toBe(false)
    simulation.answer = answer
    simulation.run(20_000)
    expect(readsDone()).toBe(true)
  })

  it("of which a part cannot be read leaves Work unlisted, which is read itself in its turn", () => {
    const works = [fakeWork("w", 1, { status: "paused" })]
    const simulation = new Simulation(works)
    simulation.run(5_000)
    expect(simulation.targets()).not.toContain("/w")
    simulation.answer = (target) => (target.includes("=paused") ? problem(400, "INVALID") : answerFrom(works, target))
    simulation.run(5_500)
    expect(simulation.targets()).toContain("/w")
  })

  it("whose page is too large names a quota, which counts", () => {
    const works = manyWorks(3)
    const simulation = new Simulation(works)
    simulation.answer = (target) =>
      target.includes("?")
        ? { ...problem(upstreamTooLarge.status, upstreamTooLarge.code), headers: quotaWith(-1, 30) }
        : answerFrom(works, target)
    simulation.run(29_000)
    expect(simulation.heard).toHaveLength(3)
    simulation.run(5_000)
    expect(simulation.heard.length).toBeGreaterThan(3)
  })
})

import { describe, expect, it } from "vitest"
import { IN_FLIGHT_MAX } from "./request-pace.ts"
import {
  answerFrom,
  bucket,
  fakeApproval,
  fakeClarification,
  fakeWork,
  manyWorks,
  range,
  Simulation,
} from "./testing/simulation.ts"

const isList = (target: string) => target.startsWith("?")

describe("the order of reads", () => {
  it("is the list, then the approvals of every Work, newest first", () => {
    const simulation = new Simulation(manyWorks(6))
    simulation.run(1_000)
    const targets = simulation.targets()
    expect(targets.slice(0, 3).toSorted()).toEqual([
      "?status=needs_you&limit=100",
      "?status=paused&limit=100",
      "?status=working&limit=100",
    ])
    expect(targets.slice(3)).toEqual(["w5", "w4", "w3", "w2", "w1", "w0"].map((id) => `/${id}/approvals`))
    expect(simulation.isComplete).toBe(true)
  })

  it("reads the clarifications of a Work only when the Work has a current one", () => {
    const asks = fakeWork("asks", 1, {
      status: "needs_you",
      clarificationId: "q",
      clarifications: [fakeClarification("q")],
    })
    const simulation = new Simulation([asks, fakeWork("silent", 2)])
    simulation.run(1_000)
    expect(simulation.targets().filter((target) => target.endsWith("/attention"))).toEqual(["/asks/attention"])
    expect(simulation.plan.state.works.get("asks")?.clarifications.map(({ id }) => id)).toEqual(["q"])
  })

  it("has at most four requests under way", () => {
    const simulation = new Simulation(manyWorks(300))
    simulation.run(60_000)
    expect(Math.max(...simulation.heard.map(({ inFlight }) => inFlight))).toBe(IN_FLIGHT_MAX)
  })

  it("puts a changed Work first: it is read within two seconds of the list", () => {
    const works = manyWorks(50)
    const simulation = new Simulation(works)
    simulation.run(20_000)
    const changed = works[7]
    if (changed !== undefined) changed.version = 2
    const from = simulation.now
    simulation.run(6_000)
    const heard = simulation.heard.filter(({ at }) => at > from)
    const list = heard.find(({ target }) => target.includes("status=working"))
    const read = heard.find(({ target, at }) => target.endsWith("/w7/approvals") && at > (list?.at ?? Infinity))
    expect(read?.at ?? Infinity).toBeLessThan((list?.at ?? 0) + 2_000)
  })

  it("gives every fourth check to the Work that waits longest while newer Work changes all the time", () => {
    const works = manyWorks(200)
    const simulation = new Simulation(works)
    const take = bucket(120)
    simulation.answer = (target, at) => {
      for (const work of works.slice(100)) work.version++
      return { ...answerFrom(works, target), headers: take(at).headers }
    }
    simulation.run(30 * 60_000)
    expect(simulation.plan.state.works.values().every(({ checkedAt }) => checkedAt !== undefined)).toBe(true)
  })
})

describe("a Work without a hint", () => {
  it.each([1, 10, 100])("is read again within 30 s with %i open Works, also when its items come and go", (count) => {
    const works = manyWorks(count)
    const simulation = new Simulation(works)
    const take = bucket(600)
    simulation.answer = (target, at) => ({ ...answerFrom(works, target), headers: take(at).headers })
    for (const minute of range(10)) {
      const half = works.filter((_, index) => index % 2 === minute % 2)
      for (const work of works) work.approvals = half.includes(work) ? [fakeApproval(`a-${work.id}`)] : []
      simulation.run(60_000)
    }
    for (const { id } of works) {
      const times = simulation.heard.flatMap(({ at, target }) => (target.endsWith(`/${id}/approvals`) ? at : []))
      const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
      expect(Math.max(...gaps, simulation.now - (times.at(-1) ?? 0))).toBeLessThan(30_000)
    }
  })

  it("is read with fewer than 450 requests a minute when 500 Works are open and the upstream names no quota", () => {
    const simulation = new Simulation(manyWorks(500))
    simulation.run(120_000)
    const from = simulation.now
    simulation.run(60_000)
    expect(simulation.targets(from).length).toBeLessThan(450)
  })

  it("is read in turns: no Work is read twice before every Work was read once", () => {
    const works = manyWorks(40)
    for (const work of works.slice(0, 10)) work.approvals = [fakeApproval(`a-${work.id}`)]
    const simulation = new Simulation(works)
    simulation.run(120_000)
    const counts = works.map(({ id }) => simulation.heard.filter(({ target }) => target.includes(`/${id}/`)).length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
  })

  it("has its turn after all Work with an item that waits", () => {
    const works = manyWorks(40)
    const waiting = works.filter((_, index) => index % 4 === 0)
    for (const work of waiting) work.approvals = [fakeApproval(`a-${work.id}`)]
    const simulation = new Simulation(works)
    simulation.run(1_000)
    const from = simulation.now
    simulation.run(60_000)
    const turns = simulation.targets(from).filter((target) => target.endsWith("/approvals"))
    for (const pass of [turns.slice(0, 40), turns.slice(40, 80)]) {
      expect(new Set(pass.slice(0, waiting.length))).toEqual(new Set(waiting.map(({ id }) => `/${id}/approvals`)))
      expect(new Set(pass).size).toBe(40)
    }
  })
})

describe("the list", () => {
  it("is read at least every five seconds", () => {
    const simulation = new Simulation(manyWorks(100))
    simulation.run(60_000)
    const times = simulation.heard.flatMap(({ at, target }) => (target.includes("status=paused") ? at : []))
    expect(Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toBeLessThanOrEqual(5_000)
  })

  it("that does not have a Work does not remove it: the Work itself is read", () => {
    const works = manyWorks(3)
    const simulation = new Simulation(works)
    simulation.run(1_000)
    // The Work changes between two statuses, and each status's list is read while the Work has the other status.
    simulation.answer = (target) =>
      target.includes("?")
        ? answerFrom(
            works.filter(({ id }) => id !== "w1"),
            target,
          )
        : answerFrom(works, target)
    simulation.run(4_500)
    expect(simulation.targets()).toContain("/w1")
    expect(simulation.plan.state.works.has("w1")).toBe(true)
  })

  it("removes Work that is done", () => {
    const works = [fakeWork("w", 1, { approvals: [fakeApproval("a")] })]
    const simulation = new Simulation(works)
    simulation.run(1_000)
    expect(simulation.approvals).toEqual(["a"])
    const [work] = works
    if (work !== undefined) work.status = "done"
    simulation.run(5_000)
    expect([simulation.approvals, simulation.plan.state.total]).toEqual([[], 0])
  })

  it("of more than 10,000 open Works is counted to its end, and is never complete", () => {
    const simulation = new Simulation(manyWorks(10_300))
    simulation.latency = 1
    simulation.run(150)
    const { plan, isComplete } = simulation
    const { state } = plan
    expect([state.works.size, state.total, isComplete]).toEqual([10_000, 10_300, false])
    expect([state.works.has("w10299"), state.works.has("w299")]).toEqual([true, false])
  })

  it("whose cursor repeats ends", () => {
    const works = manyWorks(3)
    const simulation = new Simulation(works)
    simulation.answer = (target) => {
      const { status, body } = answerFrom(works, target)
      return { status, body: isList(target.replace("/api/v1/work", "")) ? { ...Object(body), next_cursor: "0" } : body }
    }
    simulation.run(1_000)
    expect(simulation.isComplete).toBe(true)
  })
})

describe("hints", () => {
  it("lead to a read of the Work and of its clarification within two seconds", () => {
    const works = manyWorks(100)
    const simulation = new Simulation(works)
    simulation.run(60_000)
    const [work] = works
    if (work !== undefined)
      Object.assign(work, { clarificationId: "q", clarifications: [fakeClarification("q")], version: 2 })
    simulation.plan.hint("w0", simulation.now)
    simulation.run(2_000)
    expect(simulation.plan.state.works.get("w0")?.clarifications).toHaveLength(1)
  })

  it("that come twenty times a second lead to one read of the Work in one to two seconds", () => {
    const simulation = new Simulation(manyWorks(3))
    simulation.run(10_000)
    const from = simulation.now
    for (const _ of range(20 * 30)) {
      simulation.plan.hint("w0", simulation.now)
      simulation.run(50)
    }
    const reads = simulation.targets(from).filter((target) => target === "/w0/approvals").length
    expect(reads).toBeGreaterThanOrEqual(15)
    expect(reads).toBeLessThanOrEqual(30)
  })

  it("for forty Works all the time leave the list and the other Works their turns", () => {
    const works = manyWorks(100)
    const simulation = new Simulation(works)
    const take = bucket(600)
    simulation.answer = (target, at) => ({ ...answerFrom(works, target), headers: take(at).headers })
    simulation.run(30_000)
    const from = simulation.now
    for (const _ of range(10 * 60)) {
      for (const { id } of works.slice(0, 40)) simulation.plan.hint(id, simulation.now)
      simulation.run(100)
    }
    const heard = simulation.targets(from)
    expect(heard.filter((target) => target.includes("status=paused")).length).toBeGreaterThan(6)
    expect(works.filter(({ id }) => !heard.includes(`/${id}/approvals`))).toEqual([])
  })

  it("of Work that is not listed yet lead to a read of the list", () => {
    const works = manyWorks(3)
    const simulation = new Simulation(works)
    simulation.run(10_100)
    works.push(fakeWork("new", 9e6, { approvals: [fakeApproval("a")] }))
    simulation.plan.hint("new", simulation.now)
    simulation.run(2_000)
    expect(simulation.approvals).toEqual(["a"])
  })
})

describe("a decided item", () => {
  const waiting = () => {
    const works = [fakeWork("w", 1, { approvals: [fakeApproval("a")] })]
    const simulation = new Simulation(works)
    simulation.run(1_000)
    return { works, simulation }
  }

  it("is gone, and no read that began earlier brings it back", () => {
    const { works, simulation } = waiting()
    simulation.latency = 3_000
    simulation.plan.hint("w", simulation.now)
    simulation.run(4_000)
    // The second request of the hint, for the approvals, is under way and will still say pending.
    expect(simulation.targets().at(-1)).toBe("/w/approvals")
    simulation.plan.decide("approval", "w", "a")
    const [work] = works
    if (work !== undefined) work.approvals = []
    const seen = new Set<number>()
    simulation.run(10_000, () => seen.add(simulation.approvals.length))
    expect([...seen]).toEqual([0])
  })

  it("is shown again when a later read lists it as pending", () => {
    const { simulation } = waiting()
    simulation.plan.decide("approval", "w", "a")
    expect(simulation.approvals).toEqual([])
    simulation.run(30_000)
    expect(simulation.approvals).toEqual(["a"])
  })
})

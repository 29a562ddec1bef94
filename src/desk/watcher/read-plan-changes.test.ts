import { describe, expect, it } from "vitest"
import { upstreamTooLarge } from "../../platform/http/refusals.ts"
import { DoneWorkReads } from "./done-work-reads.ts"
import { IN_FLIGHT_MAX } from "./request-pace.ts"
import {
  answerFrom,
  fakeApproval,
  fakeWork,
  type FakeWork,
  manyWorks,
  problem,
  range,
  Simulation,
  workJson,
} from "./testing/simulation.ts"

describe("a watcher that begins again after a rest", () => {
  it("believes nothing, and reads the list first and then each Work", () => {
    const works = [fakeWork("w", 1, { approvals: [fakeApproval("a")] })]
    const simulation = new Simulation(works)
    simulation.run(1_000)
    simulation.plan.start()
    expect([simulation.isComplete, simulation.plan.state.knownWhole().level]).toEqual([false, "unknown"])
    const from = simulation.now
    simulation.run(1_000)
    expect(simulation.targets(from).toSorted()).toEqual([
      "/w/approvals",
      "?status=needs_you&limit=100",
      "?status=paused&limit=100",
      "?status=working&limit=100",
    ])
    expect([simulation.approvals, simulation.isComplete]).toEqual([["a"], true])
  })

  it("does not wait for the requests of before, and applies none of their answers", () => {
    const simulation = new Simulation(manyWorks(20))
    simulation.latency = 5_000
    // The list, and then as many Works as may be under way.
    simulation.run(5_100)
    expect(simulation.heard.at(-1)?.inFlight).toBe(IN_FLIGHT_MAX)
    simulation.plan.start()
    const [from, before] = [simulation.now, simulation.heard.length]
    simulation.run(4_990)
    expect(simulation.heard.slice(before).map(({ at }) => at - from)).toEqual(range(IN_FLIGHT_MAX).map(() => 0))
    expect(simulation.plan.state.works.values().every(({ checkedAt }) => checkedAt === undefined)).toBe(true)
  })
})

describe("a hint", () => {
  it("says whether it changes anything", () => {
    const simulation = new Simulation(manyWorks(1))
    simulation.run(10_100)
    const { plan, now } = simulation
    expect([plan.hint("w0", now), plan.hint("w0", now)]).toEqual([true, false])
    expect([plan.hint("unknown", now), plan.hintList()]).toEqual([true, false])
  })

  it("that comes again does not put a Work behind the Works that were hinted after it", () => {
    const simulation = new Simulation(manyWorks(2))
    simulation.run(12_500)
    simulation.plan.hint("w0", simulation.now)
    simulation.plan.hint("w1", simulation.now + 1)
    simulation.plan.hint("w0", simulation.now + 2)
    const from = simulation.now + 3
    simulation.now = from
    simulation.run(2_000)
    expect(simulation.targets(from).filter((target) => /^\/w\d$/.test(target))).toEqual(["/w0", "/w1"])
  })
})

describe("a decision", () => {
  const decide = (kind: "clarification" | "approval", answer?: string) => {
    const noted: { readonly resolved: string[]; readonly approvals: string[] } = { resolved: [], approvals: [] }
    const simulation = new Simulation([fakeWork("w", 1)], {
      onResolved: (workId, isResolved) =>
        noted.resolved.push(...["a", "b"].filter((id) => isResolved(id, 0)).map((id) => `${workId} ${id}`)),
      onApprovals: (workId, approvals) =>
        noted.approvals.push(...approvals.map(({ id, status }) => `${workId} ${id} ${status}`)),
    })
    simulation.plan.decide(kind, "w", "a", answer)
    return noted
  }
  const approved = JSON.stringify({ ...fakeApproval("a", { status: "approved" }) })

  it("resolves its item alone, and gives the decided approval to who asks for approvals", () => {
    expect(decide("approval", approved)).toEqual({ resolved: ["w a"], approvals: ["w a approved"] })
    expect(decide("approval")).toEqual({ resolved: ["w a"], approvals: [] })
    expect(decide("clarification", approved)).toEqual({ resolved: ["w a"], approvals: [] })
  })

  it("needs nobody who asks for approvals", () => {
    const simulation = new Simulation([fakeWork("w", 1, { approvals: [fakeApproval("a")] })])
    simulation.run(1_000)
    simulation.plan.decide("approval", "w", "a", approved)
    expect(simulation.approvals).toEqual([])
  })

  it.each(["", "{}", "[".repeat(9)])("whose answer is %j resolves its item all the same", (answer) => {
    expect(decide("approval", answer)).toEqual({ resolved: ["w a"], approvals: [] })
  })

  it("does not hide a fault of who asks for approvals", () => {
    const onApprovals = () => {
      throw new TypeError("a fault of the desk")
    }
    const { plan } = new Simulation([], { onApprovals })
    expect(() => plan.decide("approval", "w", "a", approved)).toThrow("a fault of the desk")
  })
})

describe("Work", () => {
  it("has its first turn one gap after the first Work was listed, however long there was none", () => {
    const works: FakeWork[] = []
    const simulation = new Simulation(works)
    simulation.run(20_000)
    works.push(fakeWork("w", 1))
    simulation.run(8_000)
    expect(simulation.targets().filter((target) => target.startsWith("/"))).toEqual(["/w/approvals"])
  })

  it.each([
    ["", () => ({})],
    [", also where done Work is read", () => ({ done: new DoneWorkReads(new Map()) })],
  ])("that no address can hold goes with the next list that does not have it%s", (_, listeners) => {
    const works = [fakeWork("..", 1), fakeWork("w", 2)]
    const simulation = new Simulation(works, listeners())
    simulation.run(1_000)
    expect([...simulation.plan.state.works.keys()].toSorted()).toEqual(["..", "w"])
    works.shift()
    const failures = new Set<unknown>()
    simulation.run(10_000, () => failures.add(simulation.plan.state.failureFor(() => true)))
    expect([...simulation.plan.state.works.keys()]).toEqual(["w"])
    expect([...failures]).toEqual([undefined])
  })

  it("that is gone leaves the watcher at work where nobody keeps anything about its items", () => {
    const works = manyWorks(2)
    const simulation = new Simulation(works)
    simulation.run(1_000)
    works.shift()
    simulation.run(20_000)
    expect([[...simulation.plan.state.works.keys()], simulation.isComplete]).toEqual([["w1"], true])
  })
})

describe("the list of done Work", () => {
  const simulate = () => {
    const works = [fakeWork("w", Date.now() - 2_000), fakeWork("d", Date.now() - 1_000, { status: "done" })]
    const done = new DoneWorkReads(new Map())
    const resolved = new Set<string>()
    const simulation = new Simulation(works, {
      done,
      onResolved: (workId, isResolved) => isResolved("any item", 0) && resolved.add(workId),
    })
    simulation.run(2_000)
    resolved.clear()
    return { works, done, resolved, simulation, open: () => [...simulation.plan.state.works.keys()] }
  }

  it("alone shows the end of Work while the other lists and the Work itself cannot be read", () => {
    const { works, done, resolved, simulation, open } = simulate()
    expect(open()).toEqual(["w"])
    for (const work of works) work.status = "done"
    simulation.answer = (target) =>
      target.includes("status=done") ? answerFrom(works, target) : problem(500, "BROKEN")
    simulation.run(120_000)
    expect([open(), resolved.has("w"), done.newest.has("w")]).toEqual([[], true, true])
  })

  it("ends no Work that it has with another status, and adds none", () => {
    const { works, done, resolved, simulation, open } = simulate()
    works.push(fakeWork("other", Date.now()))
    simulation.answer = (target) =>
      target.includes("status=done")
        ? { status: 200, body: { data: works.map(workJson) } }
        : target.includes("?")
          ? problem(500, "BROKEN")
          : problem(403, "FORBIDDEN")
    simulation.run(120_000)
    expect([open(), [...resolved], [...done.newest.keys()]]).toEqual([["w"], ["d"], ["d"]])
  })
})

describe("done Work", () => {
  const simulate = (work: Partial<FakeWork> = {}) => {
    const resolved: string[] = []
    const approvals: unknown[] = []
    const simulation = new Simulation([fakeWork("d", Date.now() - 1_000, { status: "done", ...work })], {
      done: new DoneWorkReads(new Map()),
      onResolved: (workId, isResolved) => isResolved("any item", 0) && resolved.push(workId),
      onApprovals: (workId, listed, version) => approvals.push([workId, listed.map(({ id }) => id), version]),
    })
    return { simulation, resolved, approvals }
  }

  it("has no item that waits, and gives its approvals with its version", () => {
    const { simulation, resolved, approvals } = simulate({ approvals: [fakeApproval("a", { status: "approved" })] })
    simulation.run(30_000)
    expect(new Set(resolved)).toEqual(new Set(["d"]))
    expect(approvals).toEqual([["d", ["a"], "1"]])
  })

  it.each([403, 404])("whose approvals are refused with %i has none", (status) => {
    const { simulation, approvals } = simulate()
    const { answer } = simulation
    simulation.answer = (target, at) =>
      target.endsWith("/d/approvals") ? problem(status, "REFUSED") : answer(target, at)
    simulation.run(30_000)
    expect(approvals).toEqual([["d", [], "1"]])
  })

  it("has as many results as the service lists, none where it refuses to, and is forgotten where it is gone", () => {
    const works = range(3).map((index) => fakeWork(`d${index}`, Date.now() - 1_000, { status: "done" }))
    const done = new DoneWorkReads(new Map())
    const simulation = new Simulation(works, { done })
    simulation.answer = (target) => {
      if (target.endsWith("/d0/artifacts")) return { status: 200, body: { data: [{ id: "a" }, { id: "b" }] } }
      if (target.endsWith("/d1/artifacts")) return problem(403, "FORBIDDEN")
      return target.endsWith("/d2/artifacts") ? problem(404, "NOT_FOUND") : answerFrom(works, target)
    }
    const counts = () => [...done.newest.values()].map((work) => [work.id, done.resultsOf(work)])
    simulation.run(10_000, () => void counts())
    expect(counts()).toEqual([
      ["d0", 2],
      ["d1", 0],
    ])
  })

  it("is read to its end where nobody asks for approvals", () => {
    const done = new DoneWorkReads(new Map())
    const simulation = new Simulation([fakeWork("d", Date.now() - 1_000, { status: "done" })], { done })
    simulation.run(30_000)
    expect([simulation.targets().includes("/d/approvals"), done.isAllRead]).toEqual([true, true])
  })

  it("is asked for in smaller pages after a page that was too large, which is no failure", () => {
    const { simulation, approvals } = simulate()
    const { answer } = simulation
    simulation.answer = (target, at) =>
      target.includes("status=done") && Number(/limit=(\d+)/.exec(target)?.[1]) > 30
        ? problem(upstreamTooLarge.status, upstreamTooLarge.code)
        : answer(target, at)
    simulation.run(30_000)
    const limits = simulation.targets().flatMap((target) => /status=done&.*limit=(\d+)/.exec(target)?.[1] ?? [])
    expect(limits.slice(0, 3)).toEqual(["100", "50", "25"])
    expect(approvals).toEqual([["d", [], "1"]])
  })

  it("of which not even a page of one can be read leaves the watcher at work", () => {
    const { simulation } = simulate()
    const { answer } = simulation
    simulation.answer = (target, at) =>
      target.includes("status=done") ? problem(upstreamTooLarge.status, upstreamTooLarge.code) : answer(target, at)
    simulation.run(60_000)
    const limits = simulation.targets().flatMap((target) => /status=done&.*limit=(\d+)/.exec(target)?.[1] ?? [])
    expect(limits.slice(0, 8)).toEqual(["100", "50", "25", "12", "6", "3", "1", "1"])
    expect(simulation.plan.state.knownWhole().level).not.toBe("unknown")
  })
})

import { describe, expect, it } from "vitest"
import { IN_FLIGHT_MAX } from "./request-pace.ts"
import { answerFrom, fakeApproval, fakeWork, manyWorks, problem, range, Simulation } from "./testing/simulation.ts"

describe("the quota", () => {
  it("above its half is spread over the time until the refill", () => {
    const works = manyWorks(100)
    const simulation = new Simulation(works)
    const [quota, seconds] = [100, 20]
    let used = 0
    simulation.answer = (target, at) => {
      if (at >= seconds * 1_000) return answerFrom(works, target)
      used++
      const t = Math.ceil(seconds - at / 1_000)
      return {
        ...answerFrom(works, target),
        headers: { "RateLimit-Policy": `"r";q=${quota};w=60`, RateLimit: `"r";r=${quota - used};t=${t}` },
      }
    }
    simulation.run(seconds * 1_000 - 1)
    const halves = [0, 1].map((half) => simulation.heard.filter(({ at }) => Math.floor(at / 10_000) === half).length)
    expect(used).toBeLessThanOrEqual(quota / 2 + IN_FLIGHT_MAX)
    expect(Math.min(...halves)).toBeGreaterThan(15)
  })

  it.each([
    [60, 10],
    [49, 0],
  ])("of two is the one that leaves less, with %i of 100 left", (left, spare) => {
    const works = manyWorks(100)
    const simulation = new Simulation(works)
    const headers = {
      "RateLimit-Policy": '"much";q=6000;w=60, "little";q=100;w=60',
      RateLimit: `"much";r=6000;t=1, "little";r=${left};t=20`,
    }
    simulation.answer = (target) => ({ ...answerFrom(works, target), headers })
    simulation.run(20_000)
    expect(simulation.heard.length).toBeLessThanOrEqual(spare + IN_FLIGHT_MAX)
  })

  it("that another client has used up stops the watcher until the refill", () => {
    const works = manyWorks(20)
    const simulation = new Simulation(works)
    simulation.run(15_000)
    const headers = { "RateLimit-Policy": '"r";q=100;w=60', RateLimit: '"r";r=49;t=30' }
    simulation.answer = (target) => ({ ...answerFrom(works, target), headers })
    simulation.run(5_000)
    const from = simulation.now
    simulation.run(20_000)
    expect(simulation.targets(from)).toEqual([])
    simulation.answer = (target) => answerFrom(works, target)
    simulation.run(10_000)
    expect(simulation.targets(from).length).toBeGreaterThan(3)
  })
})

describe("failures", () => {
  const simulateRead = (count = 10) => {
    const works = manyWorks(count)
    for (const work of works) work.approvals = [fakeApproval(`a-${work.id}`)]
    const simulation = new Simulation(works)
    simulation.run(15_000)
    expect(simulation.approvals).toHaveLength(count)
    return { works, simulation }
  }
  const problemOf = (simulation: Simulation) => {
    const text = simulation.plan.state.failureFor(() => true)?.json
    return text === undefined ? undefined : Number(JSON.parse(text).status)
  }

  it("of a Work that is gone (404) end what is kept about its items", () => {
    const works = manyWorks(2)
    const ended: string[] = []
    const onResolved = (workId: string, isResolved: (itemId: string, storedAt: number) => boolean) => {
      if (isResolved("any item", Number.POSITIVE_INFINITY)) ended.push(workId)
    }
    const simulation = new Simulation(works, { onResolved })
    simulation.run(1_000)
    works.shift()
    simulation.run(10_000)
    expect([ended, [...simulation.plan.state.works.keys()]]).toEqual([["w0"], ["w1"]])
  })

  it.each([403, 404])("of one Work (%i) are no problem, and the Work counts as checked", (status) => {
    const works = manyWorks(3)
    const simulation = new Simulation(works)
    simulation.answer = (target) => (target.includes("/w1/") ? problem(status, "REFUSED") : answerFrom(works, target))
    simulation.run(1_000)
    expect([simulation.isComplete, problemOf(simulation)]).toEqual([true, undefined])
  })

  it("of one Work (500) are a problem until a later read of the Work succeeds", () => {
    const works = manyWorks(3)
    const simulation = new Simulation(works)
    simulation.run(1_000)
    const isBad = (target: string) => target.includes("/w1")
    simulation.answer = (target) => (isBad(target) ? problem(500, "BROKEN") : answerFrom(works, target))
    simulation.run(20_000)
    expect(problemOf(simulation)).toBe(500)
    simulation.answer = (target) => answerFrom(works, target)
    simulation.run(20_000)
    expect(problemOf(simulation)).toBeUndefined()
  })

  it("403 for the approvals of every Work keep what was known, and are no problem", () => {
    const { works, simulation } = simulateRead()
    simulation.answer = (target) =>
      target.endsWith("/approvals") ? problem(403, "FORBIDDEN") : answerFrom(works, target)
    simulation.run(60_000)
    expect([simulation.approvals.length, problemOf(simulation), simulation.isComplete]).toEqual([10, undefined, true])
  })

  it.each([{}, { "Retry-After": "1" }])(
    "401 %j stops all reads but one every 30 s, until the service accepts the credential",
    (headers) => {
      const { works, simulation } = simulateRead()
      simulation.answer = () => ({ ...problem(401, "UNAUTHENTICATED"), headers })
      simulation.run(3_000)
      const from = simulation.now
      simulation.run(120_000)
      expect(simulation.targets(from)).toHaveLength(4)
      expect([simulation.approvals.length, problemOf(simulation), simulation.isComplete]).toEqual([10, 401, false])
      simulation.answer = (target) => answerFrom(works, target)
      simulation.run(40_000)
      expect([simulation.approvals.length, problemOf(simulation)]).toEqual([10, undefined])
    },
  )

  it("429 with Retry-After pauses all requests, and the problem lasts as long", () => {
    const { works, simulation } = simulateRead()
    simulation.answer = () => ({ ...problem(429, "RATE_LIMITED"), headers: { "Retry-After": "25" } })
    simulation.run(5_000)
    const from = simulation.heard.at(-1)?.at ?? 0
    expect(problemOf(simulation)).toBe(429)
    expect(simulation.plan.pausedUntil).toBe(from + simulation.latency + 25_000)
    simulation.answer = (target) => answerFrom(works, target)
    simulation.run(40_000)
    const again = simulation.heard.find(({ at }) => at > from)
    expect(again?.at).toBeGreaterThanOrEqual(from + 25_000)
    expect(again?.at).toBeLessThan(from + 27_000)
    expect(problemOf(simulation)).toBeUndefined()
  })

  it.each([429, 500, 502, 503, 504])("%i without Retry-After are tried again within 10 s, however long", (status) => {
    const { works, simulation } = simulateRead()
    simulation.answer = () => problem(status, "BROKEN")
    simulation.run(5 * 60_000)
    const times = simulation.heard.filter(({ at }) => at > 20_000).map(({ at }) => at)
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10_000)
    expect(times.length).toBeLessThan(80)
    expect([simulation.approvals.length, problemOf(simulation)]).toEqual([10, status])
    simulation.answer = (target) => answerFrom(works, target)
    simulation.run(20_000)
    expect([simulation.approvals.length, problemOf(simulation)]).toEqual([10, undefined])
  })

  it("of half of the Works hardly delay the other half", () => {
    const works = manyWorks(40)
    const simulation = new Simulation(works)
    const isBad = (target: string) => /\/w\d*[02468]\//.test(target)
    simulation.answer = (target) => (isBad(target) ? problem(500, "BROKEN") : answerFrom(works, target))
    simulation.run(60_000)
    expect(problemOf(simulation)).toBe(500)
    const from = simulation.now
    simulation.run(30_000)
    const good = new Set(simulation.targets(from).filter((target) => /\/w\d*[13579]\/approvals/.test(target)))
    expect(good.size).toBe(20)
  })

  it.each(["[]", "{}", '{"data":{}}', '{"data":[null]}', '{"data":[{"id":1}]}', "[".repeat(100_000)])(
    "by the body %.20s are the problem, and change no item",
    (body) => {
      const { works, simulation } = simulateRead()
      simulation.answer = () => ({ status: 200, body })
      simulation.run(60_000)
      expect([simulation.approvals.length, problemOf(simulation)]).toEqual([10, 502])
      const failure = simulation.plan.state.failureFor(() => true)
      expect(failure?.problem.request_id).toMatch(/^watch-\d+$/)
      simulation.answer = (target) => answerFrom(works, target)
      simulation.run(20_000)
      expect(problemOf(simulation)).toBeUndefined()
    },
  )

  it("of one page of the list do not keep new Work from being found, and the list is not called complete", () => {
    const works = range(350).map((index) => fakeWork(`w${index}`, index * 1_000, { status: "paused" }))
    const simulation = new Simulation(works)
    const isBad = (target: string) => target.includes("status=paused") && target.includes("cursor=200")
    simulation.answer = (target) => (isBad(target) ? problem(503, "UNAVAILABLE") : answerFrom(works, target))
    simulation.run(5 * 60_000)
    expect([simulation.plan.state.total, simulation.isComplete, problemOf(simulation)]).toEqual([200, false, 503])
    works.push(fakeWork("new", 9e6, { status: "paused", approvals: [fakeApproval("a")] }))
    works.push(fakeWork("other", 9e6, { approvals: [fakeApproval("b")] }))
    const [ended] = works.slice(300)
    if (ended !== undefined) ended.status = "done"
    simulation.run(60_000)
    expect([simulation.approvals, simulation.plan.state.works.has("w300")]).toEqual([["a", "b"], false])
    simulation.answer = (target) => answerFrom(works, target)
    simulation.run(60_000)
    expect([simulation.plan.state.total, simulation.isComplete, problemOf(simulation)]).toEqual([351, true, undefined])
  })

  it("of a page of the list that was read before remove no Work of that page", () => {
    const works = range(150).map((index) => fakeWork(`w${index}`, index * 1_000, { status: "paused" }))
    const simulation = new Simulation(works)
    simulation.run(60_000)
    const isBad = (target: string) => target.includes("status=paused") && target.includes("cursor=100")
    simulation.answer = (target) => (isBad(target) ? problem(500, "BROKEN") : answerFrom(works, target))
    simulation.run(10 * 60_000)
    expect([simulation.plan.state.total, simulation.isComplete]).toEqual([150, false])
    // A Work that nobody lists is read by itself, so that its end is seen.
    for (const work of works) if (work.id === "w20") work.status = "done"
    simulation.run(2 * 60_000)
    expect([simulation.plan.state.total, simulation.plan.state.works.has("w20")]).toEqual([149, false])
  })

  it("for a cursor that the service no longer knows begin the list again", () => {
    const works = manyWorks(250)
    const simulation = new Simulation(works)
    let isRestarted = false
    simulation.answer = (target) => {
      if (target.includes("cursor=100") && !isRestarted) {
        isRestarted = true
        return problem(400, "INVALID_CURSOR")
      }
      return answerFrom(works, target)
    }
    simulation.run(60_000)
    expect([simulation.plan.state.total, simulation.isComplete, problemOf(simulation)]).toEqual([250, true, undefined])
  })
})

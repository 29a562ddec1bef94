import { expect, it } from "vitest"
import { IN_FLIGHT_MAX } from "./request-pace.ts"
import { answerFrom, bucket, manyWorks, problem, range, Simulation } from "./testing/simulation.ts"

it("the quota is not used below its half, not even by a first read of 2,000 Works", () => {
  const works = manyWorks(2_000)
  const simulation = new Simulation(works)
  const take = bucket(600)
  const remaining: number[] = []
  simulation.answer = (target, at) => {
    const { isAllowed, headers } = take(at)
    remaining.push(Number(/r=(\d+)/.exec(headers["RateLimit"] ?? "")?.[1]))
    return isAllowed ? { ...answerFrom(works, target), headers } : { ...problem(429, "RATE_LIMITED"), headers }
  }
  simulation.run(5 * 60_000)
  expect(Math.min(...remaining)).toBeGreaterThanOrEqual(300 - IN_FLIGHT_MAX)
  expect(simulation.isComplete).toBe(true)
})

it("hints of unknown Work that never end leave every Work its turn, and people half of the quota", () => {
  const works = manyWorks(1_000)
  const simulation = new Simulation(works)
  const take = bucket(600)
  const remaining: number[] = []
  simulation.answer = (target, at) => {
    const { headers } = take(at)
    remaining.push(Number(/r=(\d+)/.exec(headers["RateLimit"] ?? "")?.[1]))
    return { ...answerFrom(works, target), headers }
  }
  for (const _ of range(10 * 60 * 5)) {
    simulation.plan.hint("unknown", simulation.now)
    simulation.run(100)
  }
  expect(simulation.isComplete).toBe(true)
  expect(Math.min(...remaining)).toBeGreaterThanOrEqual(300 - IN_FLIGHT_MAX)
})

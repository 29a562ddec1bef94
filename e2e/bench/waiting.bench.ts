/**
 * What the watcher's rules cost (`npm run bench`): the requests and seconds until the first and the last item is known, and how long an
 * approval stays unknown when no hint tells the watcher about it. The upstream is in memory and keeps the default quota of the embedded
 * service. Time is simulated, so the figures do not depend on the machine. `waiting-desk.bench.ts` measures a desk in real time.
 */
import {
  answerFrom,
  bucket,
  fakeApproval,
  fakeWork,
  problem,
  Simulation,
} from "../../src/desk/watcher/testing/simulation.ts"
import { median } from "./load/figures.ts"

const QUOTA = 600
const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Open Works that each wait for an approval. */
const waitingWorks = (count: number) =>
  range(count).map((index) => fakeWork(`w${index}`, index * 1_000, { approvals: [fakeApproval(`a${index}`)] }))

/** A simulation whose upstream keeps a quota. With the quota Infinity the upstream names none. */
function simulate(count: number, quota: number) {
  const simulation = new Simulation(waitingWorks(count))
  const take = bucket(quota)
  simulation.answer = (target, at) => {
    if (quota === Number.POSITIVE_INFINITY) return answerFrom(simulation.works, target)
    const { isAllowed, headers } = take(at)
    return { ...(isAllowed ? answerFrom(simulation.works, target) : problem(429, "RATE_LIMITED")), headers }
  }
  return simulation
}

function readEverything(count: number, quota: number) {
  const simulation = simulate(count, quota)
  let first: number | undefined
  while (!simulation.isComplete && simulation.now < 3_600_000) {
    simulation.run(250, () => {
      if (first === undefined && simulation.approvals.length > 0) first = simulation.now
    })
  }
  const requests = simulation.heard.length
  const last = simulation.now
  simulation.run(60_000)
  return {
    requests,
    first: (first ?? Number.NaN) / 1_000,
    last: last / 1_000,
    rest: simulation.heard.length - requests,
  }
}

console.log("\n| open Works | quota a minute | requests | first item, s | last item, s | requests a minute at rest |")
console.log("|---:|---:|---:|---:|---:|---:|")
for (const [count, quota] of [
  [500, QUOTA],
  [500, Number.POSITIVE_INFINITY],
  [5_000, QUOTA],
  [5_000, Number.POSITIVE_INFINITY],
] as const) {
  const { requests, first, last, rest } = readEverything(count, quota)
  const named = quota === Number.POSITIVE_INFINITY ? "none named" : String(quota)
  console.log(`| ${count} | ${named} | ${requests} | ${first.toFixed(2)} | ${last.toFixed(1)} | ${rest} |`)
}

console.log("\n| open Works | hint | seconds until an approval is known, median | greatest |")
console.log("|---:|---|---:|---:|")
for (const count of [10, 100, 500]) {
  for (const isHinted of [false, true]) {
    const waits = range(20).map((round) => waitFor(count, isHinted, round))
    const [middle, most] = [median(waits).toFixed(1), Math.max(...waits).toFixed(1)]
    console.log(`| ${count} | ${isHinted ? "yes" : "none"} | ${middle} | ${most} |`)
  }
}

/** The seconds until an approval is known that comes into a Work whose version does not change. */
function waitFor(count: number, isHinted: boolean, round: number): number {
  const simulation = new Simulation(range(count).map((index) => fakeWork(`w${index}`, index * 1_000)))
  const take = bucket(QUOTA)
  simulation.answer = (target, at) => ({ ...answerFrom(simulation.works, target), headers: take(at).headers })
  simulation.run(120_000 + round * 777)
  simulation.works[(round * 7) % count]?.approvals.push(fakeApproval("new"))
  const came = simulation.now
  if (isHinted) simulation.plan.hint(`w${(round * 7) % count}`, came)
  let seen = Number.POSITIVE_INFINITY
  const look = () => {
    if (simulation.approvals.length > 0) seen = Math.min(seen, simulation.now)
  }
  while (simulation.approvals.length === 0) simulation.run(100, look)
  return (seen - came) / 1_000
}

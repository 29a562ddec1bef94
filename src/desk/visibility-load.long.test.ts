import { expect, test } from "vitest"
import { fakeApproval, fakeWork, range } from "./watcher/testing/simulation.ts"
import { startWorkUpstream } from "./testing/concealed-work.ts"
import { send, startTestProxy } from "./testing/desk.ts"
import { startSignInProxy } from "./testing/sign-in.ts"

const TEAMS = 20
const WORKS = 500
const PEOPLE = 100

test("500 open Works cost hardly more for 100 people of 20 views than for one", { timeout: 120_000 }, async () => {
  const upstream = await startWorkUpstream()
  for (const index of range(WORKS)) {
    const visibility_scope = index % 2 === 0 ? "organization" : "team"
    const json = { visibility_scope, colleague_id: `of-${index % TEAMS}`, objective: "x".repeat(1_000) }
    const approvals = [fakeApproval(`a${index}`, { body: "y".repeat(1_000) })]
    upstream.works.push(fakeWork(`w${index}`, index * 1_000, { json, approvals }))
  }
  const teams = range(TEAMS).map((team) => ({
    name: `T${team}`,
    members: [`group:g${team}`],
    colleagues: [`of-${team}`],
  }))
  const desk = await startSignInProxy(upstream.url, {
    people: { access: { roles: { reader: ["anyone"] }, visibility: { teams } } },
  })
  const people = await Promise.all(range(PEOPLE).map((person) => desk.signIn(`p${person}`, [`g${person % TEAMS}`])))
  const local = await startTestProxy(upstream.url)
  const ask = async (url: string, headers: Readonly<Record<string, string>> = {}) =>
    (await send(url, "/desk/waiting", { headers: { ...headers } })).text
  const [first] = people
  for (const [url, headers] of [
    [desk.url, first],
    [local.url, undefined],
  ] as const) {
    const isGathered = async () => (await ask(url, headers)).includes('"complete":true')
    await expect.poll(isGathered, { timeout: 60_000 }).toBe(true)
  }
  /** The processor time of a request for each. */
  const measure = async (url: string, askers: readonly (Readonly<Record<string, string>> | undefined)[]) => {
    const before = process.cpuUsage()
    for (const asker of askers) await ask(url, asker)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const alone = await measure(
    local.url,
    range(PEOPLE).map(() => undefined),
  )
  const together = await measure(desk.url, people)
  expect(together).toBeLessThan(3 * alone)
})

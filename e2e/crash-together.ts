import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { expect } from "vitest"
import { readEntries } from "../src/desk/record/entries.ts"
import { verify } from "../src/desk/record/chain-verification.ts"
import { FROM_THE_END } from "../src/desk/record/record-query.ts"
import { openDatabaseForReading } from "../src/desk/store/open-store.ts"
import type { HostileProvider } from "../src/desk/people/testing/hostile-provider.ts"
import { STEPS } from "./crash-rounds.ts"
import type { DecidingUpstream, Steps } from "./deciding-upstream.ts"
import { SignedInPerson, startSignedInDesk } from "./signed-in-desk.ts"

const ACCESS = {
  roles: { reader: ["anyone"], approver: ["group:finance"] },
  rules: [{ destination: "*@bank.example", approvalsNeeded: 2 }],
}

// A little longer than both approves take on an idle machine.
const LONGEST_MS = 40

export type TogetherCounts = { readonly rounds: number; readonly heard: number; readonly answered: number }

/**
 * Rounds in which two persons approve one letter that needs two, while the desk is killed (SIGKILL) at a step of the last approve or at any
 * moment. Then the desk is started again and both send again under their keys. The service must have one effect, which two persons
 * approved, and the record must show that.
 */
export async function crashTogetherRounds(
  rounds: number,
  parts: { readonly provider: HostileProvider; readonly upstream: DecidingUpstream; readonly folder: string },
): Promise<TogetherCounts> {
  const { provider, upstream, folder } = parts
  const options = { ...parts, upstreamUrl: upstream.url, access: ACCESS }
  const people: SignedInPerson[] = []
  let [heard, answered] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const work = `letter-${round}`
    const desk = await startSignedInDesk(options)
    for (const name of ["ada", "ben"].slice(people.length)) {
      provider.claims = { sub: name, name, groups: ["finance"], auth_time: Math.floor(Date.now() / 1_000) }
      people.push(await SignedInPerson.signIn(desk.url))
    }
    const [ada, ben] = people
    if (ada === undefined || ben === undefined) throw new Error("two persons sign in")
    const keys = [randomUUID(), randomUUID()] as const
    const isTogether = round % 2 === 0
    const gone = killAt(STEPS[round % STEPS.length] ?? "any", upstream, () => desk.stop("SIGKILL"))
    const first = ada.decide(desk.url, work, keys[0]).catch(() => undefined)
    if (!isTogether) await first
    const answers = await Promise.all([first, ben.decide(desk.url, work, keys[1]).catch(() => undefined)])
    answered += answers.filter((answer) => answer !== undefined).length
    for (const answer of answers) if (answer !== undefined) expect([200, 202], answer.text).toContain(answer.status)
    await gone
    upstream.steps = {}
    await checkLetter(folder, upstream, keys)
    heard += keys.filter((key) => upstream.heard.includes(key)).length

    const again = await startSignedInDesk(options)
    const isApproved = () => keys.some((key) => upstream.effects.has(key))
    // Each sends again under the same key, until the letter is approved.
    for (let turn = 0; turn < 2 && !isApproved(); turn++) {
      for (const [index, person] of [ada, ben].entries()) {
        const answer = await person.decide(again.url, work, keys[index] ?? "")
        expect([200, 202], answer.text).toContain(answer.status)
      }
    }
    await again.stop()
    await checkLetter(folder, upstream, keys)
    expect(
      keys.filter((key) => upstream.effects.has(key)),
      "one effect",
    ).toHaveLength(1)
  }
  return { rounds, heard, answered }
}

/** Kills once: at the step, or at any moment. Resolves when the desk is gone. */
function killAt(step: keyof Steps | "any", upstream: DecidingUpstream, kill: () => Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let isDone = false
  const soon = (within: number) => {
    if (isDone) return
    isDone = true
    setTimeout(() => void kill().then(resolve, reject), Math.random() * within)
  }
  if (step === "any" || step === "read") soon(LONGEST_MS)
  else upstream.steps = { [step]: () => soon(2) }
  return promise
}

/** Checks that the service received no approve before the desk kept another person's approve. */
async function checkLetter(folder: string, upstream: DecidingUpstream, keys: readonly string[]): Promise<void> {
  const database = await openDatabaseForReading({ dataFolder: join(folder, "data"), databaseUrl: undefined })
  expect((await verify(database)).faults).toEqual([])
  const { entries } = await readEntries(database, {}, FROM_THE_END, 1_000)
  await database.close()
  for (const key of keys.filter((key) => upstream.heard.includes(key))) {
    const content = upstream.effects.get(key)
    if (content === undefined) continue
    const { work_id } = JSON.parse(content) as { readonly work_id: string }
    const ofLetter = entries.filter((entry) => entry.work_id === work_id)
    const sent = ofLetter.find(({ outcome }) => outcome !== "held")
    const held = ofLetter.filter(({ outcome, person }) => outcome === "held" && person.id !== sent?.person.id)
    expect(
      held.some(({ sequence }) => sequence < (sent?.sequence ?? 0)),
      "another person's approve was kept before",
    ).toBe(true)
  }
}

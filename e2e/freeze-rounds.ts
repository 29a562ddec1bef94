import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import { expect } from "vitest"
import type { Freeze, Freezes } from "../src/contract/desk-work.ts"
import { readEntries } from "../src/desk/record/entries.ts"
import { readFreezes } from "../src/desk/record/freezes.ts"
import { FROM_THE_END } from "../src/desk/record/record-query.ts"
import { openDatabaseForReading, type StoreConfiguration } from "../src/desk/store/open-store.ts"
import { faultsOfRun } from "../src/desk/testing/audit.ts"
import type { HostileProvider } from "../src/desk/people/testing/hostile-provider.ts"
import type { DecidingUpstream } from "./deciding-upstream.ts"
import { SignedInPerson, type SignedInDeskOptions, startSignedInDesk } from "./signed-in-desk.ts"

const TWO = "two@bank.example"

export const FREEZE_ACCESS = {
  roles: { reader: ["anyone"], approver: ["group:finance"], delegator: ["group:finance"] },
  rules: [{ destination: TWO, approvalsNeeded: 2 }],
  visibility: { overseers: ["group:audit"] },
}

/** Where a freeze begins: while a desk has checked an approve, before it is sent; while the service has it; or at any moment. */
const MOMENTS = ["read", "heard", "done", "any", "any"] as const
// A little longer than an approve takes on an idle machine.
const LONGEST_MS = 12
const LANES = 4

export type Freezing = {
  readonly desks: readonly string[]
  readonly upstream: DecidingUpstream
  readonly approvers: readonly [SignedInPerson, SignedInPerson]
  /** Freezes a colleague, or (null) the desk. Resolves with the answer to the freeze. */
  readonly freeze: (colleague: string | null) => Promise<void>
  readonly unfreeze: (colleague: string | null) => Promise<void>
}

/** Signs in two approvers, and an overseer. */
export async function signInForFreeze(provider: HostileProvider, base: string) {
  const signIn = (name: string, group: string) => {
    provider.claims = { sub: name, name, groups: [group], auth_time: Math.floor(Date.now() / 1_000) }
    return SignedInPerson.signIn(base)
  }
  const approvers = [await signIn("ada", "finance"), await signIn("ben", "finance")] as const
  return { approvers, overseer: await signIn("olga", "audit") }
}

/**
 * Rounds in which people approve without a pause, at all desks, while something is frozen. The service must receive no approve after the answer to
 * the freeze. In each third round the letters need two approvals, and the first was given before. What is held then stays held, and the last
 * approve passes after the end of the freeze.
 */
export async function freezeRounds(rounds: number, freezing: Freezing) {
  const { upstream, freeze, unfreeze } = freezing
  let [sent, refused] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const isHeld = round % 3 === 2
    upstream.destination = isHeld ? TWO : "payments@bank.example"
    const colleague = round % 2 === 0 ? null : "analyst"
    const lanes = Array.from({ length: LANES }, (_, lane) => `w-${round}-${lane}`)
    if (isHeld) await hold(freezing, lanes)
    let isFrozen = false
    let heardBefore = 0
    const frozen = atMoment(MOMENTS[round % MOMENTS.length] ?? "any", upstream, async () => {
      await freeze(colleague)
      heardBefore = upstream.heard.length
      isFrozen = true
    })
    const answers = await Promise.all(
      lanes.map((work, lane) => approveUntil(freezing, work, lane, isHeld, () => isFrozen)),
    )
    await frozen
    for (const { status, isLate } of answers.flat()) {
      expect(isLate ? [423] : [200, 423], `round ${round}`).toContain(status)
      if (status === 200) sent++
      else refused++
    }
    expect(upstream.heard.length, `what the service received after the freeze of round ${round}`).toBe(heardBefore)
    if (isHeld) await checkHeld(freezing, `w-${round}-first`)
    await unfreeze(colleague)
    const last = isHeld ? lanes.filter((work) => !isApproved(upstream, work)) : [`w-${round}-after`]
    for (const work of last) {
      const answer = await freezing.approvers[1].decide(freezing.desks[0] ?? "", work, randomUUID())
      expect(answer.status, answer.text).toBe(200)
    }
  }
  return { rounds, sent, refused }
}

const isApproved = (upstream: DecidingUpstream, work: string) =>
  [...upstream.effects.values()].some((content) => content.includes(`"work_id":"${work}"`))

/** Ada gives the first of two approves for each Work. */
async function hold({ desks, approvers: [ada] }: Freezing, works: readonly string[]): Promise<void> {
  for (const [index, work] of works.entries()) {
    const answer = await ada.decide(desks[index % desks.length] ?? "", work, randomUUID())
    expect(answer.status, answer.text).toBe(202)
  }
}

/** The first of two approves is refused, too. */
async function checkHeld({ desks, approvers }: Freezing, work: string): Promise<void> {
  for (const [index, person] of approvers.entries()) {
    const answer = await person.decide(desks[index % desks.length] ?? "", work, randomUUID())
    expect(answer.status, answer.text).toBe(423)
  }
}

/** Approves at one desk until an approve that began after the freeze is answered. `isHeld`: approves one letter, whose first approve is held. */
async function approveUntil(
  { desks, approvers: [, ben] }: Freezing,
  work: string,
  lane: number,
  isHeld: boolean,
  isFrozen: () => boolean,
) {
  const answers: { readonly status: number; readonly isLate: boolean }[] = []
  for (let turn = 0; ; turn++) {
    const isLate = isFrozen()
    const { status } = await ben.decide(
      desks[lane % desks.length] ?? "",
      isHeld ? work : `${work}-${turn}`,
      randomUUID(),
    )
    answers.push({ status, isLate })
    if (isLate) return answers
    // The letter of this lane was sent before the freeze: there is nothing left to approve.
    if (isHeld && status === 200) return answers
  }
}

/** Runs `begin` at a moment of one of the first approves. At the moment `read` the approve goes on only when `begin` has ended. */
function atMoment(
  moment: (typeof MOMENTS)[number],
  upstream: DecidingUpstream,
  begin: () => Promise<void>,
): Promise<void> {
  if (moment === "any") return delay(Math.random() * LONGEST_MS).then(begin)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let left = Math.ceil(Math.random() * LANES)
  upstream.steps = {
    [moment]: async () => {
      left--
      if (left !== 0) return
      upstream.steps = {}
      const begun = begin()
      begun.then(resolve, reject)
      if (moment === "read") await begun
    },
  }
  return promise
}

/** What is frozen, and why. The key is the colleague's id, or "" for the desk. */
type State = ReadonlyMap<string, string>

/**
 * Rounds in which an overseer freezes and unfreezes without a pause, and the desk is killed (SIGKILL) at any moment. Each change must be whole (its row
 * and its entry in the record) or absent, what was answered must be there, and the desk that is started on what is left must refuse by it.
 */
export async function freezeKillRounds(rounds: number, options: SignedInDeskOptions, store: StoreConfiguration) {
  let people: Awaited<ReturnType<typeof signInForFreeze>> | undefined
  let state: State = new Map()
  const counts = { rounds, answered: 0, whole: 0, absent: 0 }
  for (let round = 0; round < rounds; round++) {
    const desk = await startSignedInDesk(options)
    people ??= await signInForFreeze(options.provider, desk.url)
    const { overseer, approvers } = people
    expect(await freezesAt(desk.url, overseer), "what was frozen survives").toEqual(state)
    const { status } = await approvers[0].decide(desk.url, `letter-${round}`, randomUUID())
    expect(status).toBe(state.size === 0 ? 200 : 423)

    const lastTurn = Math.floor(Math.random() * 4)
    let killed: Promise<void> | undefined
    let next = state
    for (let turn = 0, isAnswered = true; isAnswered; turn++) {
      if (turn === lastTurn) killed = delay(Math.random() * LONGEST_MS).then(() => desk.stop("SIGKILL"))
      state = next
      next = changed(state, turn % 2 === 0 ? "" : "analyst", turn % 4 < 2 ? `reason ${round}.${turn}` : undefined)
      isAnswered = await change(desk.url, overseer, state, next)
      if (isAnswered) counts.answered++
    }
    await killed
    const left = await readWhole(store)
    const isWhole = isDeepStrictEqual(left, next)
    if (!isWhole) expect(left, "the change without an answer is absent").toEqual(state)
    counts[isWhole ? "whole" : "absent"]++
    state = left
  }
  return counts
}

function changed(state: State, colleague: string, reason: string | undefined): State {
  const rest = [...state].filter(([id]) => id !== colleague)
  return new Map(reason === undefined ? rest : [...rest, [colleague, reason]])
}

/** Asks the desk for the change from one state to the next. @returns false when the desk was killed before its answer */
async function change(base: string, overseer: SignedInPerson, from: State, to: State): Promise<boolean> {
  const [frozen] = [...to].filter(([colleague, reason]) => from.get(colleague) !== reason)
  const [freed] = [...from.keys()].filter((colleague) => !to.has(colleague))
  const sending =
    frozen === undefined
      ? overseer.delete(base, `/desk/freeze${freed === "" ? "" : `?colleague=${String(freed)}`}`)
      : overseer.put(base, "/desk/freeze", { colleague: frozen[0] === "" ? null : frozen[0], reason: frozen[1] })
  const answer = await sending.catch(() => undefined)
  if (answer !== undefined) expect(answer.status, answer.text).toBe(frozen === undefined ? 204 : 200)
  return answer !== undefined
}

async function freezesAt(base: string, person: SignedInPerson): Promise<State> {
  const { body } = await person.get(base, "/desk/freeze")
  return stateOf((body as Freezes).freezes)
}

const stateOf = (freezes: readonly Freeze[]): State =>
  new Map(freezes.map(({ colleague, reason }) => [colleague ?? "", reason]))

/** Reads what is frozen. Expects a chain without a fault, whose newest entry about a colleague says the same as the row. */
async function readWhole(configuration: StoreConfiguration): Promise<State> {
  const store = await openDatabaseForReading(configuration)
  expect(await faultsOfRun(store)).toEqual([])
  const state = stateOf(await readFreezes(store))
  const { entries } = await readEntries(store, {}, FROM_THE_END, 10_000)
  await store.close()
  const recorded = new Map<string, string | undefined>()
  for (const { operation, colleague = "", summary, outcome } of entries.toReversed()) {
    if (operation !== "freeze" && operation !== "unfreeze") continue
    expect(outcome).toBe("recorded")
    recorded.set(colleague, operation === "freeze" ? summary : undefined)
  }
  for (const colleague of ["", "analyst"])
    expect(recorded.get(colleague), "the reason in the record").toBe(state.get(colleague))
  return state
}

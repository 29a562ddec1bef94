import { describe, expect, test } from "vitest"
import type { Session } from "../../people/people-interface.ts"
import { verify } from "../chain-verification.ts"
import {
  ada,
  approval,
  ben,
  cleo,
  creation,
  dana,
  decided,
  decision,
  sqliteDesk,
  success,
} from "../testing/deciding.ts"

describe("any order of what people do", () => {
  const people = [ada, ben, cleo, dana]

  test("never sends with fewer than needed, never twice, and loses nothing", { timeout: 120_000 }, async () => {
    for (let round = 0; round < 60; round++) await playRound(round)
  })

  /** A small generator of numbers, so that a failed round can be run again. */
  function numbers(seed: number) {
    let state = seed * 2_654_435_761 + 1
    return (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
  }

  async function playRound(seed: number): Promise<void> {
    const pick = numbers(seed)
    const desk = await sqliteDesk()
    let [version, needed] = [1, 2 + pick(2)]
    const item = { isPending: true }
    desk.rules({ approvalsNeeded: needed })
    // An independent count: who has approved this version, and who is without the role.
    const approved = new Set<Session>()
    const withoutRole = new Set<Session>()
    let effects = 0
    const story: string[] = []
    const tell = (what: string) => story.push(what)

    const approve = async (person: Session) => {
      if (withoutRole.has(person)) return
      const others = [...approved].filter((other) => other !== person && !withoutRole.has(other))
      const prepared = await desk.prepare(person, decision({ ifMatch: `"${version}"` }))
      tell(`${person.person.name} approves version ${version}: ${prepared.kind}`)
      expect(prepared.kind, story.join("\n")).toBe(others.length + 1 >= needed ? "send" : "held")
      if (prepared.kind !== "send") return void approved.add(person)
      const answers = [{ kind: "problem", status: 429 }, { kind: "none" }, decided, { kind: "none" }] as const
      const answer = pick(answers.length)
      if (answer >= 2) effects++
      item.isPending = answer < 2
      tell(`the service answers ${answer}`)
      await prepared.storeOutcome(answers[answer] ?? { kind: "none" })
    }
    const withdraw = async (person: Session) => {
      const answer = await desk.withdraw(person)
      tell(`${person.person.name} withdraws: ${answer}`)
      if (approved.delete(person)) expect(answer, story.join("\n")).toBe(204)
    }
    const regroup = async (person: Session) => {
      if (!withoutRole.delete(person)) withoutRole.add(person)
      tell(`${person.person.name} ${withoutRole.has(person) ? "loses" : "gets"} the role`)
      await desk.regroup(person, withoutRole.has(person) ? ["ops"] : ["finance"])
    }
    const decline = async (person: Session) => {
      tell(`${person.person.name} declines`)
      item.isPending = false
      await desk.send(
        person,
        decision({ decide: "decline", ifMatch: `"${version}"` }),
        success(approval({ version: 9 })),
      )
    }

    for (const person of people) await desk.prepare(person, creation())
    for (let step = 0; step < 25 && item.isPending; step++) {
      const person = people[pick(people.length)] ?? ada
      desk.approvals = [approval({ version })]
      const what = pick(20)
      if (what < 10) await approve(person)
      else if (what < 12) await withdraw(person)
      else if (what < 14) await regroup(person)
      else if (what < 16) desk.rules({ approvalsNeeded: (needed = 2 + pick(3)) })
      else if (what < 18) {
        version++
        approved.clear()
      } else if (what === 19 && step > 10) await decline(person)
    }
    expect(effects).toBeLessThanOrEqual(1)
    expect((await verify(desk.database)).faults).toEqual([])
  }
})

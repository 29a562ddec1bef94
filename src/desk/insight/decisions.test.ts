import { expect, test } from "vitest"
import { forgetPerson } from "../people/administration.ts"
import { Directory } from "../people/directory.ts"
import { signedIn } from "../people/testing/signed-in.ts"
import type { RecordedDecision } from "../record/recorded-decisions.ts"
import { Decisions } from "./decisions.ts"
import { KnownApprovals } from "./known-approvals.ts"

const decision = (sequence: number, at: number): RecordedDecision => ({
  sequence,
  workId: "w",
  approvalId: `a${sequence}`,
  decision: "approve",
  at,
  personId: `person-${sequence}`,
})

test("the name of who decided is read when it is shown, so a forgotten person's name is shown no more", async () => {
  const { database, provider, session } = await signedIn()
  const decided = { ...decision(1, 1), personId: session.person.id }
  const directory = new Directory(database, provider.issuer)
  const decisions = new Decisions((after) => Promise.resolve([decided].filter(() => after === 0)), directory)
  await decisions.refresh()
  expect(decisions.personOf("w", "a1")).toBe("Ada Lovelace")
  await forgetPerson(database, session.person.id)
  const now = async () => {
    await decisions.refresh()
    return decisions.personOf("w", "a1")
  }
  await expect.poll(now).toBe("a former person")
})

test("many who ask at once share one read, and later reads ask only for what is new, whatever the clocks say", async () => {
  const stored = [decision(2, 1_000_000)]
  const asked: number[] = []
  const decisions = new Decisions(async (after) => {
    asked.push(after)
    await new Promise(setImmediate)
    return stored.filter(({ sequence }) => sequence > after)
  }, undefined)
  await Promise.all(Array.from({ length: 20 }, () => decisions.refresh()))
  // The clock of another desk is ten minutes behind.
  stored.push(decision(4, 400_000))
  await decisions.refresh()
  expect(asked).toEqual([0, 2])
  expect(decisions.since(0, new KnownApprovals(undefined), () => true).decisions).toHaveLength(2)
})

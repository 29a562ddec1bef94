import { expect, test } from "vitest"
import type { RecordedDecision } from "../record/recorded-decisions.ts"
import { Decisions } from "./decisions.ts"
import { KnownApprovals } from "./known-approvals.ts"

const decision = (sequence: number, at: number): RecordedDecision => ({
  sequence,
  workId: "w",
  approvalId: `a${sequence}`,
  decision: "approve",
  at,
  person: `Person ${sequence}`,
})

test("many who ask at once share one read, and later reads ask only for what is new, whatever the clocks say", async () => {
  const stored = [decision(2, 1_000_000)]
  const asked: number[] = []
  const decisions = new Decisions(async (after) => {
    asked.push(after)
    await new Promise(setImmediate)
    return stored.filter(({ sequence }) => sequence > after)
  })
  await Promise.all(Array.from({ length: 20 }, () => decisions.refresh()))
  // The clock of another desk is ten minutes behind.
  stored.push(decision(4, 400_000))
  await decisions.refresh()
  expect(asked).toEqual([0, 2])
  expect(decisions.personOf("w", "a4")).toBe("Person 4")
  expect(decisions.since(0, new KnownApprovals(undefined), () => true).decisions).toHaveLength(2)
})

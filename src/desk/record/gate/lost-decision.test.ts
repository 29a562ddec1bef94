import { expect, it } from "vitest"
import { isLostDecision } from "./idempotency-keys.ts"

const PENDING = { isPending: true, version: 3n }
const DECIDED = { isPending: false, version: 4n }

it.each<[what: string, outcomes: readonly string[], approval: typeof PENDING | undefined, isLost: boolean]>([
  ["a first attempt", [], DECIDED, false],
  ["a lost attempt, and the approval is decided", ["unknown"], DECIDED, true],
  ["a lost attempt, and the approval is not listed any more", ["unknown"], undefined, true],
  ["a lost attempt, and the approval has a new version", ["unknown"], { isPending: true, version: 4n }, true],
  ["a lost attempt that had no effect: the approval is pending in the same version", ["unknown"], PENDING, false],
  ["two lost attempts", ["unknown", "unknown"], DECIDED, true],
  ["a lost attempt and a refused one", ["unknown", "refused"], DECIDED, false],
])("%s", (_, outcomes, approval, isLost) => {
  const sentBefore = outcomes.map((outcome) => ({ outcome }))
  expect(isLostDecision(sentBefore, approval, 3n)).toBe(isLost)
})

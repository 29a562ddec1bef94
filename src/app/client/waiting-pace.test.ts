import { expect, test } from "vitest"
import { DeskError, unreachable } from "./desk-error.ts"
import { type AskedWaiting, FIRST_PACE, mayHold, paceAfter, type WaitingPace } from "./waiting-pace.ts"

const AT = 1_000_000
const problem = (status: number, retryAt?: number) =>
  new DeskError({ kind: "problem", title: "", detail: "", status, retryAt })
const cut = unreachable(undefined)
const notHeld: WaitingPace = { ...FIRST_PACE, notHeldAt: AT - 60_000 }
const held = { wait: true, outcome: "changed", tookMs: 9_000 } as const
const plain = { wait: false, outcome: "changed", tookMs: 40 } as const

test.each<
  [
    what: string,
    asked: Partial<AskedWaiting>,
    before: WaitingPace,
    pauseMs: number,
    holdsNext: boolean,
    isShown: boolean,
  ]
>([
  ["a change after seconds", held, FIRST_PACE, 0, true, false],
  ["a change at once", { ...held, tookMs: 40 }, FIRST_PACE, 210, true, false],
  ["nothing new within 25 s", { ...held, outcome: "unchanged", tookMs: 25_000 }, FIRST_PACE, 0, true, false],
  ["a desk that does not hold, once", { ...held, outcome: "unchanged", tookMs: 40 }, FIRST_PACE, 210, true, false],
  ["and once more within two minutes", { ...held, outcome: "unchanged", tookMs: 40 }, notHeld, 10_000, false, false],
  ["a desk that does not know `wait`", { ...held, outcome: problem(400), tookMs: 40 }, FIRST_PACE, 10_000, false, true],
  ["a held request that is cut", { ...held, outcome: cut }, FIRST_PACE, 0, false, false],
  ["and cut again", { ...held, outcome: cut }, notHeld, 0, false, false],
  ["a desk that is away", { ...plain, outcome: cut }, FIRST_PACE, 5_000, false, true],
  ["a held request that fails at once", { ...held, outcome: cut, tookMs: 20 }, FIRST_PACE, 5_000, false, true],
  ["the first answer, without a wait", plain, FIRST_PACE, 210, true, false],
  ["an answer without an ETag", { ...plain, hasAnswer: false }, FIRST_PACE, 10_000, true, false],
  ["a refused credential", { ...plain, outcome: problem(401) }, FIRST_PACE, 30_000, false, true],
  ["an older desk without this address", { ...plain, outcome: problem(404) }, FIRST_PACE, 10_000, false, true],
  ["a Retry-After", { ...plain, outcome: problem(429, AT + 7_000) }, FIRST_PACE, 7_050, false, true],
  ["a Retry-After that is over", { ...plain, outcome: problem(503, AT - 7_000) }, FIRST_PACE, 250, false, true],
  ["a change while no tab is visible", { ...held, isShown: false }, FIRST_PACE, 6_000, true, false],
])("after %s", (_, asked, before, pauseMs, holdsNext, isShown) => {
  const next = paceAfter(before, { ...plain, endedAt: AT, hasAnswer: true, isShown: true, ...asked })
  expect(next.pauseMs).toBe(pauseMs)
  expect(mayHold(next.pace, AT)).toBe(holdsNext)
  expect(next.error !== undefined).toBe(isShown)
})

test("a desk that held nothing is asked to hold again after ten minutes", () => {
  const { pace } = paceAfter(notHeld, {
    ...held,
    outcome: "unchanged",
    tookMs: 40,
    endedAt: AT,
    hasAnswer: true,
    isShown: true,
  })
  expect([mayHold(pace, AT + 599_000), mayHold(pace, AT + 600_000)]).toEqual([false, true])
})

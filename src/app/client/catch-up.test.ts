import { expect, test } from "vitest"
import type { Waiting } from "../../contract/desk.ts"
import { fakeApproval, fakeWork, workJson } from "../../waiting/simulation.ts"
import { CatchUp } from "./catch-up.ts"

/** An answer of the desk in which Works numbered so wait for an approval each. */
function answer(numbers: readonly number[], rest: Partial<Waiting>): Waiting {
  const approvals = numbers.map((at) => {
    const created_at = new Date(at * 1_000).toISOString()
    return { work: workJson(fakeWork(`w${at}`, at)), item: fakeApproval(`a${at}`, { created_at }) }
  })
  const total = numbers.length
  return JSON.parse(
    JSON.stringify({ attention: [], approvals, checked: total, total, complete: true, oldest_check_at: null, ...rest }),
  )
}

const idsOf = ({ approvals }: Waiting) => approvals.map(({ item }) => item.id)

function follow() {
  let now = 0
  const catchUp = new CatchUp(() => now)
  return {
    take: (numbers: readonly number[], rest: Partial<Waiting> = {}) => catchUp.take(answer(numbers, rest)),
    pass: (ms: number) => (now += ms),
  }
}

test("what waited stays while a new desk checks, and leaves when the desk has checked all Work without it", () => {
  const { take } = follow()
  take([1, 2, 3])
  const first = take([], { checked: 0, total: 0, complete: false })
  expect([idsOf(first), first.checked, first.complete]).toEqual([["a1", "a2", "a3"], 0, false])
  expect(idsOf(take([4], { checked: 1, total: 4, complete: false }))).toEqual(["a1", "a2", "a3", "a4"])
  expect(idsOf(take([2, 4], { checked: 2, total: 4, complete: false }))).toEqual(["a1", "a2", "a3", "a4"])
  expect(idsOf(take([2, 4], { checked: 4, total: 4 }))).toEqual(["a2", "a4"])
})

test("what waited stays for as long as the new desk cannot read the list", () => {
  const { take, pass } = follow()
  take([1])
  for (let hours = 0; hours < 5; hours++) {
    expect(idsOf(take([], { checked: 0, total: 0, complete: false }))).toEqual(["a1"])
    pass(3_600_000)
  }
})

test("a desk that does not catch up within a minute is believed", () => {
  const { take, pass } = follow()
  take([1, 2])
  expect(idsOf(take([2], { checked: 1, total: 2, complete: false }))).toEqual(["a1", "a2"])
  pass(61_000)
  expect(idsOf(take([2], { checked: 1, total: 3, complete: false }))).toEqual(["a2"])
})

test("new Work that is not checked yet keeps nothing that was resolved", () => {
  const { take } = follow()
  take([1, 2])
  expect(idsOf(take([2], { checked: 2, total: 3, complete: false }))).toEqual(["a2"])
})

import { QueryClient } from "@tanstack/react-query"
import { afterEach, expect, test, vi } from "vitest"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval, fakeWork, workJson } from "../../desk/watcher/testing/simulation.ts"
import { keepUnchecked } from "./keep-unchecked.ts"
import { toWaiting, isWaiting, type Waiting, waitingKey } from "./waiting.ts"
import { removeResolved, writeWaiting } from "./write-waiting.ts"

afterEach(() => vi.restoreAllMocks())

/** An answer of the desk in which Works numbered so wait for an approval each. */
function answer(numbers: readonly number[], rest: Partial<Waiting>): Waiting {
  const approvals = numbers.map((at) => {
    const created_at = new Date(at * 1_000).toISOString()
    return { work: workJson(fakeWork(`w${at}`, at)), item: fakeApproval(`a${at}`, { created_at }) }
  })
  const total = numbers.length
  const whole = { attention: [], approvals, checked: total, total, complete: true, oldest_check_at: null, ...rest }
  const read = parseJson(JSON.stringify(whole))
  return isWaiting(read) ? toWaiting(read) : expect.unreachable()
}

const idsOf = ({ approvals }: Waiting) => approvals.map(({ item }) => item.id)

const incomplete = (numbers: readonly number[], checked: number, total: number) =>
  answer(numbers, { checked, total, complete: false })

test("what waited stays while a new desk checks; an item that both have is the new desk's", () => {
  const whole = answer([1, 2, 3], {})
  const first = keepUnchecked(whole, incomplete([], 0, 0), 0)
  expect([idsOf(first), first.checked, first.total, first.complete]).toEqual([["a1", "a2", "a3"], 0, 0, false])
  const next = keepUnchecked(whole, incomplete([2, 4], 2, 4), 1_000)
  expect(idsOf(next)).toEqual(["a1", "a2", "a3", "a4"])
  expect(next.approvals[1]?.item).not.toBe(whole.approvals[1]?.item)
})

test("what waited stays for as long as the new desk cannot read the list", () => {
  const whole = answer([1], {})
  for (const now of [0, 3_600_000, 7_200_000]) {
    expect(idsOf(keepUnchecked(whole, incomplete([], 0, 0), now))).toEqual(["a1"])
  }
})

test("a desk that does not catch up within a minute is believed", () => {
  const whole = answer([1, 2], {})
  expect(idsOf(keepUnchecked(whole, incomplete([2], 1, 2), 0))).toEqual(["a1", "a2"])
  expect(idsOf(keepUnchecked(whole, incomplete([2], 1, 2), 61_000))).toEqual(["a2"])
})

test("a resolved item stays away while the desk may still list it, and is forgotten when the desk no longer does", () => {
  const client = new QueryClient()
  const begun = performance.now()
  /** The ids on the screen after the answer of the desk in which these Works wait, so many milliseconds after the beginning. */
  const shownAfter = (numbers: readonly number[], passedMs: number) => {
    vi.spyOn(performance, "now").mockReturnValue(begun + passedMs)
    writeWaiting(client, { waiting: answer(numbers, {}), error: undefined })
    const { waiting } = client.getQueryData(waitingKey) ?? expect.unreachable()
    return idsOf(waiting ?? expect.unreachable())
  }
  expect(shownAfter([1, 2, 3], 0)).toEqual(["a1", "a2", "a3"])
  for (const { item } of answer([1, 2], {}).approvals) removeResolved(client, "approval", item)
  expect(shownAfter([3], 1_000)).toEqual(["a3"])
  // The answer of another replica.
  expect(shownAfter([1, 2, 3], 2_000)).toEqual(["a3"])
  expect(shownAfter([1, 3], 61_000)).toEqual(["a3"])
  expect(shownAfter([1, 2, 3], 62_000)).toEqual(["a2", "a3"])
})

import { renderHook } from "@testing-library/react"
import { describe, expect, it } from "vitest"
import { fakeApproval } from "../../desk/watcher/testing/simulation.ts"
import { parseJson } from "../../contract/int64.ts"
import type { Approval } from "../../contract/resources.ts"
import { useCards } from "./work-items.tsx"

/** Approvals with these ids that still wait, and others that were approved. */
const items = (pending: readonly string[], approved: readonly string[] = []) =>
  parseJson(
    JSON.stringify([
      ...pending.map((id) => fakeApproval(id, {})),
      ...approved.map((id) => fakeApproval(id, { status: "approved" })),
    ]),
  ) as readonly Approval[]

const named = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `a${from + index}`)

function render(first: readonly Approval[] | undefined, stays = (_id: string) => false) {
  return renderHook(({ read }) => useCards(read, stays), { initialProps: { read: first } })
}

describe("the cards of a Work's page", () => {
  it("keep an item in its place when it no longer waits, and join new items at the end", () => {
    const { result, rerender } = render(undefined)
    expect(result.current).toEqual({ ids: [], folded: 0 })
    rerender({ read: items(["a", "b", "c"]) })
    rerender({ read: items(["d", "c", "a"], ["b"]) })
    expect(result.current).toEqual({ ids: ["a", "b", "c", "d"], folded: 0 })
  })

  it("become one line, the oldest first, where more than 20 no longer wait", () => {
    const { result, rerender } = render(items(named(0, 25)))
    rerender({ read: items(["a0", "a24", "a25"]) })
    expect(result.current).toEqual({ ids: ["a0", ...named(4, 26)], folded: 3 })
    rerender({ read: items([], ["a0", "a4"]) })
    // The two that are listed as resolved are shown among the resolved items.
    expect(result.current).toEqual({ ids: named(6, 26), folded: 4 })
  })

  it("stay where something would be lost", () => {
    const { result, rerender } = render(items(named(0, 25)), (id) => id === "a3")
    rerender({ read: items([]) })
    expect(result.current).toEqual({ ids: ["a3", ...named(5, 25)], folded: 4 })
    for (let round = 1; round <= 20; round++) rerender({ read: items(named(25 * round, 25 * round + 25)) })
    expect(result.current.ids).toHaveLength(1 + 20 + 25)
  })
})

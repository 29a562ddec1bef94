import { act, renderHook } from "@testing-library/react"
import { describe, expect, it } from "vitest"
import { rowAfter, useInboxRows } from "./inbox-rows.ts"

type Item = { readonly key: string; readonly createdAt: string | undefined }

const item = (key: string, minute: number): Item => ({ key, createdAt: new Date(minute * 60_000).toISOString() })
const render = (items: readonly Item[], complete: boolean) =>
  renderHook(({ items, complete }) => useInboxRows(items, complete), { initialProps: { items, complete } })
const keysOf = ({ rows }: ReturnType<typeof useInboxRows<Item>>) =>
  rows.map(({ item: { key }, gone }) => (gone ? `${key} gone` : key))

describe("the rows of an inbox", () => {
  it("are sorted as they come until all Work has been checked, the oldest first", () => {
    const { result, rerender } = render([item("late", 9)], false)
    rerender({ items: [item("late", 9), item("early", 1)], complete: false })
    rerender({ items: [item("late", 9), item("early", 1), item("middle", 5)], complete: true })
    expect(keysOf(result.current)).toEqual(["early", "middle", "late"])
  })

  it("do not move once all Work is checked: the newest joins at the end, the others wait for a click", () => {
    const { result, rerender } = render([item("b", 2), item("d", 4)], true)
    rerender({ items: [item("b", 2), item("d", 4), item("a", 1), item("e", 5)], complete: true })
    expect(keysOf(result.current)).toEqual(["b", "d", "e"])
    expect(result.current.notShown).toBe(1)
    act(() => result.current.showAll())
    expect(keysOf(result.current)).toEqual(["a", "b", "d", "e"])
    expect(result.current.notShown).toBe(0)
  })

  it("stay in place as tombstones, also while a later answer is not complete", () => {
    const { result, rerender } = render([item("a", 1), item("b", 2), item("c", 3)], true)
    rerender({ items: [item("a", 1), item("c", 3)], complete: false })
    expect(keysOf(result.current)).toEqual(["a", "b gone", "c"])
    act(() => result.current.drop("b"))
    expect(keysOf(result.current)).toEqual(["a", "c"])
  })

  it("lead to the next item that waits, and from the last to the first", () => {
    const { result, rerender } = render([item("a", 1), item("b", 2), item("c", 3)], true)
    rerender({ items: [item("a", 1), item("c", 3)], complete: true })
    const { rows } = result.current
    expect(rowAfter(rows, "a")?.key).toBe("c")
    expect(rowAfter(rows, "c")?.key).toBe("a")
    expect(rowAfter(rows.slice(0, 1), "a")).toBeUndefined()
  })
})

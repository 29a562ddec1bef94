import { act, renderHook } from "@testing-library/react"
import { describe, expect, it } from "vitest"
import { rowAfter, useInboxRows } from "./steady-rows.ts"

type Props = {
  readonly keys: string
  readonly frozen?: boolean
  readonly chosen?: string
  readonly view?: string
  /** What waits and is left out by a filter. */
  readonly filtered?: string
  /** The keys of items that wait and are not in the list. */
  readonly others?: string
}

/** Each letter of `keys` is the key of an item. */
const render = (first: Props) => {
  const made = new Map<string, { key: string }[]>()
  const itemsOf = (keys: string) =>
    made.get(keys) ??
    made
      .set(
        keys,
        Array.from(keys, (key) => ({ key })),
      )
      .get(keys) ??
    []
  return renderHook(
    ({ keys, frozen = true, chosen, view = "", others = "", filtered = "" }: Props) =>
      useInboxRows(itemsOf(keys), {
        frozen,
        chosen,
        view,
        waiting: new Set(keys + others + filtered),
        unfiltered: itemsOf(keys + filtered),
      }),
    { initialProps: first },
  )
}
const keysOf = ({ rows }: { rows: ReturnType<typeof useInboxRows<{ key: string }>>["rows"] }) =>
  rows.map(({ item: { key }, gone }) => (gone ? key.toUpperCase() : key)).join("")

describe("the rows of an inbox", () => {
  it("lets tombstones go where they are many, counts them, and keeps the chosen one", () => {
    const all = "abcdefghijklmnopqrstuvwxyz"
    const { result, rerender } = render({ keys: all, chosen: "c" })
    rerender({ keys: "yz", chosen: "c" })
    expect(keysOf(result.current)).toBe("Cyz")
    expect(result.current.folded).toBe(23)
    rerender({ keys: "z", chosen: "c" })
    expect(keysOf(result.current)).toBe("Cz")
    expect(result.current.folded).toBe(24)
  })

  it("follow what is known until somebody reads the list: only the chosen item becomes a tombstone", () => {
    const { result, rerender } = render({ keys: "bcd", frozen: false, chosen: "c" })
    rerender({ keys: "abe", frozen: false, chosen: "c" })
    expect(keysOf(result.current)).toBe("abCe")
    expect(result.current.notShown).toBe(0)
    rerender({ keys: "abe", frozen: true, chosen: "a" })
    rerender({ keys: "be", frozen: true, chosen: "a" })
    expect(keysOf(result.current)).toBe("AbCe")
  })

  it("are there when the first items come after a person has pressed a key", () => {
    const { result, rerender } = render({ keys: "" })
    rerender({ keys: "ab" })
    expect(keysOf(result.current)).toBe("ab")
  })

  it("do not move while somebody reads: the last joins at the end, the others wait for a click", () => {
    const { result, rerender } = render({ keys: "bd" })
    rerender({ keys: "abcde" })
    expect(keysOf(result.current)).toBe("bde")
    expect(result.current.notShown).toBe(2)
    act(() => result.current.showAll())
    expect(keysOf(result.current)).toBe("abcde")
    expect(result.current.notShown).toBe(0)
  })

  it("stay in place as tombstones, also when all are shown, until they are dropped", () => {
    const { result, rerender } = render({ keys: "abcd" })
    rerender({ keys: "xad" })
    expect(keysOf(result.current)).toBe("aBCd")
    act(() => result.current.showAll())
    expect(keysOf(result.current)).toBe("xaBCd")
    act(() => result.current.drop("b"))
    expect(keysOf(result.current)).toBe("xaCd")
    rerender({ keys: "xabd" })
    expect(keysOf(result.current)).toBe("xaCd")
    expect(result.current.notShown).toBe(1)
  })

  it("leave no tombstone where they only left the list, and begin anew in another view", () => {
    const { result, rerender } = render({ keys: "abcd" })
    rerender({ keys: "ad", others: "b" })
    expect(keysOf(result.current)).toBe("aCd")
    rerender({ keys: "da", others: "b", view: "for=mine" })
    expect(keysOf(result.current)).toBe("da")
  })

  it("keep their place where a filter leaves them out, until the person moves on with a key", () => {
    const { result, rerender } = render({ keys: "abcde" })
    rerender({ keys: "ade", filtered: "bc", chosen: "b" })
    expect(keysOf(result.current)).toBe("abcde")
    act(() => result.current.dropLeftOut("d"))
    rerender({ keys: "ade", filtered: "bc", chosen: "d" })
    expect(keysOf(result.current)).toBe("ade")
  })

  it("keep their place where a filter leaves them out, until the view changes", () => {
    const { result, rerender } = render({ keys: "abcd" })
    rerender({ keys: "ad", filtered: "bc" })
    expect(keysOf(result.current)).toBe("abcd")
    rerender({ keys: "ad", filtered: "bc", view: "for=mine" })
    expect(keysOf(result.current)).toBe("ad")
  })

  it("have the chosen item and the item that the person has brought back at once", () => {
    const { result, rerender } = render({ keys: "bd", others: "ac" })
    act(() => result.current.bringBack("a"))
    rerender({ keys: "abd", others: "c" })
    expect(keysOf(result.current)).toBe("abd")
    rerender({ keys: "ab", others: "c", chosen: "c" })
    rerender({ keys: "abc", chosen: "c" })
    expect(keysOf(result.current)).toBe("abDc")
  })

  it("lead to the next item that waits, and from the last to the first", () => {
    const { result, rerender } = render({ keys: "abc" })
    rerender({ keys: "ac" })
    const { rows } = result.current
    expect(rowAfter(rows, "a")?.key).toBe("c")
    expect(rowAfter(rows, "c")?.key).toBe("a")
    expect(rowAfter(rows.slice(0, 1), "a")).toBeUndefined()
  })
})

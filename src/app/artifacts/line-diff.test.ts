import { describe, expect, it } from "vitest"
import { compareLines } from "./line-diff.ts"

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`)

describe("the comparison of two texts", () => {
  it("marks what changed, with a few equal lines around it", () => {
    const before = numbered(30)
    const lines = compareLines(before.join("\n"), before.with(15, "new").join("\n"))
    if (lines === "too-different") throw new Error(lines)
    expect(lines.map((line) => ("text" in line ? `${line.kind} ${line.text}` : line.count))).toEqual([
      12,
      "same line 12",
      "same line 13",
      "same line 14",
      "removed line 15",
      "added new",
      "same line 16",
      "same line 17",
      "same line 18",
      11,
    ])
  })

  it("gives up on texts that have nothing in common", () => {
    const other = Array.from({ length: 5_000 }, (_, index) => `other ${index}`)
    expect(compareLines(numbered(5_000).join("\n"), other.join("\n"))).toBe("too-different")
  })

  it("has nothing to mark in equal texts", () => {
    expect(compareLines("a\nb\n", "a\nb\n")).toEqual([{ kind: "left-out", count: 2 }])
  })
})

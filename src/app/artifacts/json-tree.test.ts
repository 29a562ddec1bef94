import { describe, expect, it } from "vitest"
import { ExactNumber, membersOf, readJson } from "./json-tree.ts"

describe("JSON", () => {
  it("keeps every number as it was written", () => {
    const members = membersOf(readJson('{"big": 9007199254740993, "rate": 1.10, "plain": 7}')?.value)
    expect(members).toEqual([
      ["big", new ExactNumber("9007199254740993")],
      ["rate", new ExactNumber("1.10")],
      ["plain", 7],
    ])
  })

  it("has members of any name, and never sets a prototype", () => {
    expect(membersOf(readJson('{"__proto__": {"x": 1}}')?.value)).toEqual([["__proto__", { x: 1 }]])
    expect(Reflect.get({}, "x")).toBeUndefined()
  })

  it("is undefined where the text is not JSON, or is nested too deeply", () => {
    expect(readJson("{'a': 1}")).toBeUndefined()
    expect(readJson("[".repeat(1_000_000))).toBeUndefined()
  })
})

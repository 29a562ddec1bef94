import { describe, expect, it } from "vitest"
import { layOutJson, onOneLine } from "./json-text.ts"

describe("JSON laid out", () => {
  it("is what JSON.stringify makes of it", () => {
    const value = { a: 1, b: [1, "x,y:{}", { c: null }], d: {}, e: [], f: '"\\\n', g: true }
    expect(layOutJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2))
    expect(layOutJson(JSON.stringify(value, undefined, 7))).toBe(JSON.stringify(value, undefined, 2))
  })

  it("keeps every token as it was sent", () => {
    const laidOut = layOutJson('{"n":9007199254740993,"f":1.0,"e":1E5,"e":"\\u202e"}')
    expect(laidOut).toBe('{\n  "n": 9007199254740993,\n  "f": 1.0,\n  "e": 1E5,\n  "e": "\\u202e"\n}')
  })

  it("takes the beginning of a text, and what is no JSON, without failing", () => {
    expect(layOutJson('{"a":[1,"unfinished')).toBe('{\n  "a": [\n    1,\n    "unfinished')
    expect(layOutJson("}}]")).toContain("}")
  })

  it("fits on a line without a change of meaning", () => {
    expect(JSON.parse(onOneLine('{"a":\r\n[1,\n2]}'))).toEqual({ a: [1, 2] })
  })
})

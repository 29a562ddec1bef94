import { describe, expect, it } from "vitest"
import { isJson, layOutJson, onOneLine } from "./json-text.ts"

describe("JSON laid out", () => {
  it("is what JSON.stringify makes of it", () => {
    const value = { a: 1, b: [1, "x,y:{}", { c: null }], d: {}, e: [], f: '"\\\n', g: true }
    expect(layOutJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2))
    expect(layOutJson(JSON.stringify(value, undefined, 7))).toBe(JSON.stringify(value, undefined, 2))
  })

  it("has a line for each member, with every number, name and order as it was written", () => {
    const text = '{"b":9007199254740993,"2":1.10,"1":[],"b" :{ }, "__proto__":{"a\\"}":[ 1,\n2 ]}}'
    expect(layOutJson(text)).toBe(`{
  "b": 9007199254740993,
  "2": 1.10,
  "1": [],
  "b": {},
  "__proto__": {
    "a\\"}": [
      1,
      2
    ]
  }
}`)
  })

  it("takes the beginning of a text, and what is no JSON, without failing", () => {
    expect(layOutJson('{"a":[1,"unfinished')).toBe('{\n  "a": [\n    1,\n    "unfinished')
    expect(layOutJson("}}]")).toContain("}")
  })

  it("fits on a line without a change of meaning", () => {
    expect(JSON.parse(onOneLine('{"a":\r\n[1,\n2]}'))).toEqual({ a: [1, 2] })
  })

  it("stays small where it is deep", () => {
    const deep = "[".repeat(2_000) + "]".repeat(2_000)
    expect(layOutJson(deep).length).toBeLessThan(deep.length * 100)
  })

  it("is known from what is no JSON", () => {
    expect(isJson("{'a': 1}")).toBe(false)
    expect(isJson('{"f":1.0,"e":"\\u202e"}')).toBe(true)
  })
})

import { expect, test } from "vitest"
import { parseBody } from "./json-object.ts"

test.each([
  ['{"decision":"approve","comment":"a \\" b: {"}', { decision: "approve", comment: 'a " b: {' }],
  [' {"a" : [{"b":1},{"b":2}], "c":{"a":3}} ', { a: [{ b: 1 }, { b: 2 }], c: { a: 3 } }],
  ['{"a":"a","b":["a","a"]}', { a: "a", b: ["a", "a"] }],
])("%s is read", (text, value) => expect(parseBody(Buffer.from(text))).toEqual(value))

test.each([
  ['{"decision":"approve","decision":"approve"}'],
  ['{"decision":"decline","d\\u0065cision":"approve"}'],
  ['{"decision":"decline","Decision":"approve"}'],
  ['{"decision":"decline","deci\u{17f}ion":"approve"}'],
  ['{"a":{"b":1,"b" :2}}'],
  ['[{"a":1}]'],
  ["null"],
  ['"text"'],
  [""],
  ['{"a":1} {"a":2}'],
  ['\u{feff}{"a":1}'],
])("%j is refused", (text) => expect(parseBody(Buffer.from(text))).toBeUndefined())

test("a body that is not UTF-8 is refused", () => {
  expect(parseBody(Buffer.from('{"comment":"\u{e9}"}', "latin1"))).toBeUndefined()
  expect(parseBody(Buffer.from('{"a":1}', "utf16le"))).toBeUndefined()
})

test.each([
  ["a long text", (length: number) => `{"content":"${"x".repeat(length)}"}`],
  ["deep arrays", (length: number) => `{"a":${"[".repeat(length / 5)}${"]".repeat(length / 5)}}`],
  ["many texts", (length: number) => `{"a":[${'"",'.repeat(length / 3)}""]}`],
])("the time for %s grows with the length of the body, and not with its square", (_, bodyOf) => {
  const bestOf = (length: number): number => {
    const body = Buffer.from(bodyOf(length))
    const times = Array.from({ length: 5 }, () => {
      const began = performance.now()
      expect(parseBody(body)).toBeDefined()
      return performance.now() - began
    })
    return Math.min(...times)
  }
  bestOf(30_000)
  // Ten times the length takes about ten times as long; with the square of the length it would take a hundred times as long.
  expect(bestOf(900_000)).toBeLessThan(50 * bestOf(90_000))
})

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

// With the square of its length such a text would take hours.
test.each([
  ["a long text", `{"content":"${"x".repeat(900_000)}"}`],
  ["deep arrays", `{"a":${"[".repeat(180_000)}${"]".repeat(180_000)}}`],
  ["many texts", `{"a":[${'"",'.repeat(300_000)}""]}`],
])("%s of nearly a megabyte ends before the test's time is over", (_, text) => {
  expect(parseBody(Buffer.from(text))).toBeDefined()
})

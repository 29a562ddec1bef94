import { expect, test } from "vitest"
import { document, resolve } from "./testing/openapi.ts"
import { MAX_INT64, parseInt64, parseJson, stringifyJson } from "./int64.ts"

const schemas = resolve(resolve(document["components"], "components")["schemas"], "schemas")
const properties = Object.values(schemas).flatMap((schema) =>
  Object.entries(resolve(resolve(schema, "schema")["properties"] ?? {}, "properties")),
)

test("every int64 member of openapi.yaml becomes a bigint, and no other member does", () => {
  const isInt64 = ([, schema]: [string, unknown]) => resolve(schema, "property")["format"] === "int64"
  expect(new Set(properties.filter(isInt64).map(([name]) => name)).size).toBeGreaterThan(0)
  for (const property of properties) {
    const [name] = property
    expect(parseJson(`{"${name}":7}`), name).toEqual({ [name]: isInt64(property) ? 7n : 7 })
  }
})

test.each(["1", "9007199254740991", "9007199254740993", "9223372036854775807", "-9223372036854775808"])(
  "%s stays exact through parsing and writing",
  (digits) => {
    const text = `{"data":[{"version":${digits}}]}`
    expect(parseJson(text)).toEqual({ data: [{ version: BigInt(digits) }] })
    expect(stringifyJson(parseJson(text))).toBe(text)
  },
)

test("an integer beyond 2^53 - 1 is exact as every member, in a list and as the whole value", () => {
  expect(parseJson(`{"sequence":9007199254740992,"list":[-9007199254740993,3]}`)).toEqual({
    sequence: 9007199254740992n,
    list: [-9007199254740993n, 3],
  })
  expect(parseJson("12345678901234567890123")).toBe(12345678901234567890123n)
})

test("an int64 member is a bigint in every spelling that JSON allows", () => {
  expect(parseJson(`[{"version":1e3},{"version":3.0},{"version":-0},{"version":25E-0}]`)).toEqual([
    { version: 1000n },
    { version: 3n },
    { version: 0n },
    { version: 25n },
  ])
})

test("an int64 member whose value is no integer stays unchanged", () => {
  const text = `[{"version":1.5},{"version":"7"},{"version":null},{"version":[1]},{"version":{"a":1}},{"version":true}]`
  expect(parseJson(text)).toEqual(JSON.parse(text))
})

test("other numbers stay numbers, minus zero and what a double cannot hold included", () => {
  expect(parseJson(`[-0,1e3,0.1,1e400,9007199254740993.5]`)).toEqual([-0, 1000, 0.1, Infinity, 9007199254740994])
})

test("a property named __proto__ is a property like any other", () => {
  const value = parseJson(`{"__proto__":{"version":1},"constructor":2}`)
  expect(Object.keys(Object(value))).toEqual(["__proto__", "constructor"])
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(stringifyJson(value)).toBe(`{"__proto__":{"version":1},"constructor":2}`)
})

test("a text that is not JSON is refused", () => {
  for (const text of ["", "{", "[01]", "1n", "NaN", `{"version":+1}`])
    expect(() => parseJson(text), text).toThrow(SyntaxError)
})

test("everything else is written as JSON.stringify writes it", () => {
  const value = { text: "é\n\u2028\ud800", list: [1, null, true], nested: { version: 2n }, left: undefined }
  expect(stringifyJson(value)).toBe(
    String.raw`{"text":"é\n${"\u2028"}\ud800","list":[1,null,true],"nested":{"version":2}}`,
  )
  expect(stringifyJson({ size: 1n }, 2)).toBe(`{\n  "size": 1\n}`)
})

test("an int64 parameter is plain decimal digits up to 2^63 - 1", () => {
  expect(["0", "7", "9007199254740993", "9223372036854775807"].map(parseInt64)).toEqual([
    0n,
    7n,
    9007199254740993n,
    MAX_INT64,
  ])
  const refused = [
    "",
    " ",
    "01",
    "00",
    "-0",
    "-1",
    "+1",
    "1e3",
    "1.0",
    "0x1",
    "1n",
    " 1",
    "1 ",
    "1\n",
    "1_0",
    "٣",
    "9223372036854775808",
  ]
  for (const text of [...refused, "9".repeat(1000)]) expect(parseInt64(text), text).toBeUndefined()
})

test("an integer of a thousand digits stays as it was written, and a longer one is never made a bigint", () => {
  const digits = "9".repeat(100_000)
  expect(stringifyJson(parseJson(`{"size":${digits},"other":[${digits}]}`))).toBe(
    `{"size":${digits},"other":[${digits}]}`,
  )
  expect(typeof parseJson(digits)).toBe("object")
})

import { expect, test } from "vitest"
import * as v from "valibot"
import { readQuery, wholeNumber } from "./query-parameters.ts"

const schema = v.object({
  work: v.pipe(v.string(), v.minLength(1)),
  sort: v.optional(v.picklist(["due", "newest"])),
  limit: v.optional(wholeNumber(1, 100), "20"),
})

test("reads what the schema names, decoded, and ignores the rest, also when it is given twice", () => {
  expect(readQuery(schema, "work=a%20b&_=1&_=2&sort=due")).toEqual({ work: "a b", sort: "due", limit: 20 })
  expect(readQuery(schema, "work=1&limit=100")).toEqual({ work: "1", limit: 100 })
})

test.each([
  ["", "work is missing."],
  ["work=", "work has an invalid value. Expected: a length of at least 1."],
  ["work=1&work=1", "work appears twice."],
  ["work=1&sort=late", 'sort has an invalid value. Expected: "due" or "newest".'],
  ["work=1&sort=", 'sort has an invalid value. Expected: "due" or "newest".'],
  ["work=1&limit=0", "limit has an invalid value. Expected: at least 1."],
  ["work=1&limit=101", "limit has an invalid value. Expected: at most 100."],
  ...["-1", "1.5", "1e1", "0x1", "01", "%201", "1%0A", "", "x"].map((limit) => [
    `work=1&limit=${limit}`,
    "limit has an invalid value. Expected: at least 1.",
  ]),
])("%j is refused: %s", (query, detail) => {
  const answer = { status: 400, code: "PROXY_QUERY_INVALID", detail }
  expect(() => readQuery(schema, query)).toThrow(expect.objectContaining({ answer: expect.objectContaining(answer) }))
})

import { expect, test } from "vitest"
import * as v from "valibot"
import { readQuery } from "./query.ts"

const schema = v.object({ work: v.pipe(v.string(), v.minLength(1)), sort: v.optional(v.picklist(["due", "newest"])) })

test("reads what the schema names, decoded, and ignores the rest, also when it is given twice", () => {
  expect(readQuery(schema, "work=a%20b&_=1&_=2&sort=due")).toEqual({ work: "a b", sort: "due" })
  expect(readQuery(schema, "work=1")).toEqual({ work: "1" })
})

test.each([
  ["", "work"],
  ["work=", "work"],
  ["work=1&work=1", "work"],
  ["work=1&sort=late", "sort"],
  ["work=1&sort=", "sort"],
])("%j is refused with the name of %s", (query, name) => {
  const answer = { status: 400, code: "PROXY_QUERY_INVALID", detail: expect.stringMatching(`^${name} `) }
  expect(() => readQuery(schema, query)).toThrow(expect.objectContaining({ answer: expect.objectContaining(answer) }))
})

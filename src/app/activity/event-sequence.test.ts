import { expect, it } from "vitest"
import { readSequence } from "./event-connection.ts"

it.each([undefined, "", "seven", "-1", "1.5", "9223372036854775808", " 3"])("finds no sequence in %j", (id) => {
  expect(readSequence(id)).toBeUndefined()
  expect(readSequence("9223372036854775807")).toBe(9223372036854775807n)
})

import type { IncomingMessage } from "node:http"
import { expect, it } from "vitest"
import { faultFields } from "./request-log.ts"

const request = {
  url: "/api/v1/work/secret%2Did?cursor=secret-cursor",
  rawHeaders: ["Cookie", "secret-cookie", "X", "abc"],
} as Partial<IncomingMessage> as IncomingMessage

/** The error that `work` throws. */
function thrown(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

const nothing: { readonly member?: { readonly inner: string } } = {}

it.each([
  [() => (nothing.member as { inner: string }).inner, "Cannot read properties of undefined (reading 'inner')"],
  [() => JSON.parse('{"comment": secret-body}'), "is not valid JSON"],
  [() => BigInt("secret-body"), "Cannot convert … to a BigInt"],
  [() => Buffer.from(7 as never), "The first argument must be of type string"],
  [
    () => {
      throw new Error("no row of secret-id for secret-cookie and secret-cursor")
    },
    "no row of … for … and …",
  ],
  [
    () => {
      throw new TypeError('"a secret text" is wrong')
    },
    "… is wrong",
  ],
])("the message of a fault stays, without the values of the request: %#", (work, message) => {
  const { error, stack } = faultFields(thrown(work), request)
  expect(error).toContain(message)
  expect(error).not.toContain("secret")
  expect(stack).toMatch(/\n\s+at /)
  expect(stack).not.toContain("secret")
})

import { expect, test } from "vitest"
import { workIdOf } from "../work/work-id.ts"
import { inboxAddress, workAddress } from "./addresses.ts"

test.each(["a/b", "a%2Fb", "100%", "é 😀", "a?b#c"])("the address of the Work %j leads to it", (id) => {
  expect(workIdOf(workAddress(id))).toBe(id)
})

test("an id with half a character has an address, so that a list with it can be rendered", () => {
  expect(workIdOf(workAddress("a\uD800"))).toBe("a\uFFFD")
  expect(inboxAddress("/approvals", "a\uD800", "b")).toBe("/approvals?item=b&work=a%EF%BF%BD")
})

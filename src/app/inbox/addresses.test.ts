import { expect, test } from "vitest"
import { inboxAddress, workAddress, workIdOf } from "./addresses.ts"

test.each(["a/b", "a%2Fb", "a%2fb", "100%", "é 😀", "..x", "a?b#c"])("finds the id %j in its address again", (id) => {
  expect(workIdOf(workAddress(id))).toBe(id)
  expect(workIdOf(`${workAddress(id)}/`)).toBe(id)
})

test("takes what is no encoding as it is", () => {
  expect(workIdOf("/work/100%")).toBe("100%")
})

test("an id with half a character has an address, so that a list with it can be rendered", () => {
  expect(workIdOf(workAddress("a\uD800"))).toBe("a\uFFFD")
  expect(inboxAddress("/approvals", "a\uD800", "b")).toBe("/approvals?item=b&work=a%EF%BF%BD")
})

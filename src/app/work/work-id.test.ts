import { expect, test } from "vitest"
import { workIdOf } from "./work-id.ts"

test.each(["a/b", "a%2Fb", "a%2fb", "100%", "é 😀", "..x", "a?b#c"])("finds the id %j in its address again", (id) => {
  expect(workIdOf(`/work/${encodeURIComponent(id)}`)).toBe(id)
  expect(workIdOf(`/work/${encodeURIComponent(id)}/`)).toBe(id)
})

test("takes what is no encoding as it is", () => {
  expect(workIdOf("/work/100%")).toBe("100%")
})

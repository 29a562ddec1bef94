import { expect, test } from "vitest"
import { countText, totalOf } from "./waiting-counts.ts"

test.each([
  [undefined, ""],
  [{ count: 0, complete: true }, ""],
  [{ count: 3, complete: true }, "3"],
  [{ count: 3, complete: false }, "3+"],
  [{ count: 0, complete: false }, "0+"],
])("a count of %j reads %j", (waiting, text) => {
  expect(countText(waiting)).toBe(text)
})

test("the total is complete only when both inboxes are, and unknown until one inbox is known", () => {
  const three = { count: 3, complete: true }
  expect(totalOf({ clarifications: undefined, approvals: undefined })).toBeUndefined()
  expect(totalOf({ clarifications: three, approvals: undefined })).toEqual({ count: 3, complete: false })
  expect(totalOf({ clarifications: three, approvals: { count: 2, complete: false } })).toEqual({
    count: 5,
    complete: false,
  })
  expect(totalOf({ clarifications: three, approvals: three })).toEqual({ count: 6, complete: true })
})

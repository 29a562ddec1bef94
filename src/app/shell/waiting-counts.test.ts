import { expect, test } from "vitest"
import { countLabel, countText, totalOf } from "./waiting-counts.ts"

test.each([
  [undefined, ""],
  [{ count: 0, complete: true }, ""],
  [{ count: 3, complete: true }, "3"],
  [{ count: 3, complete: false }, "3+"],
  [{ count: 0, complete: false }, "0+"],
  [{ count: 3, complete: true, isOld: true }, "3?"],
  [{ count: 0, complete: true, isOld: true }, "0?"],
])("a count of %j reads %j", (waiting, text) => {
  expect(countText(waiting)).toBe(text)
})

test.each([
  [undefined, undefined],
  [{ count: 3, complete: true, aside: 0 }, undefined],
  [{ count: 3, complete: true, aside: 2 }, "Needs You 3 wait, 2 set aside"],
  [{ count: 0, complete: true, aside: 2 }, "Needs You 0 wait, 2 set aside"],
  [{ count: 3, complete: false, aside: 2 }, "Needs You 3+ wait, 2 set aside, not all Work is checked yet"],
  [{ count: 3, complete: true, isOld: true }, "Needs You 3?, as of the last update"],
])("a screen reader hears of %j as %j", (waiting, label) => {
  expect(countLabel("Needs You", waiting)).toBe(label)
})

test("the total is complete only when both inboxes are, and unknown until one inbox is known", () => {
  const three = { count: 3, complete: true }
  expect(totalOf({ clarifications: undefined, approvals: undefined })).toBeUndefined()
  expect(totalOf({ clarifications: three, approvals: undefined })).toMatchObject({ count: 3, complete: false })
  expect(totalOf({ clarifications: three, approvals: { count: 2, complete: false } })).toMatchObject({
    count: 5,
    complete: false,
  })
  expect(totalOf({ clarifications: three, approvals: three })).toMatchObject({ count: 6, complete: true })
})

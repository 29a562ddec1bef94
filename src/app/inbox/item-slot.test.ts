import { expect, test } from "vitest"
import { itemSlot } from "./item-slot.ts"

test("ids may hold any character, and none of them parts a slot", () => {
  expect(itemSlot("answer", "a/b", "c%2Fd")).toBe("answer/a%2Fb/c%252Fd")
  expect(itemSlot("approval", "half \ud800", "x")).toBe("approval/half%20%EF%BF%BD/x")
})

import { expect, test } from "vitest"
import { withChange } from "./fill-from.ts"

test("the wanted change stands below the objective, each of its lines quoted", () => {
  expect(withChange("Profile it.", "Shorter.\r\n\r\nTo Ana,\nnot to Ben.")).toBe(
    "Profile it.\n\nWhat should be different:\n> Shorter.\n> \n> To Ana,\n> not to Ben.",
  )
  expect(withChange("Profile it.", "")).toBe("Profile it.")
})

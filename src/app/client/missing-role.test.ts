// @vitest-environment happy-dom
import { expect, test } from "vitest"
import { operationsOf, ROLES, roleFor as roleOfTheDesk } from "../../people/roles.ts"
import { roleFor } from "./missing-role.ts"

test.each(operationsOf(ROLES))("the app and the desk name the same role for %s", (operation) => {
  expect(roleFor(operation)).toBe(roleOfTheDesk(operation))
})

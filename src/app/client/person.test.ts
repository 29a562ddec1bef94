import { expect, test } from "vitest"
import { operationsOf, ROLES, roleFor } from "../../people/roles.ts"
import { ROLE_OF } from "./person.ts"

test.each(operationsOf(ROLES))("the app and the desk name the same role for %s", (operation) => {
  expect(ROLE_OF[operation] ?? "reader").toBe(roleFor(operation))
})

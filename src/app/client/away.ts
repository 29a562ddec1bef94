/** When the person is away (docs/team.md, "While somebody is away"). `away-changes.ts`, which the first load does not have, changes it. */
import type { Away } from "../../contract/desk-people.ts"
import { deskQuery } from "./desk-request.ts"
import { answerWith, schemaOf, validOf } from "./schema.ts"

export const AWAY_ADDRESS = "/desk/away"

const someAway = answerWith<Away>("from", "until", "stand_in")
export const awaySchema = schemaOf(
  (value): value is Away | null => value === null || validOf(someAway, value) !== undefined,
)

/** When the person is away. Read once a visit. An older desk answers 404. */
export const awayOptions = deskQuery(["away"], AWAY_ADDRESS, awaySchema, {
  staleTime: Infinity,
  gcTime: Infinity,
  retry: (count, error) => count < 2 && error.status !== 404,
})

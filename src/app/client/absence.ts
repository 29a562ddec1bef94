/** When a person is away (docs/team.md, "While somebody is away"). `change-absence.ts`, which the first load does not have, changes it. */
import { queryOptions } from "@tanstack/react-query"
import type { Away } from "../../contract/desk-people.ts"
import type { DeskError } from "./desk-error.ts"
import { answerOf, askDesk, etagOf } from "./desk-request.ts"
import { answerWith, schemaOf, validOf } from "./value-schema.ts"

/** What is set, and the ETag that a change of it names. */
export type AwayRead = { readonly away: Away | null; readonly etag: string }

/** The ETag of no absence, which is no object and so has no member. */
const NO_ABSENCE = `"none"`

/** The address of an absence: the reader's own, or (for overseers) that of the person with this id. */
export const awayAddress = (person?: string) =>
  person === undefined ? "/desk/away" : `/desk/away?person=${encodeURIComponent(person)}`

const someAway = answerWith<Away>("from", "until", "stand_in")
const awaySchema = schemaOf((value): value is Away | null => value === null || validOf(someAway, value) !== undefined)

/** @throws DeskError */
export async function toAwayRead(answer: Response): Promise<AwayRead> {
  const away = await answerOf(answer, awaySchema)
  return { away, etag: away === null ? NO_ABSENCE : (etagOf(away, answer) ?? "") }
}

/** Read when the tab is shown, because another tab or an overseer may have changed it. An older desk answers 404. */
export const awayOptions = (person?: string) =>
  queryOptions<AwayRead, DeskError>({
    queryKey: ["away", person],
    queryFn: async ({ signal }) => toAwayRead(await askDesk(awayAddress(person), { signal })),
    staleTime: Infinity,
    gcTime: Infinity,
    refetchOnWindowFocus: "always",
    retry: (count, error) => count < 2 && error.status !== 404,
  })

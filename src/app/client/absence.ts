/** When a person is away (docs/team.md, "While somebody is away"). `change-absence.ts`, which the first load does not have, changes it. */
import { queryOptions } from "@tanstack/react-query"
import type { Absence } from "../../contract/desk-people.ts"
import type { DeskError } from "./desk-error.ts"
import { answerOf, askDesk, etagOf } from "./desk-request.ts"
import { answerWith, schemaOf, validOf } from "./value-schema.ts"

/** What is set, and the ETag that a change of it names. */
export type AbsenceAnswer = { readonly away: Absence | null; readonly etag: string }

/** The ETag while nobody is away. The answer is null then, and has no member `etag`. */
const NO_ABSENCE = `"none"`

/** The address of an absence: the reader's own, or (for overseers) that of the person with this id. */
export const absenceAddress = (person?: string) =>
  person === undefined ? "/desk/away" : `/desk/away?person=${encodeURIComponent(person)}`

const absenceMembers = answerWith<Absence>("from", "until", "stand_in")
const absenceSchema = schemaOf(
  (value): value is Absence | null => value === null || validOf(absenceMembers, value) !== undefined,
)

/** @throws DeskError */
export async function toAbsence(answer: Response): Promise<AbsenceAnswer> {
  const away = await answerOf(answer, absenceSchema)
  return { away, etag: away === null ? NO_ABSENCE : (etagOf(away, answer) ?? "") }
}

/** Read when the tab is shown, because another tab or an overseer may have changed it. An older desk answers 404. */
export const absenceOptions = (person?: string) =>
  queryOptions<AbsenceAnswer, DeskError>({
    queryKey: ["away", person],
    queryFn: async ({ signal }) => toAbsence(await askDesk(absenceAddress(person), { signal })),
    staleTime: Infinity,
    gcTime: Infinity,
    refetchOnWindowFocus: "always",
    retry: (count, error) => count < 2 && error.status !== 404,
  })

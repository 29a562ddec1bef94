import { useQueryClient } from "@tanstack/react-query"
import type { Assignees } from "../../contract/desk-people.ts"
import { absenceAddress, absenceOptions, type AbsenceAnswer, toAbsence } from "./absence.ts"
import { DeskError } from "./desk-error.ts"
import { askDesk, deskQuery } from "./desk-request.ts"
import { jsonRequest } from "./desk-writes.ts"
import { answerWith } from "./value-schema.ts"

/** Who can stand in. */
export const standInsOptions = deskQuery(["stand-ins"], "/desk/people", answerWith<Assignees>("people"))

/**
 * Makes the function that sets when a person is away; null ends the absence. `etag` names what the reader saw. If the absence has changed since,
 * nothing is written, and it is read again. Without `person`, it is the reader's own absence.
 */
export function useAbsenceWrite(person: string | undefined) {
  const client = useQueryClient()
  const { queryKey } = absenceOptions(person)
  return async (etag: string, away: AbsenceAnswer["away"]) => {
    try {
      const read = await toAbsence(
        await askDesk(absenceAddress(person), jsonRequest("PUT", away, { "if-match": etag })),
      )
      client.setQueryData(queryKey, read)
      return read
    } catch (error) {
      if (error instanceof DeskError && error.failure === "stale")
        await client.refetchQueries({ queryKey, exact: true })
      throw error
    }
  }
}

import { useQueryClient } from "@tanstack/react-query"
import type { Assignees } from "../../contract/desk-people.ts"
import { awayAddress, awayOptions, type AwayRead, toAwayRead } from "./absence.ts"
import { DeskError } from "./desk-error.ts"
import { askDesk, deskQuery } from "./desk-request.ts"
import { jsonRequest, useDeskMutation } from "./desk-writes.ts"
import { answerWith } from "./value-schema.ts"

/** Who can stand in. */
export const standInsOptions = deskQuery(["stand-ins"], "/desk/people", answerWith<Assignees>("people"))

/**
 * Says at the desk when a person is away, or (null) that they are not. The ETag is that of what is on the screen: where this has changed, nothing is
 * written, and what is set now is read. Without `person`: the reader's own absence.
 */
export function useAwayChange(person: string | undefined, onDone: () => void) {
  const client = useQueryClient()
  const { queryKey } = awayOptions(person)
  const write = async ({ away, etag }: AwayRead) => {
    try {
      return await toAwayRead(await askDesk(awayAddress(person), jsonRequest("PUT", away, { "if-match": etag })))
    } catch (error) {
      if (error instanceof DeskError && error.failure === "stale")
        await client.refetchQueries({ queryKey, exact: true })
      throw error
    }
  }
  return useDeskMutation(write, {
    onDone: (read) => {
      client.setQueryData(queryKey, read)
      onDone()
    },
  })
}

import { useQueryClient } from "@tanstack/react-query"
import type { Assignees, Away } from "../../contract/desk-people.ts"
import { AWAY_ADDRESS, awayOptions, awaySchema } from "./away.ts"
import { deskQuery } from "./desk-request.ts"
import { changeAtDesk, useDeskMutation } from "./desk-writes.ts"
import { answerWith } from "./schema.ts"

/** Who can stand in. */
export const standInsOptions = deskQuery(["stand-ins"], "/desk/people", answerWith<Assignees>("people"))

/** Says at the desk when the person is away, or (null) that they are not. */
export function useAwayChange(onDone: () => void) {
  const client = useQueryClient()
  const write = (away: Away | null) => changeAtDesk<Away | null>(AWAY_ADDRESS, awaySchema, () => away)
  return useDeskMutation(write, {
    onDone: (away) => {
      client.setQueryData(awayOptions.queryKey, away)
      onDone()
    },
  })
}

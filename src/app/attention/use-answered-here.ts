import { useMemo } from "react"
import { useDecided } from "../inbox/decided.ts"
import { intentName } from "../client/intent.ts"
import { itemSlot } from "../inbox/item-slot.ts"
import { readStored } from "../client/stored.ts"

/**
 * The clarifications of a Work that were answered from this browser within the last day, the first before the later: the service
 * lists open ones only (API specification, listWorkAttention), so this browser's own intents are what is left of them.
 */
export function useAnsweredHere(workId: string): readonly string[] {
  const decided = useDecided()
  return useMemo(
    () =>
      decided
        .filter((entry) => entry.what === "answer" && entry.work_id === workId)
        .map(({ result }) => result.id)
        .filter((id) => readStored(intentName(itemSlot("answer", workId, id))) !== undefined)
        .toReversed(),
    [decided, workId],
  )
}

import { useMemo, useSyncExternalStore } from "react"
import { onStorageChange } from "../client/storage.ts"
import { answerIntents } from "./use-answer.ts"

/**
 * The clarifications of a Work that were answered from this browser within the last day, the first before the later: the service
 * lists open ones only (openapi.yaml, listWorkAttention), so this browser's own intents are what is left of them.
 */
export function useAnsweredHere(workId: string): readonly string[] {
  const ids = useSyncExternalStore(onStorageChange, () => readAnswered(workId).map(encodeURIComponent).join(" "))
  return useMemo(() => (ids === "" ? [] : ids.split(" ").map(decodeURIComponent)), [ids])
}

function readAnswered(workId: string): readonly string[] {
  return answerIntents
    .ids()
    .flatMap(([work, id]) => {
      const intent = work === workId ? answerIntents(work, id).read() : undefined
      return intent?.state === "recorded" ? { id, since: intent.since } : []
    })
    .sort((a, b) => a.since - b.since)
    .map(({ id }) => id)
}

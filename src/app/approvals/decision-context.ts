import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import type { DecisionContext } from "../../contract/desk-work.ts"
import { deskQuery } from "../client/desk-queries.ts"
import { answerWith } from "../client/schema.ts"
import { workKey } from "../client/work-reads.ts"
import { LIST_PACE, pollInterval } from "../client/polling.ts"
import type { ItemId } from "../inbox/item.ts"

const interval = pollInterval(LIST_PACE)

/**
 * What the desk knows about an approval's destination and colleague, and whether the rules let this person approve. Each version has a context of
 * its own, so the context of the version on the screen stays while a newer version waits.
 */
export const contextOptions = ([workId, approval]: ItemId, version: bigint) =>
  deskQuery(
    [...workKey(workId), "context", approval, String(version)],
    `/desk/context?${new URLSearchParams({ work: workId, approval, version: String(version) })}`,
    answerWith<DecisionContext>("known", "destination", "look_alikes", "same_elsewhere"),
    { refetchInterval: interval },
  )

/** Nobody has to wait longer than this for the context before they approve. */
const LATE_MS = 10_000

/** `late`: no answer came within ten seconds. `failed`: the request ended without an answer, or the desk refused. */
export type ContextState =
  | { readonly kind: "reading" | "late" | "failed"; readonly context?: undefined }
  | { readonly kind: "read"; readonly context: DecisionContext }

/** The context of the version on the screen. */
export function useDecisionContext(id: ItemId, version: bigint): ContextState {
  const { data: context, error } = useQuery(contextOptions(id, version))
  const name = [...id, String(version)].join(" ")
  const [lateFor, setLateFor] = useState<string>()
  const isSettled = context !== undefined || error !== null
  useEffect(() => {
    if (isSettled) return
    const timer = setTimeout(() => setLateFor(name), LATE_MS)
    return () => clearTimeout(timer)
  }, [name, isSettled])
  if (context !== undefined) return { kind: "read", context }
  if (error !== null) return { kind: "failed" }
  return { kind: lateFor === name ? "late" : "reading" }
}

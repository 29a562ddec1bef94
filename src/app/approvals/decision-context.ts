/** Reads what the desk knows about an approval, for the notes before the decision. */
import { useQuery } from "@tanstack/react-query"
import { use, useState } from "react"
import type { DecisionContext } from "../../contract/desk-work.ts"
import { steadyNow } from "../client/clock.ts"
import { deskQuery } from "../client/desk-request.ts"
import { LIST_PACE, pollInterval } from "../client/polling.ts"
import { answerWith } from "../client/value-schema.ts"
import { workKey } from "../client/work-reads.ts"
import type { ItemId } from "../inbox/item.ts"
import { AtRest } from "../ui/at-rest.ts"
import { useIsWaiting } from "../ui/clocks.tsx"

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
export const LATE_MS = 10_000

/** `late`: no answer came within `LATE_MS`. `failed`: the request ended without an answer, or the desk refused. */
export type ContextState =
  | { readonly kind: "reading" | "late" | "failed"; readonly context?: undefined }
  | { readonly kind: "read"; readonly context: DecisionContext }

/** The context of the version on the screen. */
export function useDecisionContext(id: ItemId, version: bigint): ContextState {
  const { data: context, error } = useQuery({ ...contextOptions(id, version), enabled: use(AtRest) })
  const isLate = useIsLate([...id, String(version)].join(" "))
  if (context !== undefined) return { kind: "read", context }
  if (error !== null) return { kind: "failed" }
  return { kind: isLate ? "late" : "reading" }
}

/** Whether `LATE_MS` have passed since `item` came on the screen. */
function useIsLate(item: string): boolean {
  const begin = () => ({ item, lateAt: steadyNow() + LATE_MS })
  const [wait, setWait] = useState(begin)
  // Another item has a wait of its own.
  if (wait.item !== item) setWait(begin)
  return !useIsWaiting(wait.lateAt)
}

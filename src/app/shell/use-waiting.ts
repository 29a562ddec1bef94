import { useMemo } from "react"
import type { WaitingItem as Waits } from "../../contract/desk.ts"
import type { Approval, Attention } from "../../contract/resources.ts"
import { useWaiting as useWaitingNow } from "../client/waiting.ts"
import { inboxAddress } from "../inbox/inbox-address.ts"
import type { Waiting, WaitingCount } from "./waiting.ts"

/** What waits for the person, from the same query as the pages Needs You and Approvals. */
export function useWaiting(): Waiting {
  const { waiting } = useWaitingNow()
  return useMemo(() => {
    if (waiting === undefined) return { clarifications: undefined, approvals: undefined }
    const { attention, approvals, complete } = waiting
    return {
      clarifications: countOf("/needs-you", attention, complete, (item: Attention) => item.title),
      approvals: countOf("/approvals", approvals, complete, (item: Approval) => item.summary),
    }
  }, [waiting])
}

function countOf<Item extends Attention | Approval>(
  page: "/needs-you" | "/approvals",
  items: readonly Waits<Item>[],
  complete: boolean,
  titleOf: (item: Item) => string,
): WaitingCount {
  return {
    count: items.length,
    complete,
    items: items.map(({ work, item }) => ({
      id: item.id,
      title: titleOf(item),
      to: inboxAddress(page, work.id, item.id),
    })),
  }
}

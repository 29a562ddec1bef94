import { useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import { type DeskError, isSameError } from "../client/desk-error.ts"
import { useIntentError } from "../client/intent.ts"
import type { Waiting } from "../client/waiting.ts"
import { isOpen, type Item, type ItemId } from "./item.ts"
import type { ItemVariant } from "./item-variant.ts"
import type { ItemNow } from "./use-decision.ts"

/** An item as its own Work and the list of what waits say it now, with the errors about it. An empty id is no item. */
export function useItemNow<Of extends Item>(
  variant: ItemVariant<Of>,
  [workId, id]: ItemId,
  waiting: Waiting | undefined,
): { readonly now: ItemNow<Of>; readonly readError: DeskError | null; readonly sendError: DeskError | undefined } {
  const { data, error, refetch, isFetchedAfterMount } = useQuery({ ...variant.itemsOf(workId), enabled: id !== "" })
  const own = data?.find((each) => each.id === id)
  const entries = waiting === undefined ? [] : variant.waitingOf(waiting)
  const listed = entries.find(({ work, item }) => work.id === workId && item.id === id)?.item

  // The desk knows more than the last read: the item came, changed or went after it.
  const isBehind = data !== undefined && listed !== undefined && (own === undefined || own.version < listed.version)
  const hasGone = waiting?.complete === true && own !== undefined && isOpen(own) && listed === undefined
  const readAgainFor = isBehind ? listed.version : hasGone
  useEffect(() => {
    if (readAgainFor !== false) void refetch()
  }, [readAgainFor, refetch])

  const sendError = useIntentError(variant.intents(workId, id))
  return {
    // Only a list that was read after this page was opened says what is gone.
    now: { latest: newerOf(own, listed), listed: data !== undefined && isFetchedAfterMount },
    readError: isSameError(error, sendError) ? null : error,
    sendError,
  }
}

function newerOf<Of extends Item>(one: Of | undefined, other: Of | undefined): Of | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return other.version > one.version ? other : one
}

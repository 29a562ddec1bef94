import { type QueryClient, queryOptions, skipToken, useQuery } from "@tanstack/react-query"
import type * as wire from "../../contract/desk.ts"
import { parseJson } from "../../contract/int64.ts"
import type { Approval, Attention } from "../../contract/resources.ts"
import type { DeskError } from "./desk-error.ts"
import { waitingKey } from "./query-keys.ts"

/** A question of a colleague. openapi.yaml calls it an attention item; the app says clarification everywhere. */
export type Clarification = Attention

export type WaitingItem<Item extends Clarification | Approval> = wire.WaitingItem<Item>

/** What waits across all Work, in the words of the app. */
export type Waiting = Omit<wire.Waiting, "attention"> & {
  readonly clarifications: readonly WaitingItem<Clarification>[]
}

/** Reads an answer of `GET /desk/waiting`. */
export function readWaiting(text: string): Waiting {
  const { attention: clarifications, ...rest } = parseJson(text) as wire.Waiting
  return { ...rest, clarifications }
}

/** What waits across all Work, as this browser received it last, and why nothing newer can be received. */
export type WaitingNow = { readonly waiting: Waiting | undefined; readonly error: DeskError | undefined }

/** The one query of what waits. `follow-waiting.ts` writes it. The counts, the notifications and both inbox pages read it. */
const waitingOptions = queryOptions<WaitingNow>({
  queryKey: waitingKey,
  queryFn: skipToken,
  staleTime: Infinity,
  gcTime: Infinity,
})

const NOTHING: WaitingNow = { waiting: undefined, error: undefined }

export function useWaiting(): WaitingNow {
  return useQuery(waitingOptions).data ?? NOTHING
}

/** The items that were resolved from this browser, with their new versions. A read that began earlier may still list them. */
const resolved = new Map<string, bigint>()
const listeners = new Set<(resolved: Resolved) => void>()

export type Resolved = {
  readonly variant: "answer" | "approval"
  readonly workId: string
  readonly id: string
  readonly version: bigint
}

/** Removes an item from what waits at once, in all tabs: the service has recorded the answer or the decision. */
export function removeResolved(
  client: QueryClient,
  variant: Resolved["variant"],
  item: Approval | Clarification,
): void {
  const { work_id: workId, id, version } = item
  const change = { variant, workId, id, version }
  removeResolvedElsewhere(client, change)
  for (const listener of listeners) listener(change)
}

/** Calls the listener for each item that is resolved on this page. Returns a function that stops the calls. */
export function onResolved(listener: (resolved: Resolved) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Removes an item that another tab has resolved. */
export function removeResolvedElsewhere(client: QueryClient, { variant, workId, id, version }: Resolved): void {
  resolved.set(keyOf(variant, workId, id), version)
  const before = client.getQueryData<WaitingNow>(waitingKey)
  if (before !== undefined) writeWaiting(client, before)
}

/** Writes what was received into the query, without the items that are known to be resolved. */
export function writeWaiting(client: QueryClient, { waiting, error }: WaitingNow): void {
  const now = waiting && {
    ...waiting,
    clarifications: waiting.clarifications.filter(isOpen("answer")),
    approvals: waiting.approvals.filter(isOpen("approval")),
  }
  client.setQueryData<WaitingNow>(waitingKey, { waiting: now, error })
}

const keyOf = (variant: Resolved["variant"], workId: string, id: string) => JSON.stringify([variant, workId, id])

function isOpen(variant: Resolved["variant"]) {
  return ({ item }: WaitingItem<Clarification | Approval>): boolean => {
    const version = resolved.get(keyOf(variant, item.work_id, item.id))
    return version === undefined || item.version > version
  }
}

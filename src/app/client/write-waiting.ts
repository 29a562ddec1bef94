/** Writes the pending items into their query, without the items that were resolved from this browser. */
import type { QueryClient } from "@tanstack/react-query"
import type { Approval } from "../../contract/resources.ts"
import { steadyNow } from "./clock.ts"
import { createStore } from "./create-store.ts"
import { type Clarification, type Waiting, type WaitingItem, waitingKey, type WaitingNow } from "./waiting.ts"

/** A resolved item, in its new version. */
export type ResolvedItem = {
  readonly variant: "clarification" | "approval"
  readonly workId: string
  readonly id: string
  readonly version: bigint
}

/** The items that were resolved from this browser, with their new versions. A read that began earlier may still list them. */
const resolved = new Map<string, { readonly version: bigint; readonly knownAt: number }>()
/** An item is forgotten after this time, once the desk no longer lists it. Until then another replica of the desk may still list it. */
const FORGET_MS = 60_000

/** The item that was resolved on this page last. */
export const lastResolved = createStore<ResolvedItem | undefined>(undefined)

/** Removes an item from the pending items at once, in all tabs, because the service has confirmed the answer or the decision. */
export function removeResolved(
  client: QueryClient,
  variant: ResolvedItem["variant"],
  item: Approval | Clarification,
): void {
  const { work_id: workId, id, version } = item
  const change = { variant, workId, id, version }
  removeResolvedElsewhere(client, change)
  lastResolved.set(change)
}

/** Removes an item that another tab has resolved. */
export function removeResolvedElsewhere(client: QueryClient, { variant, workId, id, version }: ResolvedItem): void {
  resolved.set(keyOf(variant, workId, id), { version, knownAt: steadyNow() })
  const before = client.getQueryData(waitingKey)
  if (before !== undefined) writeUnresolved(client, before)
}

/** Writes an answer of the desk, or of another tab, into the query, without the items that are known to be resolved. */
export function writeWaiting(client: QueryClient, received: WaitingNow): void {
  if (received.waiting !== undefined) forgetUnlisted(received.waiting)
  writeUnresolved(client, received)
}

function forgetUnlisted({ clarifications, approvals }: Waiting): void {
  if (resolved.size === 0) return
  const listed = new Set([
    ...clarifications.map(({ item }) => keyOf("clarification", item.work_id, item.id)),
    ...approvals.map(({ item }) => keyOf("approval", item.work_id, item.id)),
  ])
  const now = steadyNow()
  for (const [key, { knownAt }] of resolved) {
    if (now - knownAt > FORGET_MS && !listed.has(key)) resolved.delete(key)
  }
}

function writeUnresolved(client: QueryClient, { waiting, error }: WaitingNow): void {
  const now = waiting && {
    ...waiting,
    clarifications: unresolvedOf("clarification", waiting.clarifications),
    approvals: unresolvedOf("approval", waiting.approvals),
  }
  client.setQueryData(waitingKey, { waiting: now, error })
}

const keyOf = (variant: ResolvedItem["variant"], workId: string, id: string) => JSON.stringify([variant, workId, id])

/** The entries that are not resolved. The same list if all are left, so that nothing is rendered again. */
function unresolvedOf<Entry extends WaitingItem<Clarification | Approval>>(
  variant: ResolvedItem["variant"],
  entries: readonly Entry[],
): readonly Entry[] {
  if (resolved.size === 0) return entries
  const unresolved = entries.filter(({ item }) => {
    const known = resolved.get(keyOf(variant, item.work_id, item.id))
    return known === undefined || item.version > known.version
  })
  return unresolved.length === entries.length ? entries : unresolved
}

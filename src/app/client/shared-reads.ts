import type { QueryClient, QueryKey } from "@tanstack/react-query"
import { ownedName } from "./owner.ts"

type SharedRead = { readonly queryKey: QueryKey; readonly data: unknown; readonly updatedAt: number }

/**
 * Gives each answer to a query with `meta.shared` to the other tabs of the browser too. Their timers then start again, so that one tab polls
 * for all. Returns a function that stops the sharing.
 */
export function shareReads(client: QueryClient): () => void {
  const channel = new BroadcastChannel(ownedName("reads"))
  channel.addEventListener("message", ({ data: read }: MessageEvent<SharedRead>) => {
    const query = client.getQueryCache().find({ queryKey: read.queryKey })
    if (query === undefined || query.state.dataUpdatedAt >= read.updatedAt) return
    client.setQueryData(read.queryKey, read.data, { updatedAt: read.updatedAt })
  })
  const unsubscribe = client.getQueryCache().subscribe((event) => {
    if (event.type !== "updated" || event.action.type !== "success" || event.action.manual === true) return
    if (event.query.meta?.["shared"] !== true) return
    const { data, dataUpdatedAt } = event.query.state
    post(channel, { queryKey: event.query.queryKey, data, updatedAt: dataUpdatedAt } satisfies SharedRead)
  })
  return () => {
    unsubscribe()
    channel.close()
  }
}

/** Posts to the other tabs. A page that the browser is leaving has lost its channel: the other tabs then read for themselves. */
export function post(channel: BroadcastChannel, message: unknown): void {
  try {
    channel.postMessage(message)
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "InvalidStateError")) throw error
  }
}

import type { ListOrder } from "../../contract/work-order.ts"
import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query"
import type { OpenWorkList } from "../../contract/desk-work.ts"
import type { WorkList } from "../../contract/resources.ts"
import { api, dataOf } from "../client/api.ts"
import type { DeskError } from "../client/desk-error.ts"
import { readDeskJson } from "../client/desk-read.ts"
import { workListKey } from "../client/work-reads.ts"
import { LIST_PACE, pollInterval } from "../client/polling.ts"
import { queryOf } from "./list-address.ts"

/** A page of the list. Open Work comes from the desk, done Work from the service. */
export type ListPage = WorkList & {
  readonly isDone: boolean
  /** Of open Work: how many match, of how many there are, and whether the desk has listed all of them. */
  readonly coverage?: Pick<OpenWorkList, "total" | "of" | "complete" | "colleagues">
}

export type Pages = InfiniteData<ListPage, string | undefined>

const interval = pollInterval(LIST_PACE)

/** A cursor of done Work begins with this prefix. Without a status, the pages of done Work follow those of open Work. */
const DONE = "done:"

/** The rows of a page of open Work, and the most that the desk answers at once (`overview/open-work-pages.ts`). */
const PAGE_ROWS = 100
const MOST_ROWS = 500

/** Whether no further page of the same kind follows. Pages of done Work may follow the last page of open Work. */
export const isLast = ({ isDone, next_cursor: next }: ListPage): boolean =>
  next === undefined || (!isDone && next.startsWith(DONE))

type PageRequest = {
  /** The `next_cursor` of the page before. Left out for the first page. */
  readonly cursor?: string | undefined
  readonly limit?: number
  /** Asks for a list that the desk reads after the request has arrived. */
  readonly isFresh?: boolean
}

/** Reads one page of the list. @throws DeskError */
async function readListPage(wanted: ListOrder, signal: AbortSignal, request: PageRequest): Promise<ListPage> {
  const { cursor, limit, isFresh = false } = request
  if (wanted.status === "done" || cursor?.startsWith(DONE)) {
    const after = cursor?.slice(DONE.length) || undefined
    const query = { status: "done" as const, ...(after !== undefined && { cursor: after }) }
    const { data, next_cursor } = await dataOf(api.GET("/api/v1/work", { params: { query }, signal }))
    return { data, isDone: true, ...(next_cursor !== undefined && { next_cursor: DONE + next_cursor }) }
  }
  const query = new URLSearchParams(queryOf(wanted))
  if (cursor !== undefined) query.set("cursor", cursor)
  if (limit !== undefined) query.set("limit", String(limit))
  return toListPage(await readDeskJson<OpenWorkList>(`/desk/work?${query.toString()}`, signal, { isFresh }), wanted)
}

/** A page of open Work, as the desk answers it. */
export function toListPage(answer: OpenWorkList, wanted: ListOrder): ListPage {
  const { data, total, of, complete, colleagues } = answer
  // Done Work has another status, and is not due any more.
  const mayBeDone = wanted.status === undefined && wanted.due === undefined
  const next = answer.next_cursor ?? (mayBeDone ? DONE : undefined)
  return {
    data: [...data],
    isDone: false,
    coverage: { total, of, complete, colleagues },
    ...(next !== undefined && { next_cursor: next }),
  }
}

/** Where the known list is older than this, the desk is asked for a fresh list. */
const FRESH_AFTER_MS = 15_000

/**
 * The beginning of the list as it is now: at least as many rows as are shown, but no more than the desk answers at once. It is polled while
 * it is shown.
 */
export const firstPageOptions = (wanted: ListOrder, shown = 0) =>
  queryOptions<ListPage, DeskError>({
    queryKey: [...workListKey, "first", queryOf(wanted)],
    queryFn: ({ signal, client, queryKey }) => {
      const age = Date.now() - (client.getQueryState(queryKey)?.dataUpdatedAt ?? 0)
      const limit = shown > PAGE_ROWS ? { limit: Math.min(shown, MOST_ROWS) } : {}
      return readListPage(wanted, signal, { ...limit, isFresh: age > FRESH_AFTER_MS })
    },
    refetchInterval: interval,
  })

/**
 * The pages on the screen. They stay as they were read until the person asks for more, for a refresh or for what is new. Their key is not
 * below `workListKey`, because an event must not have a thousand rows read again.
 */
export const pagesOptions = (wanted: ListOrder, client: QueryClient) => {
  const first = () => client.getQueryData(firstPageOptions(wanted).queryKey)
  return infiniteQueryOptions<ListPage, DeskError, Pages, readonly string[], string | undefined>({
    queryKey: ["work-pages", queryOf(wanted)],
    queryFn: async ({ pageParam: cursor, signal }) =>
      (cursor === undefined ? first() : undefined) ?? readListPage(wanted, signal, { cursor }),
    // A first page that is in the cache is shown in the first render.
    initialData: () => {
      const page = first()
      return page && { pages: [page], pageParams: [undefined] }
    },
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Infinity,
    // Comparing ten thousand rows at every page would be slow. A page that did not change keeps its identity.
    structuralSharing: false,
    gcTime: 30 * 60_000,
    // `ListEnd` tries a failed further page again.
    refetchInterval: false,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })
}

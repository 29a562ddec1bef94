import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query"
import type { OpenWorkList } from "../../contract/desk-work.ts"
import type { ListOrder } from "../../contract/work-order.ts"
import { api, dataOf } from "../client/api.ts"
import type { DeskError } from "../client/desk-error.ts"
import { readDeskJson } from "../client/desk-request.ts"
import { LIST_PACE, pollInterval } from "../client/polling.ts"
import { workListKey } from "../client/work-reads.ts"
import { queryOf } from "./list-address.ts"
import { DONE, type PageOfWorks, type ShownPages } from "./list-pages.ts"

const interval = pollInterval(LIST_PACE)

/** The rows of a page of open Work, and the most rows that the desk answers at once (`overview/open-work-pages.ts`). */
const PAGE_ROWS = 100
const ROWS_MAX = 500

type PageChoice = {
  /** Left out for the first page. */
  readonly cursor?: string | undefined
  /** How many rows the page has at most. Left out for `PAGE_ROWS`. */
  readonly limit?: number
  /** Asks for a list that the desk reads after the request has arrived. */
  readonly isFresh?: boolean
}

/** Reads one page of the list. @throws DeskError */
function readPage(wanted: ListOrder, signal: AbortSignal, choice: PageChoice): Promise<PageOfWorks> {
  const isDone = wanted.status === "done" || choice.cursor?.startsWith(DONE) === true
  return isDone ? readDonePage(signal, choice.cursor) : readOpenPage(wanted, signal, choice)
}

/** Reads a page of done Work from the service (openapi.yaml, listWork). @throws DeskError */
async function readDonePage(signal: AbortSignal, cursor = DONE): Promise<PageOfWorks> {
  const after = cursor.slice(DONE.length)
  const query = { status: "done" as const, ...(after !== "" && { cursor: after }) }
  const { data, next_cursor } = await dataOf(api.GET("/api/v1/work", { params: { query }, signal }))
  return { data, isDone: true, ...(next_cursor !== undefined && { next_cursor: DONE + next_cursor }) }
}

/** Reads a page of open Work from the desk. @throws DeskError */
async function readOpenPage(
  wanted: ListOrder,
  signal: AbortSignal,
  { cursor, limit, isFresh = false }: PageChoice,
): Promise<PageOfWorks> {
  const query = new URLSearchParams(queryOf(wanted))
  if (cursor !== undefined) query.set("cursor", cursor)
  if (limit !== undefined) query.set("limit", String(limit))
  return toPage(await readDeskJson<OpenWorkList>(`/desk/work?${query.toString()}`, signal, { isFresh }), wanted)
}

/** A page of open Work, as the desk answers it. */
export function toPage(answer: OpenWorkList, wanted: ListOrder): PageOfWorks {
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

/** After this time the known list is old, and the desk is asked for a fresh list. */
const FRESH_AFTER_MS = 15_000

/**
 * The beginning of the list as it is now: at least as many rows as are shown, but no more than the desk answers at once. It is polled while
 * it is shown.
 */
export const beginningOptions = (wanted: ListOrder, shown = 0) =>
  queryOptions<PageOfWorks, DeskError>({
    queryKey: [...workListKey, "beginning", queryOf(wanted)],
    queryFn: ({ signal, client, queryKey }) => {
      const age = Date.now() - (client.getQueryState(queryKey)?.dataUpdatedAt ?? 0)
      const limit = shown > PAGE_ROWS ? { limit: Math.min(shown, ROWS_MAX) } : {}
      return readPage(wanted, signal, { ...limit, isFresh: age > FRESH_AFTER_MS })
    },
    // Each visit begins with an answer of its own.
    staleTime: 0,
    refetchInterval: interval,
  })

/**
 * The pages that are shown at one entry of the browser's history. They change only where `useWorkList` sets them, and where the person asks for
 * a further page. Their key is not below `workListKey`, because an event must not have a thousand rows read again.
 */
export const shownOptions = (wanted: ListOrder, visit: string, client: QueryClient) =>
  infiniteQueryOptions<PageOfWorks, DeskError, ShownPages, readonly string[], string | undefined>({
    queryKey: ["work-pages", queryOf(wanted), visit],
    queryFn: ({ pageParam: cursor, signal }) => readPage(wanted, signal, { cursor }),
    // A beginning that is in the cache is shown in the first render.
    initialData: () => {
      const page = client.getQueryData(beginningOptions(wanted).queryKey)
      return page && { pages: [page], pageParams: [undefined] }
    },
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor,
    enabled: false,
    // Comparing ten thousand rows at every page would be slow. A page that did not change keeps its identity.
    structuralSharing: false,
    gcTime: 30 * 60_000,
  })

import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useLocation } from "react-router"
import type { RecordEntry, RecordPage } from "../../contract/desk-work.ts"
import type { DeskError } from "../client/desk-error.ts"
import { readDesk } from "../client/desk-request.ts"
import { openLongRead, readChunks } from "../client/long-read.ts"
import { answerWith } from "../client/schema.ts"

/** The filters of the record. They have the same names in the address of the page and in `/desk/record`. */
const names = ["work", "item", "person", "operation", "outcome"] as const
type Name = (typeof names)[number]

export type RecordQuery = Readonly<Partial<Record<Name, string>>>

/** Reads the filters from the page's address. An empty filter counts as none. */
export function recordQueryOf(search: URLSearchParams): RecordQuery {
  return Object.fromEntries(names.map((name) => [name, search.get(name) ?? ""] as const).filter(([, value]) => value))
}

/** The address of the page with one filter changed; undefined removes the filter. */
export function recordAddress(query: RecordQuery, change: { readonly [name in Name]?: string | undefined }): string {
  const search = new URLSearchParams(query)
  for (const [name, value] of Object.entries(change)) search.set(name, value ?? "")
  return withQuery("/record", recordQueryOf(search))
}

/** A page of the record. `readAt`: when it was read, in ms since 1970 on this machine's clock. */
type ReadPage = RecordPage & { readonly readAt: number }
type Pages = InfiniteData<ReadPage, string | undefined>

const KEY = "record"

/** Whether the record is read again by itself: a record of one page. A longer one says its age, because all of its pages would be read again. */
const isShort = ({ state }: { state: { data: Pages | undefined } }) => (state.data?.pages.length ?? 0) <= 1

/**
 * The record's entries that match `query`, newest first, page by page. Each visit begins with the first page, and going back finds the pages as
 * they were left.
 */
export function useRecord(query: RecordQuery) {
  const { key: visit } = useLocation()
  const client = useQueryClient()
  const queryKey = [KEY, query, visit] as const
  const record = useInfiniteQuery<ReadPage, DeskError, Pages, typeof queryKey, string | undefined>({
    queryKey,
    queryFn: async ({ pageParam: cursor, signal }) => {
      const address = withQuery("/desk/record", { ...query, ...(cursor !== undefined && { cursor }) })
      return { ...(await readDesk(address, answerWith<RecordPage>("data"), { signal })), readAt: Date.now() }
    },
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: 10_000,
    refetchOnMount: isShort,
    refetchOnReconnect: isShort,
    refetchOnWindowFocus: isShort,
  })
  /** Reads the first page again, and shows that page alone. */
  const refresh = () => {
    client.setQueryData<Pages>(
      queryKey,
      (read) => read && { pages: read.pages.slice(0, 1), pageParams: read.pageParams.slice(0, 1) },
    )
    return record.refetch()
  }
  return { record, refresh }
}

/** The names of all people in the pages that were read, by id: the choices of the filter `Person`. */
export function useKnownPeople(): ReadonlyMap<string, string> {
  const client = useQueryClient()
  const entries = client
    .getQueriesData<Pages>({ queryKey: [KEY] })
    .flatMap(([, data]) => data?.pages.flatMap((page): readonly RecordEntry[] => page.data) ?? [])
  return new Map(entries.map(({ person }) => [person.id, person.name]))
}

/** The whole record that matches `query`, as JSON Lines. @throws DeskError */
export async function exportRecord(query: RecordQuery): Promise<Blob> {
  // An export goes on when the person leaves the page.
  const { signal } = new AbortController()
  const response = await openLongRead(withQuery("/desk/record", query), "application/jsonl", signal)
  return new Blob(await Array.fromAsync(readChunks(response)))
}

function withQuery(path: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString()
  return query === "" ? path : `${path}?${query}`
}

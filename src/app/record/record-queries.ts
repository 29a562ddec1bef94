import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import type { RecordEntry, RecordPage } from "../../contract/desk-work.ts"
import type { DeskError } from "../client/desk-error.ts"
import { readDeskJson } from "../client/desk-request.ts"
import { openLongRead, readChunks } from "../client/long-read.ts"

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

type Pages = InfiniteData<RecordPage, string | undefined>

const KEY = "record"

/** The record's entries that match `query`, newest first, page by page. */
export function useRecord(query: RecordQuery) {
  return useInfiniteQuery<RecordPage, DeskError, Pages, readonly [string, RecordQuery], string | undefined>({
    queryKey: [KEY, query],
    queryFn: ({ pageParam: cursor, signal }) =>
      readDeskJson(withQuery("/desk/record", { ...query, ...(cursor !== undefined && { cursor }) }), signal),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: 10_000,
  })
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

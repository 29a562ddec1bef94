import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useRef } from "react"
import { useLocation } from "react-router"
import type { RecordPage, ReportFormat } from "../../contract/desk-work.ts"
import type { DeskError } from "../client/desk-error.ts"
import { readDesk } from "../client/desk-request.ts"
import { openLongRead, readChunks } from "../client/long-read.ts"
import { answerWith } from "../client/value-schema.ts"
import { useNextPage } from "../client/use-next-page.ts"
import { withQuery, writeQuery } from "../ui/address-query.ts"
import { leavesGap, type ReadPage, unsettledPages, withNewest, withOlder, withPagesAgain } from "./record-pages.ts"

/** The filters of the record. They have the same names in the address of the page and in `/desk/record`. */
const names = ["work", "item", "person", "operation", "outcome"] as const
type Name = (typeof names)[number]

export type RecordQuery = Readonly<Partial<Record<Name, string>>>

/** Reads the filters from the page's address. An empty filter counts as none. */
export function recordQueryOf(search: URLSearchParams): RecordQuery {
  return Object.fromEntries(names.map((name) => [name, search.get(name) ?? ""] as const).filter(([, value]) => value))
}

/** The address of the page with one filter changed; undefined removes the filter. */
export const recordAddress = (query: RecordQuery, change: { readonly [name in Name]?: string | undefined }): string =>
  withQuery("/record", writeQuery(names, { ...query, ...change }))

const KEY = "record"
/** The indexes of the first and the last visible row, until the list names them. A list that is not long names none, because it draws all rows. */
const SHOWN_AT_FIRST = { first: 0, last: 99 }

/**
 * The record's entries that match `query`, newest first, page by page. What is read again is what is new, and each visible page whose
 * entries may still change. Each visit begins with the newest page, and going back finds the pages as they were left.
 */
export function useRecord(query: RecordQuery) {
  const { key: visit } = useLocation()
  const client = useQueryClient()
  const queryKey = [KEY, query, visit] as const
  const known = () => client.getQueryData<readonly ReadPage[]>(queryKey) ?? []
  const visibleRows = useRef({ visit: "", ...SHOWN_AT_FIRST })
  const unsettledIn = (pages: readonly ReadPage[]) => {
    const { first, last } = visibleRows.current.visit === visit ? visibleRows.current : SHOWN_AT_FIRST
    return unsettledPages(pages, first, last)
  }
  const record = useQuery<readonly ReadPage[], DeskError>({
    queryKey,
    queryFn: ({ signal }) => readAgain(query, known, unsettledIn, signal),
    staleTime: 10_000,
    // `withNewest` keeps the entries that did not change.
    structuralSharing: false,
  })
  const pages = record.data
  const more = useNextPage({
    last: pages?.at(-1),
    read: (cursor) => readPage(query, cursor),
    add: (page) => client.setQueryData(queryKey, withOlder(known(), page), { updatedAt: record.dataUpdatedAt }),
  })
  return {
    pages,
    error: record.error,
    refreshing: record.isFetching,
    refresh: () => void record.refetch(),
    more,
    /** Called with the indexes of the first and the last visible row. */
    onVisibleRows: (first: number, last: number) => {
      const before = unsettledIn(known())
      visibleRows.current = { visit, first, last }
      // A row that becomes visible is never older than the page says.
      const isOld = (page: ReadPage) => page.readAt < (pages?.[0]?.readAt ?? 0) && !before.includes(page)
      if (unsettledIn(known()).some(isOld)) void record.refetch()
    },
  }
}

/** Reads the newest pages, then the older pages that `unsettledIn` finds in what is known by then. @throws DeskError */
async function readAgain(
  query: RecordQuery,
  known: () => readonly ReadPage[],
  unsettledIn: (pages: readonly ReadPage[]) => readonly ReadPage[],
  signal: AbortSignal,
): Promise<readonly ReadPage[]> {
  const readAt = Date.now()
  const newest = await readNewest(query, known(), readAt, signal)
  const unsettled = unsettledIn(withNewest(known(), newest)).filter((page) => page.readAt < readAt)
  const again = await Promise.all(unsettled.map(({ cursor }) => readPage(query, cursor, readAt, signal)))
  // A further page may have come meanwhile.
  return withPagesAgain(withNewest(known(), newest), again)
}

/** So many pages are read at most before the known entries are given up. */
const NEW_PAGES_MAX = 10

/** Reads the newest page, and the pages below it down to the first known entry, so that who reads an older entry keeps their place. */
async function readNewest(query: RecordQuery, known: readonly ReadPage[], readAt: number, signal: AbortSignal) {
  const newest: ReadPage[] = []
  let cursor: string | undefined
  do {
    const page = await readPage(query, cursor, readAt, signal)
    newest.push(page)
    cursor = leavesGap(page, known) ? page.next_cursor : undefined
  } while (cursor !== undefined && newest.length < NEW_PAGES_MAX)
  return newest
}

async function readPage(
  query: RecordQuery,
  cursor?: string,
  readAt = Date.now(),
  signal?: AbortSignal,
): Promise<ReadPage> {
  const address = withQuery("/desk/record", writeQuery([...names, "cursor"], { ...query, cursor }))
  const page = await readDesk(address, answerWith<RecordPage>("data"), signal && { signal })
  return { ...page, cursor, readAt }
}

/** The names of all people in the pages that were read, by id: the choices of the filter `Person`. */
export function useKnownPeople(): ReadonlyMap<string, string> {
  const client = useQueryClient()
  const entries = client
    .getQueriesData<readonly ReadPage[]>({ queryKey: [KEY] })
    .flatMap(([, pages]) => pages?.flatMap(({ data }) => data) ?? [])
  return new Map(entries.map(({ person }) => [person.id, person.name]))
}

/** The ids of all colleagues in the pages that were read. */
export function useKnownColleagues(): readonly string[] {
  const client = useQueryClient()
  const entries = client
    .getQueriesData<readonly ReadPage[]>({ queryKey: [KEY] })
    .flatMap(([, pages]) => pages?.flatMap(({ data }) => data) ?? [])
  return [...new Set(entries.flatMap(({ colleague }) => colleague ?? []))]
}

export type ReportQuery = {
  /** Days in UTC, such as `2026-01-31`. The last one is included. */
  readonly from: string
  readonly to: string
  readonly format: ReportFormat
  readonly colleague?: string | undefined
}

/** The report for a period about the entries that match `query`. @throws DeskError; what fetch throws where `signal` aborts */
export async function readReport(query: RecordQuery, report: ReportQuery, signal: AbortSignal): Promise<Blob> {
  const parameters = writeQuery([...names, "from", "to", "format", "colleague"], { ...query, ...report })
  const response = await openLongRead(withQuery("/desk/record/report", parameters), "*/*", signal)
  return new Blob(await Array.fromAsync(readChunks(response)))
}

/** The whole record that matches `query`, as JSON Lines. @throws DeskError */
export async function exportRecord(query: RecordQuery): Promise<Blob> {
  // An export goes on when the person leaves the page.
  const { signal } = new AbortController()
  const response = await openLongRead(withQuery("/desk/record", writeQuery(names, query)), "application/jsonl", signal)
  return new Blob(await Array.fromAsync(readChunks(response)))
}

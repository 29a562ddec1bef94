import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useMemo, useState } from "react"
import type { DeskError } from "../client/desk-error.ts"
import type { ListQuery } from "./list-address.ts"
import { arrangeDone } from "./list-order.ts"
import { useNewestWorks } from "./use-newest-works.ts"
import { leavesGap, mergeRows, rowsOf, unknownIn, withNewer } from "./work-list-data.ts"
import { type Pages, pagesOptions, useFreshVisit } from "./work-pages.ts"
import { firstPageOptions, type ListPage } from "./work-queries.ts"

/** With more pages than this, a refresh reads only the first page. */
const PAGES_TO_REFRESH = 5

/**
 * The list of Work that `wanted` asks for, open Work before done Work. The first page is polled. A change of a row on the screen is shown in
 * its place, and new Work is in `pending` until `showNew` is called. Nothing is lost or repeated while cursors move.
 */
export function useWorkList(wanted: ListQuery) {
  const client = useQueryClient()
  const first = useQuery(firstPageOptions(wanted))
  const options = useMemo(() => pagesOptions(wanted, client), [client, wanted])
  const pages = useInfiniteQuery({ ...options, enabled: first.data !== undefined })
  const listFailure = useLastFailure(first)
  const refreshFailure = useLastFailure({
    error: pages.isFetchNextPageError ? null : pages.error,
    errorUpdatedAt: pages.errorUpdatedAt,
    isSuccess: pages.isSuccess,
  })
  const failure = listFailure ?? refreshFailure
  const { read, open } = useMemo(() => {
    const all = pages.data?.pages ?? []
    const openRows = rowsOf(all.filter(({ isDone }) => !isDone))
    return { read: rowsOf(all), open: openRows.length }
  }, [pages.data])
  const newer = useNewestWorks(first.data, read.slice(0, open))
  const known = useMemo(() => withNewer(read, newer), [read, newer])
  const done = useMemo(() => arrangeDone(known.slice(open), wanted), [known, open, wanted])
  const rows = useMemo(() => [...known.slice(0, open), ...done], [known, open, done])

  const setPages = useCallback(
    async (change: (pages: readonly ListPage[]) => readonly ListPage[]) => {
      // The first page is still being read, and will be fresh.
      if (client.getQueryData(options.queryKey) === undefined) return
      // A page that is being read would bring back the pages as they were at its request.
      await client.cancelQueries({ queryKey: options.queryKey, exact: true })
      client.setQueryData<Pages>(options.queryKey, (old) => {
        if (!old) return old
        const next = change(old.pages)
        return { pages: [...next], pageParams: old.pageParams.slice(0, next.length) }
      })
    },
    [client, options],
  )

  useFreshVisit(first, pages.data?.pages[0], setPages)

  const pending = useMemo(
    () => (first.data && pages.data ? unknownIn(first.data.data, known) : []),
    [first.data, pages.data, known],
  )

  const showNew = async () => {
    const fresh = first.data
    if (!fresh) return
    await setPages((old) => {
      const [top, ...rest] = old
      if (!top || leavesGap(fresh, known)) return [fresh]
      const merged = mergeRows(fresh.data, known)
      // The new rows go into the first page. A Work that is also on a later page keeps its place there.
      const later = new Set(rest.flatMap((page) => page.data.map(({ id }) => id)))
      return [{ ...top, data: merged.filter(({ id }) => !later.has(id)) }, ...rest]
    })
  }

  const refresh = async () => {
    await first.refetch()
    if ((pages.data?.pages.length ?? 0) > PAGES_TO_REFRESH) await setPages((old) => old.slice(0, 1))
    await pages.refetch()
  }

  return {
    rows,
    /** The number of rows of open Work. The other rows are the loaded done Work. */
    open,
    /** The number of loaded done Works, before filters. */
    doneLoaded: known.length - open,
    coverage: first.data?.coverage,
    pending,
    /** Whether more than `pending` may be new. */
    pendingMore: first.data !== undefined && leavesGap(first.data, known),
    showNew,
    refresh,
    refreshing: first.isFetching,
    loading: pages.data === undefined,
    updatedAt: first.dataUpdatedAt,
    error: failure?.error ?? null,
    errorAt: failure?.at ?? 0,
    more: {
      exists: pages.hasNextPage,
      isFruitless: hasNothingFor(wanted, pages.data?.pages.at(-1)),
      // A request that is under way is not sent again.
      load: () => pages.fetchNextPage({ cancelRefetch: false }),
      loading: pages.isFetchingNextPage,
      error: pages.isFetchNextPageError ? pages.error : null,
      errorAt: pages.errorUpdatedAt,
    },
  }
}

/** Whether the filters show no row of a page of done Work. */
function hasNothingFor(wanted: ListQuery, page: ListPage | undefined): boolean {
  return page?.isDone === true && arrangeDone(page.data, wanted).length === 0
}

/** The failure of the last attempt that has ended. It stays while the next attempt is under way, so that the alert does not flicker. */
function useLastFailure(query: { error: DeskError | null; errorUpdatedAt: number; isSuccess: boolean }) {
  const [failure, setFailure] = useState<{ error: DeskError; at: number }>()
  if (query.error && query.error !== failure?.error) setFailure({ error: query.error, at: query.errorUpdatedAt })
  if (query.isSuccess && failure) setFailure(undefined)
  return failure
}

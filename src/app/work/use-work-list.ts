import {
  type InfiniteData,
  infiniteQueryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { NavigationType, useLocation, useNavigationType } from "react-router"
import type { Work, WorkList, WorkStatus } from "../../contract/resources.ts"
import type { DeskError } from "../client/desk-error.ts"
import { leavesGap, mergeRows, missingFrom, rowsOf, unknownIn, withNewer } from "./work-list-data.ts"
import { firstPageOptions, readWorkPage, workOptions } from "./work-queries.ts"

type Pages = InfiniteData<WorkList, string | undefined>

/** A burst of Works that leave a filter is asked about in turns, not all at once. */
const CORRECTIONS_AT_ONCE = 10

/** Beyond this many pages a refresh begins again at the top instead of reading them all. */
const PAGES_TO_REFRESH = 5

/**
 * What is on the screen: pages that stay as they were read until the person asks for more or for a refresh. Their key is not below
 * `workListKey`: an event must not make a thousand rows be read again.
 */
const pagesOptions = (status: WorkStatus | undefined, first: () => Promise<WorkList>) =>
  infiniteQueryOptions<WorkList, DeskError, Pages, readonly string[], string | undefined>({
    queryKey: ["work-pages", status ?? "all"],
    queryFn: ({ pageParam, signal }) => (pageParam === undefined ? first() : readWorkPage(status, pageParam, signal)),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Infinity,
    // Ten thousand rows are not compared at every page; `withNewer` keeps what did not change.
    structuralSharing: false,
    gcTime: 30 * 60_000,
    refetchInterval: false,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })

/**
 * The list of the Work of `status`: a first page that is polled, and beside it what is shown. A change of a shown row comes in place;
 * a new row waits in `pending` until `showNew`; nothing is lost or repeated whatever the cursor does meanwhile.
 */
export function useWorkList(status: WorkStatus | undefined) {
  const client = useQueryClient()
  const first = useQuery(firstPageOptions(status))
  const failure = useLastFailure(first)
  const options = useMemo(
    () => pagesOptions(status, () => client.fetchQuery({ ...firstPageOptions(status), staleTime: Infinity })),
    [client, status],
  )
  const pages = useInfiniteQuery({ ...options, enabled: first.data !== undefined })
  const rows = useMemo(() => rowsOf(pages.data?.pages ?? []), [pages.data])

  const setPages = useCallback(
    (change: (pages: readonly WorkList[]) => readonly WorkList[]) =>
      client.setQueryData<Pages>(options.queryKey, (old) => {
        if (!old) return old
        const next = change(old.pages)
        return next === old.pages ? old : { pages: [...next], pageParams: old.pageParams.slice(0, next.length) }
      }),
    [client, options],
  )

  useAdoption(first, setPages)
  useCorrections(status, first.data, rows, setPages)

  const pending = useMemo(
    () => (first.data && pages.data ? unknownIn(first.data.data, rows) : []),
    [first.data, pages.data, rows],
  )

  const showNew = () => {
    const fresh = first.data
    if (!fresh) return
    setPages((old) => {
      const [top, ...rest] = old
      if (!top || leavesGap(fresh, rows)) return [fresh]
      const merged = mergeRows(fresh.data, rows)
      // Everything known goes into the first page, so that an id stands where the service puts it and nowhere else.
      const later = new Set(rest.flatMap((page) => page.data.map(({ id }) => id)))
      return [{ ...top, data: merged.filter(({ id }) => !later.has(id)) }, ...rest]
    })
  }

  const refresh = async () => {
    await first.refetch()
    if ((pages.data?.pages.length ?? 0) > PAGES_TO_REFRESH) setPages((old) => old.slice(0, 1))
    await pages.refetch()
  }

  return {
    rows,
    pending,
    /** More than `pending` may be new. */
    pendingMore: first.data !== undefined && leavesGap(first.data, rows),
    showNew,
    refresh,
    refreshing: first.isFetching,
    loading: pages.data === undefined,
    updatedAt: first.dataUpdatedAt,
    error: failure?.error ?? null,
    errorAt: failure?.at ?? 0,
    more: {
      exists: pages.hasNextPage,
      load: pages.fetchNextPage,
      loading: pages.isFetchingNextPage,
      error: pages.isFetchNextPageError ? pages.error : null,
      errorAt: pages.errorUpdatedAt,
    },
  }
}

/** The failure of the last attempt that has ended: while the next one is under way, it must not vanish and come again. */
function useLastFailure(query: { error: DeskError | null; errorUpdatedAt: number; isSuccess: boolean }) {
  const [failure, setFailure] = useState<{ error: DeskError; at: number }>()
  if (query.error && query.error !== failure?.error) setFailure({ error: query.error, at: query.errorUpdatedAt })
  if (query.isSuccess && failure) setFailure(undefined)
  return failure
}

type SetPages = (change: (pages: readonly WorkList[]) => readonly WorkList[]) => void

/**
 * Who comes to the list anew sees it as it is now, new Work included; who comes back finds it as it was left. So after a navigation
 * forwards the next answer replaces what an earlier visit had loaded.
 */
function useAdoption(first: { data: WorkList | undefined; dataUpdatedAt: number }, setPages: SetPages): void {
  const { key } = useLocation()
  const type = useNavigationType()
  const since = useRef<{ key: string; moment: number }>(undefined)
  const { data, dataUpdatedAt } = first
  useEffect(() => {
    if (since.current?.key !== key)
      // What was read within the last second counts as now: it is not read again (`staleTime`).
      since.current = { key, moment: type === NavigationType.Pop ? Infinity : Date.now() - 1000 }
    if (!data || dataUpdatedAt < since.current.moment) return
    since.current.moment = Infinity
    setPages(() => [data])
  }, [key, type, data, dataUpdatedAt, setPages])
}

/** Brings newer versions of shown rows into their places: from the polled page, from pages of single Works, and of those that left the filter. */
function useCorrections(
  status: WorkStatus | undefined,
  fresh: WorkList | undefined,
  rows: readonly Work[],
  setPages: SetPages,
): void {
  const client = useQueryClient()
  // The rows as they are when a fresh page arrives: a correction of them must not ask again.
  const shown = useRef(rows)
  useEffect(() => {
    shown.current = rows
  })
  useEffect(() => {
    const newer = new Map<string, Work>()
    for (const [key, work] of client.getQueriesData<Work>({ queryKey: ["work"] }))
      if (key.length === 2 && work) newer.set(work.id, work)
    for (const work of fresh?.data ?? [])
      if (work.version >= (newer.get(work.id)?.version ?? 0n)) newer.set(work.id, work)
    setPages((pages) => withNewer(pages, newer))
    if (!fresh || status === undefined) return
    const gone = missingFrom(fresh, shown.current).filter(
      (work) => work.status === status && (newer.get(work.id)?.status ?? status) === status,
    )
    let left = false
    for (const { id } of gone.slice(0, CORRECTIONS_AT_ONCE))
      client.fetchQuery({ ...workOptions(id), staleTime: 1000 }).then(
        (work) => left || setPages((pages) => withNewer(pages, new Map([[id, work]]))),
        // It stays as it was until the next page says more.
        () => undefined,
      )
    return () => {
      left = true
    }
  }, [client, status, fresh, setPages])
}

import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  skipToken,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { NavigationType, useLocation, useNavigationType } from "react-router"
import type { Work } from "../../contract/resources.ts"
import type { DeskError } from "../client/desk-error.ts"
import { retryInterval } from "../client/polling.ts"
import { type ListQuery, queryOf } from "./list-address.ts"
import { arrangeDone } from "./list-order.ts"
import { leavesGap, mergeRows, missingFrom, rowsOf, unknownIn, withNewer, withWorks } from "./work-list-data.ts"
import { workOptions } from "../client/reads.ts"
import { firstPageOptions, isLastOfOpen, type ListPage, readListPage } from "./work-queries.ts"

type Pages = InfiniteData<ListPage, string | undefined>

/** A burst of Works that leave a filter is asked about in turns, not all at once. */
const CORRECTIONS_AT_ONCE = 10

/** Beyond this many pages a refresh begins again at the top instead of reading them all. */
const PAGES_TO_REFRESH = 5

/**
 * What is on the screen: pages that stay as they were read until the person asks for more or for a refresh. Their key is not below
 * `workListKey`: an event must not make a thousand rows be read again.
 */
const pagesOptions = (wanted: ListQuery, client: QueryClient) =>
  infiniteQueryOptions<ListPage, DeskError, Pages, readonly string[], string | undefined>({
    queryKey: ["work-pages", queryOf(wanted)],
    queryFn: ({ pageParam, signal }) =>
      pageParam === undefined
        ? client.fetchQuery({ ...firstPageOptions(wanted), staleTime: Infinity })
        : readListPage(wanted, pageParam, signal),
    // A first page that is known already is shown in the first render.
    initialData: () => {
      const page = client.getQueryData(firstPageOptions(wanted).queryKey)
      return page && { pages: [page], pageParams: [undefined] }
    },
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Infinity,
    // Ten thousand rows are not compared at every page; what did not change keeps its identity by page.
    structuralSharing: false,
    gcTime: 30 * 60_000,
    // A refresh that failed is tried again; `ListEnd` tries a further page again.
    refetchInterval: (query) => (isFurtherPage(query.state.fetchMeta) ? false : retryInterval(query)),
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })

const isFurtherPage = (fetchMeta: unknown): boolean =>
  typeof fetchMeta === "object" && fetchMeta !== null && "fetchMore" in fetchMeta && fetchMeta.fetchMore !== undefined

/**
 * The list of the Work that `wanted` names, open Work before done Work: a first page that is polled, and beside it what is shown. A change of a shown row comes in place;
 * a new row waits in `pending` until `showNew`; nothing is lost or repeated whatever the cursor does meanwhile.
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
  const newer = useNewer(first.data, read.slice(0, open))
  const known = useMemo(() => withNewer(read, newer), [read, newer])
  const done = useMemo(() => arrangeDone(known.slice(open), wanted), [known, open, wanted])
  const rows = useMemo(() => [...known.slice(0, open), ...done], [known, open, done])

  const setPages = useCallback(
    async (change: (pages: readonly ListPage[]) => readonly ListPage[]) => {
      // The first page on its way is as fresh as can be.
      if (client.getQueryData(options.queryKey) === undefined) return
      // A later one that is under way would bring back the pages as they were when it was asked for.
      await client.cancelQueries({ queryKey: options.queryKey, exact: true })
      client.setQueryData<Pages>(options.queryKey, (old) => {
        if (!old) return old
        const next = change(old.pages)
        return { pages: [...next], pageParams: old.pageParams.slice(0, next.length) }
      })
    },
    [client, options],
  )

  useAdoption(first, setPages)

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
      // Everything known goes into the first page, so that an id stands where the service puts it and nowhere else.
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
    /** How many of the rows are open; the others are done Work, as far as it is loaded. */
    open,
    /** Done Work that was loaded, before filters. */
    doneLoaded: known.length - open,
    coverage: first.data?.coverage,
    pending,
    /** More than `pending` may be new. */
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
      // A page that is under way already is the one.
      load: () => pages.fetchNextPage({ cancelRefetch: false }),
      loading: pages.isFetchingNextPage,
      error: pages.isFetchNextPageError ? pages.error : null,
      errorAt: pages.errorUpdatedAt,
    },
  }
}

/** Whether a page was loaded of which the filters show no row. */
function hasNothingFor(wanted: ListQuery, page: ListPage | undefined): boolean {
  return page?.isDone === true && arrangeDone(page.data, wanted).length === 0
}

/** The failure of the last attempt that has ended: while the next one is under way, it must not vanish and come again. */
function useLastFailure(query: { error: DeskError | null; errorUpdatedAt: number; isSuccess: boolean }) {
  const [failure, setFailure] = useState<{ error: DeskError; at: number }>()
  if (query.error && query.error !== failure?.error) setFailure({ error: query.error, at: query.errorUpdatedAt })
  if (query.isSuccess && failure) setFailure(undefined)
  return failure
}

type SetPages = (change: (pages: readonly ListPage[]) => readonly ListPage[]) => Promise<void>

/**
 * Who comes to the list anew sees it as it is now, new Work included; who comes back finds it as it was left. So after a navigation
 * forwards the next answer replaces what an earlier visit had loaded.
 */
function useAdoption(first: { data: ListPage | undefined; dataUpdatedAt: number }, setPages: SetPages): void {
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
    void setPages(() => [data])
  }, [key, type, data, dataUpdatedAt, setPages])
}

const nothing: ReadonlyMap<string, Work> = new Map()

/** What is known of single Works beside the pages that were read, for every filter and visit. */
const newerOptions = queryOptions<ReadonlyMap<string, Work>>({
  queryKey: ["work-newer"],
  queryFn: skipToken,
  initialData: nothing,
  gcTime: 30 * 60_000,
  structuralSharing: false,
})

/**
 * Newer versions of what `rows` were read as: from the polled page, from the pages of single Works, and of those that left the filter, which
 * are asked for one by one.
 */
function useNewer(fresh: ListPage | undefined, rows: readonly Work[]) {
  const client = useQueryClient()
  const { data: newer = nothing } = useQuery(newerOptions)
  // The rows as they are when a fresh page arrives: more of them are no reason to ask again.
  const shown = useRef(rows)
  /** The versions in which Works that left the list were asked for. */
  const asked = useRef(new Map<string, bigint>())
  useEffect(() => {
    shown.current = rows
  })
  useEffect(() => {
    const seen = client
      .getQueriesData<Work>({ queryKey: ["work"], predicate: ({ queryKey }) => queryKey.length === 2 })
      .flatMap(([, work]) => work ?? [])
    const note = (works: readonly Work[]) =>
      client.setQueryData<ReadonlyMap<string, Work>>(newerOptions.queryKey, (before = nothing) =>
        withWorks(before, works),
      )
    const known = note([...seen, ...(fresh?.data ?? [])]) ?? nothing
    if (!fresh || fresh.isDone) return
    const page = isLastOfOpen(fresh) ? { data: fresh.data } : fresh
    const gone = missingFrom(page, shown.current).filter((work) => {
      const now = known.get(work.id) ?? work
      return now.status !== "done" && asked.current.get(work.id) !== now.version
    })
    for (const { id, version } of gone.slice(0, CORRECTIONS_AT_ONCE)) {
      asked.current.set(id, known.get(id)?.version ?? version)
      client.fetchQuery({ ...workOptions(id), staleTime: 1000 }).then(
        (work) => note([work]),
        // It stays as it was until the next page says more.
        () => void asked.current.delete(id),
      )
    }
  }, [client, fresh])
  return newer
}

import { useInfiniteQuery, useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import { useCallback, useLayoutEffect, useMemo, useState } from "react"
import { useLocation } from "react-router"
import type { Work } from "../../contract/resources.ts"
import type { ListOrder } from "../../contract/work-order.ts"
import type { DeskError } from "../client/desk-error.ts"
import { workOptions } from "../client/work-reads.ts"
import { useTouched } from "../inbox/use-touched.ts"
import { arrangeDone } from "./list-order.ts"
import { leftOf, newestOf, newsOf, type PageOfWorks, rowsOf, type ShownPages, withBeginning } from "./list-pages.ts"
import { useHistoryState } from "./use-history-state.ts"
import { beginningOptions, shownOptions } from "./work-queries.ts"

/** The most Works that are read one by one after they left the list. */
const LEFT_MAX = 50
const NO_PAGES: readonly PageOfWorks[] = []

/**
 * The list of Work that `wanted` asks for, open Work before done Work. The beginning of the list is polled. Until the person touches the list,
 * each polled beginning is shown. Then its rows stay: a change of a row is shown in its place, and new Work waits for `showNew`.
 */
export function useWorkList(wanted: ListOrder) {
  const client = useQueryClient()
  const { key: visit } = useLocation()
  const options = useMemo(() => shownOptions(wanted, visit, client), [wanted, visit, client])
  const shown = useInfiniteQuery(options)
  const pages = shown.data?.pages ?? NO_PAGES
  const rowsRead = useMemo(() => rowsOf(pages), [pages])
  const polled = useQuery(beginningOptions(wanted, rowsRead.open.length))
  const fresh = polled.data
  const error = useLastFailure(polled)

  const changePages = useCallback(
    (next: (before: ShownPages | undefined) => ShownPages) => {
      // A page that is being read would bring back the pages as they were at its request.
      void client.cancelQueries({ queryKey: options.queryKey, exact: true })
      client.setQueryData<ShownPages>(options.queryKey, next)
    },
    [client, options],
  )
  const showBeginning = useCallback(
    (page: PageOfWorks) => changePages((before) => withBeginning(before, page)),
    [changePages],
  )
  const [countedFrom, countFrom] = useFollowing(polled, pages[0], showBeginning)

  const alone = useReadAlone(fresh, rowsRead.open)
  const open = useMemo(() => newestOf(rowsRead.open, fresh, alone), [rowsRead, fresh, alone])
  const done = useMemo(() => newestOf(rowsRead.done, fresh, alone), [rowsRead, fresh, alone])
  const rows = useMemo(() => [...open, ...arrangeDone(done, wanted)], [open, done, wanted])
  const hiddenNews = useMemo(() => (fresh ? newsOf(fresh, pages) : undefined), [fresh, pages])
  const shownNews = useMemo(
    () => (countedFrom && pages[0] ? newsOf(pages[0], [countedFrom]) : undefined),
    [countedFrom, pages],
  )
  const last = pages.at(-1)
  return {
    rows,
    /** The number of rows of open Work. The other rows are the loaded done Work. */
    open: open.length,
    /** The number of loaded done Works, before filters. */
    doneLoaded: done.length,
    coverage: fresh?.coverage,
    /** How many Works came since the list was opened: those that wait for `showNew`, and those that have their rows already. */
    news: (hiddenNews?.works.length ?? 0) + (shownNews?.works.length ?? 0),
    /** Whether more than `news` may be new. */
    mayBeMoreNews: hiddenNews?.mayBeMore === true,
    showNew: () => {
      if (fresh) showBeginning(fresh)
      countFrom(fresh)
    },
    refresh: async () => {
      const { data } = await polled.refetch()
      if (data) changePages(() => withBeginning(undefined, data))
      countFrom(data)
    },
    refreshing: polled.isFetching,
    loading: shown.data === undefined,
    updatedAt: polled.dataUpdatedAt,
    error,
    more: {
      exists: shown.hasNextPage,
      /** Whether the filters show no row of the last page of done Work. */
      isFruitless: last?.isDone === true && arrangeDone(last.data, wanted).length === 0,
      // Without a further page nothing is sent. A request that is under way is not sent again.
      load: () => shown.fetchNextPage({ cancelRefetch: false }),
      loading: shown.isFetchingNextPage,
      error: shown.isFetchNextPageError ? shown.error : null,
    },
  }
}

/**
 * Shows each answer until the person touches the page. The first answer of a visit is shown also to a person who has touched the page, unless
 * they have scrolled. After going back the list stays as the person left it.
 *
 * @returns the first answer of the visit, from which on new Works are counted, and a function that puts a later answer in its place
 */
function useFollowing(
  { data, isFetchedAfterMount, isSuccess }: UseQueryResult<PageOfWorks, DeskError>,
  shown: PageOfWorks | undefined,
  showBeginning: (page: PageOfWorks) => void,
) {
  const { key: visit } = useLocation()
  const [isFrozen, setIsFrozen] = useHistoryState("isFrozen", false)
  const [countedFrom, setCountedFrom] = useState<{ readonly visit: string; readonly page: PageOfWorks | undefined }>()
  const isTouched = useTouched()
  const hasAnswer = isFetchedAfterMount && isSuccess
  if (hasAnswer && !isFrozen && countedFrom?.visit !== visit) setCountedFrom({ visit, page: data })
  useLayoutEffect(() => {
    if (data === undefined) return
    const isScrolled = isTouched && scrollY > 0
    const keepsRows = shown !== undefined && (isFrozen || isScrolled)
    if (data !== shown && !keepsRows) showBeginning(data)
    if (!isFrozen && isTouched && (hasAnswer || isScrolled)) setIsFrozen(true)
  }, [isFrozen, setIsFrozen, isTouched, hasAnswer, data, shown, showBeginning])
  const countFrom = (page: PageOfWorks | undefined) => setCountedFrom({ visit, page })
  return [countedFrom?.visit === visit ? countedFrom.page : undefined, countFrom] as const
}

/** The newest state of the Works that have left the list, by id: null for a Work that the person does not see any more. */
function useReadAlone(fresh: PageOfWorks | undefined, rows: readonly Work[]): ReadonlyMap<string, Work | null> {
  const left = useMemo(() => (fresh ? leftOf(fresh, rows).slice(0, LEFT_MAX) : []), [fresh, rows])
  const answers = useQueries({ queries: left.map(({ id }) => workOptions(id)), combine })
  return useMemo(
    () => new Map(left.flatMap(({ id }, index) => (answers[index] === undefined ? [] : [[id, answers[index]]]))),
    [left, answers],
  )
}

const combine = (results: readonly UseQueryResult<Work, DeskError>[]) =>
  results.map(({ data, error }) => (error?.failure === "not-visible" ? null : data))

/** The failure of the last attempt that has ended. It stays while the next attempt is under way, so that the alert does not flicker. */
function useLastFailure({ error, isSuccess }: UseQueryResult<PageOfWorks, DeskError>): DeskError | null {
  const [failure, setFailure] = useState(error)
  if (error && error !== failure) setFailure(error)
  if (isSuccess && failure) setFailure(null)
  return failure
}

import { useInfiniteQuery, useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react"
import { NavigationType, useLocation, useNavigationType } from "react-router"
import type { Work } from "../../contract/resources.ts"
import type { DeskError } from "../client/desk-error.ts"
import { workOptions } from "../client/work-reads.ts"
import { useTouched } from "../inbox/use-touched.ts"
import type { ListOrder } from "../../contract/work-order.ts"
import { arrangeDone } from "./list-order.ts"
import { findLeft, findNew, rowsOf } from "./list-rows.ts"
import { firstPageOptions, isLast, type ListPage, type Pages, pagesOptions } from "./work-queries.ts"

/** The most Works that are read one by one after they left the list. */
const LEFT_MAX = 50

/**
 * The list of Work that `wanted` asks for, open Work before done Work. Its beginning is polled. Until the person touches the list it follows
 * what is polled. Then its rows stay: a change of a row is shown in its place, and what is new waits for `showNew`.
 */
export function useWorkList(wanted: ListOrder) {
  const client = useQueryClient()
  const options = useMemo(() => pagesOptions(wanted, client), [client, wanted])
  const before = client.getQueryData(options.queryKey)
  const shown = before?.pages.reduce((sum, { data, isDone }) => sum + (isDone ? 0 : data.length), 0)
  const first = useQuery(firstPageOptions(wanted, shown))
  const pages = useInfiniteQuery({ ...options, enabled: first.data !== undefined })
  const failure = useLastFailure(first)

  const { read, open } = useMemo(() => {
    const all = pages.data?.pages ?? []
    return { read: rowsOf(all), open: rowsOf(all.filter(({ isDone }) => !isDone)).length }
  }, [pages.data])
  const known = useNewest(first.data, read, open)
  const openRows = useMemo(() => known.slice(0, open).filter((work) => work !== undefined), [known, open])
  const doneRead = useMemo(() => known.slice(open).filter((work) => work !== undefined), [known, open])
  const rows = useMemo(() => [...openRows, ...arrangeDone(doneRead, wanted)], [openRows, doneRead, wanted])

  /**
   * Shows the beginning of the list as it is now. The pages below are read again, except done Work where `mayKeepDone` and no Work has left the
   * open list.
   */
  const show = useCallback(
    async (fresh: ListPage, mayKeepDone = true) => {
      // A page that is being read would bring back the pages as they were at its request.
      await client.cancelQueries({ queryKey: options.queryKey, exact: true })
      client.setQueryData<Pages>(options.queryKey, (old) => {
        if (!old) return old
        const ids = new Set(fresh.data.map(({ id }) => id))
        const isWhole = !fresh.isDone && isLast(fresh)
        const keeps =
          mayKeepDone && isWhole && old.pages.every(({ isDone, data }) => isDone || data.every(({ id }) => ids.has(id)))
        const kept = old.pages.flatMap((page, index) =>
          keeps && page.isDone ? [{ page, cursor: old.pageParams[index] }] : [],
        )
        return {
          pages: [fresh, ...kept.map(({ page }) => page)],
          pageParams: [undefined, ...kept.map(({ cursor }) => cursor)],
        }
      })
    },
    [client, options],
  )
  const news = useMemo(() => {
    const [fresh, all] = [first.data, pages.data?.pages]
    if (fresh === undefined || all === undefined) return { works: [], mayBeMore: false }
    // Done Work below open Work is no part of what is polled.
    const hasAll = all.some((page) => page.isDone === fresh.isDone && isLast(page))
    return findNew({ works: fresh.data, isWhole: isLast(fresh) }, read, hasAll)
  }, [first.data, pages.data, read])
  const arrived = useFollowing(first, before !== undefined, pages.data?.pages[0], news.works.length, show)
  const last = pages.data?.pages.at(-1)
  return {
    rows,
    /** The number of rows of open Work. The other rows are the loaded done Work. */
    open: openRows.length,
    /** The number of loaded done Works, before filters. */
    doneLoaded: doneRead.length,
    coverage: first.data?.coverage,
    /** How many Works came since the list was opened: those that wait for `showNew`, and those that have their rows already. */
    news: news.works.length + arrived.count,
    /** Whether more than `news` may be new. */
    mayBeMoreNews: news.mayBeMore,
    showNew: () => {
      arrived.forget()
      if (first.data) void show(first.data)
    },
    refresh: async () => {
      const { data } = await first.refetch()
      if (data) await show(data, false)
    },
    refreshing: first.isFetching,
    loading: pages.data === undefined,
    updatedAt: first.dataUpdatedAt,
    error: failure?.error ?? null,
    errorAt: failure?.at ?? 0,
    more: {
      exists: pages.hasNextPage,
      /** Whether the filters show no row of the last page of done Work. */
      isFruitless: last?.isDone === true && arrangeDone(last.data, wanted).length === 0,
      // A request that is under way is not sent again.
      load: () => pages.fetchNextPage({ cancelRefetch: false }),
      loading: pages.isFetchingNextPage,
      error: pages.isFetchNextPageError ? pages.error : null,
      errorAt: pages.errorUpdatedAt,
    },
  }
}

/**
 * The rows, each in its newest version: from the beginning of the list, or read alone where the Work has left the list. A Work that the person
 * does not see any more is undefined.
 */
function useNewest(fresh: ListPage | undefined, rows: readonly Work[], open: number): readonly (Work | undefined)[] {
  const left = useMemo(
    () => (fresh ? findLeft({ works: fresh.data, isWhole: isLast(fresh) }, rows.slice(0, open)) : []),
    [fresh, rows, open],
  )
  const alone = useQueries({ queries: left.slice(0, LEFT_MAX).map(({ id }) => workOptions(id)), combine })
  return useMemo(() => {
    const newest = new Map((fresh?.data ?? []).map((work) => [work.id, work]))
    const gone = new Set<string>()
    for (const [index, { work, isGone }] of alone.entries()) {
      if (work) newest.set(work.id, work)
      if (isGone) gone.add(left[index]?.id ?? "")
    }
    return rows.map((work) => {
      const other = newest.get(work.id)
      if (gone.has(work.id)) return undefined
      return other && other.version > work.version ? other : work
    })
  }, [fresh, rows, left, alone])
}

const combine = (results: readonly UseQueryResult<Work, DeskError>[]) =>
  results.map(({ data: work, error }) => ({ work, isGone: error?.failure === "not-visible" }))

/**
 * Lets the list follow the polled beginning: with the first answer of each visit until the person scrolls, and with each one until the person
 * touches the page. After going back the list stays as the person left it.
 *
 * @param news how many Works would get a row
 * @returns how many Works got a row since the first answer of the visit
 */
function useFollowing(
  { data, dataUpdatedAt }: { data: ListPage | undefined; dataUpdatedAt: number },
  wasShown: boolean,
  shown: ListPage | undefined,
  news: number,
  show: (fresh: ListPage) => Promise<void>,
): { readonly count: number; readonly forget: () => void } {
  const { key } = useLocation()
  // React Router calls the first page of a visit `Pop` too. Then nothing was shown before.
  const isReturn = useNavigationType() === NavigationType.Pop && wasShown
  const isTouched = useTouched()
  const [arrived, setArrived] = useState({ key, count: 0 })
  const visit = useRef({ key: "", since: 0, isReturn: false })
  const followed = useRef<ListPage>(undefined)
  useLayoutEffect(() => {
    // A page that was read within the last second counts as fresh, because it is not read again (`staleTime`).
    if (visit.current.key !== key) visit.current = { key, since: Date.now() - 1_000, isReturn }
    const { since } = visit.current
    const isFirst = data !== undefined && dataUpdatedAt >= since
    if (isFirst) visit.current.since = Infinity
    if (data === undefined || shown === undefined || data === shown || data === followed.current) return
    if (visit.current.isReturn || (isTouched && !(isFirst && scrollY === 0))) return
    followed.current = data
    if (since === Infinity) setArrived((before) => ({ key, count: (before.key === key ? before.count : 0) + news }))
    void show(data)
  }, [key, isReturn, isTouched, data, dataUpdatedAt, shown, news, show])
  return { count: arrived.key === key ? arrived.count : 0, forget: () => setArrived({ key, count: 0 }) }
}

/** The failure of the last attempt that has ended. It stays while the next attempt is under way, so that the alert does not flicker. */
function useLastFailure(query: { error: DeskError | null; errorUpdatedAt: number; isSuccess: boolean }) {
  const [failure, setFailure] = useState<{ error: DeskError; at: number }>()
  if (query.error && query.error !== failure?.error) setFailure({ error: query.error, at: query.errorUpdatedAt })
  if (query.isSuccess && failure) setFailure(undefined)
  return failure
}

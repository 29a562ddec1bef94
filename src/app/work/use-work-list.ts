import { useInfiniteQuery, useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import { useCallback, useMemo, useState } from "react"
import { useLocation } from "react-router"
import type { Work } from "../../contract/resources.ts"
import type { ListOrder } from "../../contract/work-order.ts"
import type { DeskError } from "../client/desk-error.ts"
import { workOptions } from "../client/work-reads.ts"
import { arrangeDone } from "./list-order.ts"
import {
  newestOf,
  newsOf,
  type PageOfWorks,
  type ReadAlone,
  rowsOf,
  type ShownPages,
  withBeginning,
  worksThatLeft,
} from "./list-pages.ts"
import { useFrozenRows } from "./use-frozen-rows.ts"
import { beginningOptions, shownOptions } from "./work-queries.ts"

/** The most Works that are read one by one after they left the list. */
const READ_ALONE_MAX = 50
const NO_PAGES: readonly PageOfWorks[] = []

/**
 * The list of Work that `wanted` asks for, open Work before done Work. The beginning of the list is polled. Until the person touches the page,
 * each polled beginning is shown. Then the rows are frozen (`useFrozenRows`):
 *
 * - A Work that changes is shown in its place, in its newest version.
 * - A Work that leaves the list is read alone, and stays in its place. Its row goes only where the person does not see the Work any more.
 * - New Work waits for `showNew`.
 */
export function useWorkList(wanted: ListOrder) {
  const { shown, changePages } = useShownPages(wanted)
  const pages = shown.data?.pages ?? NO_PAGES
  const shownBeginning = pages[0]
  const shownRows = useMemo(() => rowsOf(pages), [pages])

  const polling = useQuery(beginningOptions(wanted, shownRows.open.length))
  const polled = polling.data
  /** Whether the first answer of this visit has come. Before that, `polled` is from the cache. */
  const hasAnswer = polling.isFetchedAfterMount && polling.isSuccess
  const error = useLastFailure(polling)

  const showBeginning = useCallback(
    (page: PageOfWorks) => changePages((before) => withBeginning(before, page)),
    [changePages],
  )
  const isFrozen = useFrozenRows({ polled, hasAnswer, shownBeginning, showBeginning })

  const readAlone = useReadAlone(polled, shownRows.open)
  const open = useMemo(() => newestOf(shownRows.open, polled, readAlone), [shownRows, polled, readAlone])
  const done = useMemo(() => newestOf(shownRows.done, polled, readAlone), [shownRows, polled, readAlone])
  const rows = useMemo(() => [...open, ...arrangeDone(done, wanted)], [open, done, wanted])

  const [countedFrom, countFrom] = useCountedFrom(hasAnswer && !isFrozen ? polled : undefined)
  const newsWithoutRows = useMemo(() => (polled ? newsOf(polled, pages) : undefined), [polled, pages])
  const newsWithRows = useMemo(
    () => (countedFrom && shownBeginning ? newsOf(shownBeginning, [countedFrom]) : undefined),
    [countedFrom, shownBeginning],
  )
  const last = pages.at(-1)
  return {
    rows,
    /** The number of rows of open Work. The other rows are the loaded done Work. */
    open: open.length,
    /** The number of loaded done Works, before filters. */
    doneLoaded: done.length,
    coverage: polled?.coverage,
    /** How many Works came since the list was opened: those that wait for `showNew`, and those that have rows already. */
    news: (newsWithoutRows?.works.length ?? 0) + (newsWithRows?.works.length ?? 0),
    /** Whether more than `news` may be new. */
    mayBeMoreNews: newsWithoutRows?.mayBeMore === true,
    /** Shows the polled beginning, also where the rows are frozen. */
    showNew: () => {
      if (polled) showBeginning(polled)
      countFrom(polled)
    },
    /** Reads the beginning again, and shows that page alone: later pages are read again when the person asks for them. */
    refresh: async () => {
      const { data } = await polling.refetch()
      if (data) changePages(() => withBeginning(undefined, data))
      countFrom(data)
    },
    refreshing: polling.isFetching,
    loading: shown.data === undefined,
    updatedAt: polling.dataUpdatedAt,
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

/** The pages on the screen, and a function that puts other pages in their place. */
function useShownPages(wanted: ListOrder) {
  const client = useQueryClient()
  const { key: visit } = useLocation()
  const options = useMemo(() => shownOptions(wanted, visit, client), [wanted, visit, client])
  const shown = useInfiniteQuery(options)
  const changePages = useCallback(
    (next: (before: ShownPages | undefined) => ShownPages) => {
      // A page that is being read would bring back the pages as they were at its request.
      void client.cancelQueries({ queryKey: options.queryKey, exact: true })
      client.setQueryData<ShownPages>(options.queryKey, next)
    },
    [client, options],
  )
  return { shown, changePages }
}

/**
 * The beginning from which on new Works are counted, and a function that puts another in its place. Each visit counts from the first
 * `beginning` that is defined. After going back nothing is counted until `showNew` or `refresh`.
 */
function useCountedFrom(beginning: PageOfWorks | undefined) {
  const { key: visit } = useLocation()
  const [counted, setCounted] = useState<{ readonly visit: string; readonly from: PageOfWorks | undefined }>()
  const isOfThisVisit = counted?.visit === visit
  // React renders again at once after a state is set in a render.
  if (!isOfThisVisit && beginning !== undefined) setCounted({ visit, from: beginning })
  const countFrom = (page: PageOfWorks | undefined) => setCounted({ visit, from: page })
  return [isOfThisVisit ? counted.from : undefined, countFrom] as const
}

/** Reads one by one the Works that have left the list while they have rows, by id. A Work whose answer is not there yet is left out. */
function useReadAlone(polled: PageOfWorks | undefined, rows: readonly Work[]): ReadonlyMap<string, ReadAlone> {
  const left = useMemo(() => (polled ? worksThatLeft(polled, rows).slice(0, READ_ALONE_MAX) : []), [polled, rows])
  const answers = useQueries({ queries: left.map(({ id }) => workOptions(id)), combine: answersOf })
  return useMemo(() => {
    const byId = new Map<string, ReadAlone>()
    for (const [index, { id }] of left.entries()) {
      const answer = answers[index]
      if (answer !== undefined) byId.set(id, answer)
    }
    return byId
  }, [left, answers])
}

const answersOf = (results: readonly UseQueryResult<Work, DeskError>[]): readonly (ReadAlone | undefined)[] =>
  results.map(({ data, error }) => (error?.failure === "not-visible" ? "gone" : data))

/** The failure of the last attempt that has ended. It stays while the next attempt is under way, so that the alert does not flicker. */
function useLastFailure({ error, isSuccess }: UseQueryResult<PageOfWorks, DeskError>): DeskError | null {
  const [failure, setFailure] = useState(error)
  if (error && error !== failure) setFailure(error)
  if (isSuccess && failure) setFailure(null)
  return failure
}

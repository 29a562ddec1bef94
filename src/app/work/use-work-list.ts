import { useQueries, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import { useCallback, useLayoutEffect, useMemo, useState } from "react"
import { OPEN_WORK_PAGE_ROWS } from "../../contract/desk-work.ts"
import type { Work } from "../../contract/resources.ts"
import type { DeskError } from "../client/desk-error.ts"
import { newsOptions } from "../client/news.ts"
import { useSession } from "../client/session.ts"
import { useNextPage } from "../client/use-next-page.ts"
import { useHistoryState } from "../ui/history-state.ts"
import { useTouched } from "../ui/list-parts.tsx"
import { arrangeDone, queryOf, type WantedList } from "./list-order.ts"
import {
  countNews,
  delegatedOf,
  listAfter,
  type ListEvent,
  type ListState,
  newestOf,
  OPENED,
  type PageOfWorks,
  type ReadAgain,
  type ReadAlone,
  rowsOf,
  worksThatLeft,
} from "./list-state.ts"
import { pageOptions, workAloneOptions } from "./work-queries.ts"

/** The most Works that are read one by one after they left the list. */
const READ_ALONE_MAX = 50

/**
 * The list of Work that `wanted` asks for, open Work before done Work. The beginning and the visible pages are polled. Until the person touches
 * the page, each polled beginning is shown. Then the rows are frozen (`list-state.ts`):
 *
 * - A Work that changes is shown in its place, in its newest version.
 * - A Work that leaves the list is read alone, and stays in its place. Its row goes only where the person does not see the Work any more.
 * - New Work waits for `showNew`.
 */
export function useWorkList(wanted: WantedList) {
  const polling = useQuery(pageOptions(wanted))
  const polled = polling.data
  const { list, update } = useListState(wanted, polling)
  const { pages } = list
  const shownRows = useMemo(() => rowsOf(pages), [pages])

  const [visibleRange, setVisibleRange] = useState<readonly [first: number, last: number]>([0, 0])
  const visible = useVisiblePages(wanted, pages, visibleRange)
  const readAgain = useMemo(
    () => [...(polled && pages[0] ? [{ shown: pages[0], latest: polled }] : []), ...visible.readAgain],
    [polled, pages, visible.readAgain],
  )
  const latest = useMemo(() => readAgain.map((page) => page.latest), [readAgain])
  const readAlone = useReadAlone(readAgain)
  const open = useMemo(() => newestOf(shownRows.open, latest, readAlone), [shownRows, latest, readAlone])
  const done = useMemo(() => newestOf(shownRows.done, latest, readAlone), [shownRows, latest, readAlone])
  const delegated = useMemo(() => delegatedOf([...pages, ...latest]), [pages, latest])
  const delegators = useMemo(() => {
    const people = [...(polled?.coverage?.delegators ?? []), ...Object.values(delegated)]
    return [...new Map(people.map((person) => [person.id, person])).values()]
  }, [polled, delegated])
  const session = useSession()
  const myId = session?.mode === "sign-in" ? session.person.id : undefined
  const newIds = useNewIds(wanted)
  const rows = useMemo(
    () => [...open, ...arrangeDone(done, wanted, delegated, myId, newIds)],
    [open, done, wanted, delegated, myId, newIds],
  )

  const news = useMemo(() => countNews(list, polled), [list, polled])
  const last = pages.at(-1)
  const client = useQueryClient()
  const more = useNextPage({
    last,
    read: (cursor) => client.fetchQuery({ ...pageOptions(wanted, cursor), staleTime: 0 }),
    add: (page) => update({ type: "more", page }),
  })
  return {
    rows,
    /** Who delegated the Works of the rows. */
    delegated,
    /** The number of rows of open Work. The other rows are the loaded done Work. */
    open: open.length,
    /** The number of loaded done Works, before filters. */
    doneLoaded: done.length,
    coverage: polled?.coverage,
    /** Everybody who delegated open Work or loaded done Work. */
    delegators,
    /** How many Works can't be read and have no row. */
    unread:
      (polled?.unread ?? 0) +
      pages.reduce((sum, { isDone, unread = 0 }, at) => sum + (isDone && at > 0 ? unread : 0), 0),
    news,
    /** Shows the polled beginning, also where the rows are frozen. */
    showNew: () => polled && update({ type: "show new", page: polled }),
    /** Reads the beginning again, and shows that page alone: later pages are read again when the person asks for them. */
    refresh: async () => {
      const { data } = await polling.refetch()
      if (data) update({ type: "refreshed", page: data })
    },
    refreshing: polling.isFetching,
    loading: last === undefined,
    /** Whether everything was read, and there is no Work. */
    isEmpty: last !== undefined && rows.length === 0 && news === 0 && !more.exists && polling.error === null,
    /** When the rows that the person sees were read. */
    updatedAt: Math.min(polling.dataUpdatedAt, ...visible.updatedAt),
    error: polling.error ?? visible.error,
    more: {
      ...more,
      /** Whether the filters show no row of the last page of done Work. */
      isFruitless: last?.isDone === true && arrangeDone(last.data, wanted, delegated, myId, newIds).length === 0,
    },
    /** Called with the indexes of the first and the last visible row. */
    onVisibleRows: (first: number, end: number) => {
      const next = [Math.floor(first / OPEN_WORK_PAGE_ROWS), Math.floor(end / OPEN_WORK_PAGE_ROWS)] as const
      if (next[0] !== visibleRange[0] || next[1] !== visibleRange[1]) setVisibleRange(next)
    },
  }
}

/** The ids of the Work that is new to the person. Undefined until they are read, and without the filter. */
function useNewIds({ new: isWanted }: WantedList): ReadonlySet<string> | undefined {
  const { data } = useQuery({ ...newsOptions, enabled: isWanted !== undefined })
  return useMemo(() => data && new Set(data.new.map(({ work }) => work)), [data])
}

function useListState(wanted: WantedList, polling: UseQueryResult<PageOfWorks, DeskError>) {
  const [state, change] = useHistoryState(`list ${queryOf(wanted)}`, OPENED)
  const isTouched = useTouched()
  const { data: page } = polling
  // Before the first answer of this visit, the page is from the cache.
  const hasAnswer = polling.isFetchedAfterMount && polling.isSuccess
  const touched = !isTouched ? "no" : scrollY > 0 ? "scrolled" : "touched"
  const withPolled = useCallback(
    (before: ListState) =>
      page === undefined ? before : listAfter(before, { type: "polled", page, hasAnswer, touched }),
    [page, hasAnswer, touched],
  )
  // The visit keeps the shown beginning before the person can touch a row of it.
  useLayoutEffect(() => change(withPolled), [change, withPolled])
  // The first render has the rows already.
  return {
    list: useMemo(() => withPolled(state), [withPolled, state]),
    update: (event: ListEvent) => change((before) => listAfter(before, event)),
  }
}

/** Reads the visible pages again, below the first page, which is polled anyway. Done Work does not change. */
function useVisiblePages(wanted: WantedList, pages: readonly PageOfWorks[], [first, last]: readonly [number, number]) {
  const visible = useMemo(
    () => pages.slice(first, last + 1).filter(({ isDone, cursor }) => !isDone && cursor !== undefined),
    [pages, first, last],
  )
  const read = useQueries({
    queries: visible.map(({ cursor }) => pageOptions(wanted, cursor)),
    combine: combinePages,
  })
  const readAgain = useMemo(
    () =>
      visible.flatMap((shown): ReadAgain | readonly ReadAgain[] => {
        const latest = read.pages.find(({ cursor }) => cursor === shown.cursor)
        return latest === undefined ? [] : { shown, latest }
      }),
    [visible, read.pages],
  )
  return { readAgain, updatedAt: read.updatedAt, error: read.error }
}

const combinePages = (results: readonly UseQueryResult<PageOfWorks, DeskError>[]) => ({
  pages: results.flatMap(({ data }) => data ?? []),
  updatedAt: results.flatMap(({ dataUpdatedAt }) => (dataUpdatedAt === 0 ? [] : dataUpdatedAt)),
  error: results.find(({ error }) => error !== null)?.error ?? null,
})

/** Reads one by one the Works that have left the list while they have rows, by id. A Work whose answer is not there yet is left out. */
function useReadAlone(readAgain: readonly ReadAgain[]): ReadonlyMap<string, ReadAlone> {
  const left = useMemo(() => worksThatLeft(readAgain).slice(0, READ_ALONE_MAX), [readAgain])
  const answers = useQueries({ queries: left.map(({ id }) => workAloneOptions(id)), combine: answersOf })
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

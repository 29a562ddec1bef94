import { type InfiniteData, infiniteQueryOptions, type QueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { NavigationType, useLocation, useNavigationType } from "react-router"
import type { DeskError } from "../client/desk-error.ts"
import { retryInterval } from "../client/polling.ts"
import { type ListQuery, queryOf } from "./list-address.ts"
import { firstPageOptions, isLastOfOpen, type ListPage, readListPage } from "./work-queries.ts"

export type Pages = InfiniteData<ListPage, string | undefined>

/**
 * The pages on the screen. They stay as they were read until the person asks for more or for a refresh. Their key is not below `workListKey`,
 * because an event must not have a thousand rows read again.
 */
export const pagesOptions = (wanted: ListQuery, client: QueryClient) =>
  infiniteQueryOptions<ListPage, DeskError, Pages, readonly string[], string | undefined>({
    queryKey: ["work-pages", queryOf(wanted)],
    queryFn: ({ pageParam, signal }) =>
      pageParam === undefined
        ? client.fetchQuery({ ...firstPageOptions(wanted), staleTime: Infinity })
        : readListPage(wanted, pageParam, signal),
    // A first page that is in the cache is shown in the first render.
    initialData: () => {
      const page = client.getQueryData(firstPageOptions(wanted).queryKey)
      return page && { pages: [page], pageParams: [undefined] }
    },
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Infinity,
    // Comparing ten thousand rows at every page would be slow. A page that did not change keeps its identity.
    structuralSharing: false,
    gcTime: 30 * 60_000,
    // This tries a failed refresh again. `ListEnd` tries a failed further page again.
    refetchInterval: (query) => (isFurtherPage(query.state.fetchMeta) ? false : retryInterval(query)),
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })

const isFurtherPage = (fetchMeta: unknown): boolean =>
  typeof fetchMeta === "object" && fetchMeta !== null && "fetchMore" in fetchMeta && fetchMeta.fetchMore !== undefined

/** Changes the pages on the screen. */
export type SetPages = (change: (pages: readonly ListPage[]) => readonly ListPage[]) => Promise<void>

/**
 * Replaces the pages of an earlier visit, and those of a preloaded list, by the next answer, so that a person sees the present list. After
 * going back, the list stays as the person left it. `shown` is the first page on the screen.
 */
export function useFreshVisit(
  first: { data: ListPage | undefined; dataUpdatedAt: number },
  shown: ListPage | undefined,
  setPages: SetPages,
): void {
  const { key } = useLocation()
  const type = useNavigationType()
  const since = useRef<{ key: string; moment: number; isPreloaded: boolean }>(undefined)
  const { data, dataUpdatedAt } = first
  useEffect(() => {
    if (since.current?.key !== key) {
      // React Router calls the first page of a visit `Pop`, too. Then nothing has been read, except a preloaded list (`first-page.ts`).
      const isReturn = type === NavigationType.Pop && dataUpdatedAt > 0
      // A page that was read within the last second counts as fresh, because it is not read again (`staleTime`).
      since.current = { key, moment: isReturn ? Infinity : Date.now() - 1000, isPreloaded: dataUpdatedAt === 0 }
    }
    const { moment, isPreloaded } = since.current
    if (!data || dataUpdatedAt < moment) return
    since.current.moment = Infinity
    // Equal answers are one object (TanStack Query's structural sharing).
    if (isPreloaded && data === shown) return
    // Done Work below a preloaded list was read just now.
    const keepsDone = isPreloaded && isLastOfOpen(data)
    void setPages(([, ...rest]) => [data, ...rest.filter(({ isDone }) => isDone && keepsDone)])
  }, [key, type, data, dataUpdatedAt, shown, setPages])
}

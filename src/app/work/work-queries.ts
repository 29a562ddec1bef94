import { queryOptions } from "@tanstack/react-query"
import type { OpenWorkList } from "../../contract/desk.ts"
import type { WorkList } from "../../contract/resources.ts"
import { api, dataOf } from "../client/api.ts"
import type { DeskError } from "../client/desk-error.ts"
import { readDeskJson } from "../client/desk-read.ts"
import { workListKey } from "../client/query-keys.ts"
import { LIST_PACE, pollInterval } from "../client/polling.ts"
import { type ListQuery, queryOf } from "./list-address.ts"

/** A page of the list. Open Work comes from the desk, done Work from the service. */
export type ListPage = WorkList & {
  readonly isDone: boolean
  /** Of open Work: how many match, of how many there are, and whether the desk has listed all of them. */
  readonly coverage?: Pick<OpenWorkList, "total" | "of" | "complete" | "colleagues">
}

const interval = pollInterval(LIST_PACE)

/** A cursor of done Work begins with this prefix. Without a status, the pages of done Work follow those of open Work. */
const DONE = "done:"

/** Whether no further page of open Work follows. */
export const isLastOfOpen = ({ next_cursor }: ListPage): boolean => next_cursor?.startsWith(DONE) ?? true

/**
 * Reads one page of the list.
 *
 * @param cursor the `next_cursor` of the page before; undefined for the first page
 * @param isFresh asks for a list that the desk reads after the request has arrived
 * @throws DeskError
 */
export async function readListPage(
  wanted: ListQuery,
  cursor: string | undefined,
  signal: AbortSignal,
  isFresh = false,
): Promise<ListPage> {
  if (wanted.status === "done" || cursor?.startsWith(DONE)) {
    const after = cursor?.slice(DONE.length) || undefined
    const query = { status: "done" as const, ...(after !== undefined && { cursor: after }) }
    const { data, next_cursor } = await dataOf(api.GET("/api/v1/work", { params: { query }, signal }))
    return { data, isDone: true, ...(next_cursor !== undefined && { next_cursor: DONE + next_cursor }) }
  }
  const query = new URLSearchParams(queryOf(wanted))
  if (cursor !== undefined) query.set("cursor", cursor)
  return toListPage(await readDeskJson<OpenWorkList>(`/desk/work?${query.toString()}`, signal, { isFresh }), wanted)
}

/** A page of open Work, as the desk answers it. */
export function toListPage(answer: OpenWorkList, wanted: ListQuery): ListPage {
  const { data, total, of, complete, colleagues } = answer
  // Done Work has another status, and is not due any more.
  const mayBeDone = wanted.status === undefined && wanted.due === undefined
  const next = answer.next_cursor ?? (mayBeDone ? DONE : undefined)
  return {
    data: [...data],
    isDone: false,
    coverage: { total, of, complete, colleagues },
    ...(next !== undefined && { next_cursor: next }),
  }
}

/** Where the known list is older than this, the desk is asked for a fresh list. */
const FRESH_AFTER_MS = 15_000

/** The first page of the list, polled while it is shown, by one tab for all tabs of the browser. */
export const firstPageOptions = (wanted: ListQuery) =>
  queryOptions<ListPage, DeskError>({
    queryKey: [...workListKey, "first", queryOf(wanted)],
    queryFn: ({ signal, client, queryKey }) => {
      const age = Date.now() - (client.getQueryState(queryKey)?.dataUpdatedAt ?? 0)
      return readListPage(wanted, undefined, signal, age > FRESH_AFTER_MS)
    },
    refetchInterval: interval,
    meta: { shared: true },
  })

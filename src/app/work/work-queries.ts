/** The queries of the list of Work, and of who delegated it. */
import { queryOptions } from "@tanstack/react-query"
import { DELEGATED_MAX, type Delegated, type DelegatedWork, type OpenWorkList } from "../../contract/desk-work.ts"
import type { Work } from "../../contract/resources.ts"
import { deskNow } from "../client/clock.ts"
import { DeskError } from "../client/desk-error.ts"
import { deskQuery, readDesk } from "../client/desk-request.ts"
import { LIST_PACE, pollInterval } from "../client/polling.ts"
import { answerWith, schemaReading, validOf } from "../client/value-schema.ts"
import { workListAnswer, workListKey, workOptions } from "../client/work-reads.ts"
import { pagePerson } from "../client/session.ts"
import { deskQueryOf, queryOf, type WantedList } from "./list-order.ts"
import { DONE, type PageOfWorks } from "./list-state.ts"

const interval = pollInterval(LIST_PACE)
/** How often a Work that has left the list is read again, until it is done. */
const aloneInterval = pollInterval({ fast: 60_000, slow: 60_000 })

/** Reads a page of done Work from the service (openapi.yaml, listWork). @throws DeskError */
async function readDonePage(signal: AbortSignal, cursor = DONE): Promise<PageOfWorks> {
  const after = cursor.slice(DONE.length)
  const query = new URLSearchParams({ status: "done", ...(after !== "" && { cursor: after }) })
  const { data, unread, next_cursor: next } = await readDesk(`/api/v1/work?${query}`, workListAnswer, { signal })
  const delegated = await readDelegated(
    data.map(({ id }) => id),
    signal,
  )
  return { data: [...data], delegated, unread, isDone: true, ...(next !== undefined && { next_cursor: DONE + next }) }
}

/** Who delegated this Work. If that can't be read, the rows are shown without it. */
async function readDelegated(ids: readonly string[], signal: AbortSignal): Promise<Delegated> {
  if (ids.length === 0 || pagePerson() === LOCAL) return {}
  try {
    const query = new URLSearchParams(ids.slice(0, DELEGATED_MAX).map((id) => ["work", id]))
    return (await readDesk(`/desk/delegated?${query}`, answerWith<DelegatedWork>("delegated"), { signal })).delegated
  } catch (error) {
    if (!(error instanceof DeskError)) throw error
    return {}
  }
}

const LOCAL = "local"

/** Who delegated one Work. */
export const delegatedOptions = (workId: string) =>
  deskQuery(
    ["delegated", workId],
    `/desk/delegated?${new URLSearchParams({ work: workId })}`,
    answerWith<DelegatedWork>("delegated"),
    { staleTime: 30_000 },
  )

const openWorkFigures = answerWith<OpenWorkList>("data", "total", "of", "colleagues")
/** A page of open Work of the desk. */
export const openWorkList = schemaReading((given) => {
  const figures = validOf(openWorkFigures, given)
  const list = validOf(workListAnswer, given)
  return figures && list && { ...figures, data: list.data, unread: (figures.unread ?? 0) + list.unread }
})

/** A page of open Work, as the desk answers it. */
export function toPage(answer: OpenWorkList, wanted: WantedList): PageOfWorks {
  const { data, total, of, complete, colleagues, delegated, delegators } = answer
  // Done Work has another status, and is not due any more.
  const mayBeDone = wanted.status === undefined && wanted.due === undefined
  const next = answer.next_cursor ?? (mayBeDone ? DONE : undefined)
  return {
    data: [...data],
    unread: answer.unread ?? 0,
    isDone: false,
    coverage: { total, of, complete, colleagues, ...(delegators !== undefined && { delegators }) },
    ...(delegated !== undefined && { delegated }),
    ...(next !== undefined && { next_cursor: next }),
  }
}

/** After this time the known list is old, and the desk is asked for a list that it reads after the request has arrived. */
const FRESH_AFTER_MS = 15_000

/** A page of the list as it is now; without a cursor the first. It is polled while it is shown. */
export const pageOptions = (wanted: WantedList, cursor?: string) =>
  queryOptions<PageOfWorks, DeskError>({
    queryKey: [...workListKey, queryOf(wanted), cursor ?? ""],
    queryFn: async ({ signal, client, queryKey }) => {
      const at = cursor === undefined ? {} : { cursor }
      if (wanted.status === "done" || cursor?.startsWith(DONE) === true)
        return { ...(await readDonePage(signal, cursor)), ...at }
      const query = new URLSearchParams({ ...Object.fromEntries(deskQueryOf(wanted, deskNow())), ...at })
      const mustBeFresh = Date.now() - (client.getQueryState(queryKey)?.dataUpdatedAt ?? 0) > FRESH_AFTER_MS
      const answer = await readDesk(`/desk/work?${query.toString()}`, openWorkList, { signal, mustBeFresh })
      return { ...toPage(answer, wanted), ...at }
    },
    // Each visit begins with an answer of its own. A further page was read when it was added.
    staleTime: cursor === undefined ? 0 : FRESH_AFTER_MS,
    refetchInterval: interval,
  })

/** A Work that has left the list. A Work that is done does not change any more, and is not read again. */
export const workAloneOptions = (id: string) => {
  const isDone = (work: Work | undefined) => work?.status === "done"
  return queryOptions<Work, DeskError>({
    ...workOptions(id),
    staleTime: ({ state }) => (isDone(state.data) ? Infinity : 1_000),
    refetchInterval: (query) => (isDone(query.state.data) ? false : aloneInterval(query)),
  })
}

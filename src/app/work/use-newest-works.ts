import { queryOptions, skipToken, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import type { Work } from "../../contract/resources.ts"
import { workOptions } from "../client/reads.ts"
import { missingFrom, withWorks } from "./work-list-data.ts"
import { isLastOfOpen, type ListPage } from "./work-queries.ts"

/** The most Works that are read at once after they left the filter. */
const CORRECTIONS_AT_ONCE = 10

const nothing: ReadonlyMap<string, Work> = new Map()

/** The newest known version of each Work, whichever filter read it. */
const newerOptions = queryOptions<ReadonlyMap<string, Work>>({
  queryKey: ["work-newer"],
  queryFn: skipToken,
  initialData: nothing,
  gcTime: 30 * 60_000,
  structuralSharing: false,
})

/**
 * The newest known version of each Work: from the polled first page, from the pages of single Works, and from a read of each row that no
 * longer matches the filter.
 *
 * @param fresh the polled first page
 * @param rows the open Work on the screen
 */
export function useNewestWorks(fresh: ListPage | undefined, rows: readonly Work[]) {
  const client = useQueryClient()
  const { data: newer = nothing } = useQuery(newerOptions)
  // Only a fresh page starts reads. More rows on the screen do not.
  const shown = useRef(rows)
  /** For each Work that left the list, the version for which it was read. */
  const asked = useRef(new Map<string, bigint>())
  useEffect(() => {
    shown.current = rows
  })
  useEffect(() => {
    const seen = client
      .getQueriesData<Work>({ queryKey: ["work"], predicate: ({ queryKey }) => queryKey.length === 2 })
      .flatMap(([, work]) => work ?? [])
    const remember = (works: readonly Work[]) =>
      client.setQueryData<ReadonlyMap<string, Work>>(newerOptions.queryKey, (before = nothing) =>
        withWorks(before, works),
      )
    const known = remember([...seen, ...(fresh?.data ?? [])]) ?? nothing
    if (!fresh || fresh.isDone) return
    const page = isLastOfOpen(fresh) ? { data: fresh.data } : fresh
    const left = missingFrom(page, shown.current).filter((work) => {
      const now = known.get(work.id) ?? work
      return now.status !== "done" && asked.current.get(work.id) !== now.version
    })
    for (const { id, version } of left.slice(0, CORRECTIONS_AT_ONCE)) {
      asked.current.set(id, known.get(id)?.version ?? version)
      client.fetchQuery({ ...workOptions(id), staleTime: 1000 }).then(
        (work) => remember([work]),
        // The row stays as it was. The next fresh page tries again.
        () => void asked.current.delete(id),
      )
    }
  }, [client, fresh])
  return newer
}

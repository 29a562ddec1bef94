import { queryOptions, useQuery } from "@tanstack/react-query"
import type { WorkList, WorkStatus } from "../../contract/resources.ts"
import { api, dataOf } from "../client/api.ts"
import type { DeskError } from "../client/desk-error.ts"
import { workListKey } from "../client/keys.ts"
import { LIST_PACE, pollInterval } from "../client/polling.ts"
import { workOptions } from "../client/reads.ts"

const interval = pollInterval(LIST_PACE)

/** One page of the Work of `status` (all without one), newest first; `cursor` is the `next_cursor` of the page before. */
export function readWorkPage(
  status: WorkStatus | undefined,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<WorkList> {
  const query = { ...(status && { status }), ...(cursor !== undefined && { cursor }) }
  return dataOf(api.GET("/api/v1/work", { params: { query }, signal }))
}

/** The first page of the list, polled while it is shown, by one tab for all tabs of the browser. */
export const firstPageOptions = (status: WorkStatus | undefined) =>
  queryOptions<WorkList, DeskError>({
    queryKey: [...workListKey, "first", status ?? "all"],
    queryFn: ({ signal }) => readWorkPage(status, undefined, signal),
    refetchInterval: interval,
    meta: { shared: true },
  })

/** One Work, kept current while it is shown. */
export function useWork(id: string) {
  return useQuery(workOptions(id))
}

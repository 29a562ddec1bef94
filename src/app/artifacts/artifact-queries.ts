import { queryOptions } from "@tanstack/react-query"
import type { Artifact } from "../../contract/resources.ts"
import { api, dataOf } from "../client/api.ts"
import type { DeskError } from "../client/desk-error.ts"
import { artifactsKey } from "../client/work-reads.ts"
import { pollInterval } from "../client/polling.ts"

/** The paces of the reads, in milliseconds: fast while a result is being processed. Else slow, because an event has the list read again. */
const PROCESSING_PACE = pollInterval({ fast: 1_000, slow: 5_000 })
const QUIET_PACE = pollInterval({ fast: 30_000, slow: 60_000 })

/** The results of a Work: the latest version of each path. */
export const artifactsOptions = (workId: string) =>
  queryOptions<readonly Artifact[], DeskError>({
    queryKey: artifactsKey(workId),
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET("/api/v1/work/{id}/artifacts", { params: { path: { id: workId } }, signal }))).data,
    refetchInterval: (query) =>
      query.state.data?.some(isProcessing) === true ? PROCESSING_PACE(query) : QUIET_PACE(query),
  })

/** Whether a result can be downloaded: its state is `available`, or it has no state (openapi.yaml, Artifact). */
export function isAvailable({ processing_state: state }: Artifact): boolean {
  return state === undefined || state === "available"
}

function isProcessing({ processing_state: state }: Artifact): boolean {
  return state === "processing"
}

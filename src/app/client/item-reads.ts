import { queryOptions } from "@tanstack/react-query"
import type { RecordPage, WorkReason } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"
import { api, dataOf, writePath } from "./api.ts"
import type { DeskError } from "./desk-error.ts"
import { readDeskJson } from "./desk-read.ts"
import { approvalsKey, clarificationsKey, reasonKey, recordKey } from "./query-keys.ts"
import { ITEM_PACE, LIST_PACE, pollInterval } from "./polling.ts"
import type { Clarification } from "./waiting.ts"

const itemInterval = pollInterval(ITEM_PACE)
const recordInterval = pollInterval(LIST_PACE)

/** The open clarifications of one Work (openapi.yaml, listWorkAttention). */
export const clarificationsOptions = (workId: string) =>
  queryOptions<readonly Clarification[], DeskError>({
    queryKey: clarificationsKey(workId),
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET("/api/v1/work/{id}/attention", { params: { path: { id: workId } }, signal }))).data,
    refetchInterval: itemInterval,
    meta: { shared: true },
  })

/** Every approval of one Work, pending and decided (openapi.yaml, listWorkApprovals). */
export const approvalsOptions = (workId: string) =>
  queryOptions<readonly Approval[], DeskError>({
    queryKey: approvalsKey(workId),
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET("/api/v1/work/{id}/approvals", { params: { path: { id: workId } }, signal }))).data,
    refetchInterval: itemInterval,
    meta: { shared: true },
  })

/** Who did what to one Work through this desk, the latest first. */
export const workRecordOptions = (workId: string) =>
  queryOptions<RecordPage, DeskError>({
    queryKey: recordKey(workId),
    queryFn: ({ signal }) =>
      readDeskJson(`/desk/record?${new URLSearchParams({ work: workId, limit: "100" })}`, signal),
    refetchInterval: recordInterval,
  })

/** Why the person sees a Work. A Work that they do not see is refused as an unknown Work is. */
export const reasonOptions = (workId: string) =>
  queryOptions<WorkReason, DeskError>({
    queryKey: reasonKey(workId),
    queryFn: ({ signal }) => readDeskJson(writePath("/desk/work/{id}/reason", { id: workId }), signal),
    refetchInterval: recordInterval,
  })

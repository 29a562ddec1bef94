/** How one Work is read, and what belongs to it. */
import { queryOptions } from "@tanstack/react-query"
import type { RecordPage, WorkReason } from "../../contract/desk-work.ts"
import type { Approval, Work } from "../../contract/resources.ts"
import { api, dataOf, writePath } from "./api.ts"
import type { DeskError } from "./desk-error.ts"
import { deskQuery } from "./desk-queries.ts"
import { ITEM_PACE, LIST_PACE, pollInterval } from "./polling.ts"
import { answerWith } from "./schema.ts"
import type { Clarification } from "./waiting.ts"

/** The key of the list of Work. */
export const workListKey = ["work-list"] as const
/** The key of one Work. Everything of the Work has a key below it, so that one event has all of that Work read again and nothing else. */
export const workKey = (id: string) => ["work", id] as const
export const artifactsKey = (workId: string) => ["work", workId, "artifacts"] as const

/** One Work (openapi.yaml, getWork). */
export const workOptions = (id: string) =>
  queryOptions<Work, DeskError>({
    queryKey: workKey(id),
    queryFn: ({ signal }) => dataOf(api.GET("/api/v1/work/{id}", { params: { path: { id } }, signal })),
    refetchInterval: pollInterval(LIST_PACE),
  })

/** The open clarifications of one Work (openapi.yaml, listWorkAttention). */
export const clarificationsOptions = (workId: string) =>
  queryOptions<readonly Clarification[], DeskError>({
    queryKey: [...workKey(workId), "clarifications"],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET("/api/v1/work/{id}/attention", { params: { path: { id: workId } }, signal }))).data,
    refetchInterval: pollInterval(ITEM_PACE),
  })

/** Every approval of one Work, pending and decided (openapi.yaml, listWorkApprovals). */
export const approvalsOptions = (workId: string) =>
  queryOptions<readonly Approval[], DeskError>({
    queryKey: [...workKey(workId), "approvals"],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET("/api/v1/work/{id}/approvals", { params: { path: { id: workId } }, signal }))).data,
    refetchInterval: pollInterval(ITEM_PACE),
  })

/** Who did what to one Work through this desk, the latest first. */
export const workRecordOptions = (workId: string) =>
  deskQuery(
    [...workKey(workId), "record"],
    `/desk/record?${new URLSearchParams({ work: workId, limit: "100" })}`,
    answerWith<RecordPage>("data"),
    { refetchInterval: pollInterval(LIST_PACE) },
  )

/** Why the person sees a Work. A Work that they do not see is refused as an unknown Work is. */
export const reasonOptions = (workId: string) =>
  deskQuery(
    [...workKey(workId), "reason"],
    writePath("/desk/work/{id}/reason", { id: workId }),
    answerWith<WorkReason>("reason"),
    { refetchInterval: pollInterval(LIST_PACE) },
  )

/** How one Work is read, and the lists of the service that belong to it. */
import { queryOptions } from "@tanstack/react-query"
import type { RelatedWork } from "../../contract/desk-work.ts"
import type { Approval, Artifact, Attention, Work } from "../../contract/resources.ts"
import type { DeskError } from "./desk-error.ts"
import { deskQuery, readDesk, writePath } from "./desk-request.ts"
import { ITEM_PACE, LIST_PACE, pollInterval } from "./polling.ts"
import { readApproval, readArtifact, readClarification, readList, readWork } from "./check-resource.ts"
import { answerWith, isObject, schemaReading } from "./value-schema.ts"

/** The key of the list of Work. */
export const workListKey = ["work-list"] as const
/** The key of one Work. Everything of the Work has a key below it, so that one event has all of that Work read again and nothing else. */
export const workKey = (id: string) => ["work", id] as const

/** One Work (openapi.yaml, getWork). */
export const workOptions = (id: string) =>
  queryOptions<Work, DeskError>({
    queryKey: workKey(id),
    queryFn: ({ signal }) => readDesk(writePath("/api/v1/work/{id}", { id }), schemaReading(readWork), { signal }),
    refetchInterval: pollInterval(LIST_PACE),
  })

/** A page of Work of the service or the desk. `unread`: how many Works of the page have no id. */
export const workListAnswer = schemaReading((answer) => {
  const list = isObject(answer) ? readList(answer["data"], readWork) : undefined
  const next = isObject(answer) ? answer["next_cursor"] : undefined
  return list && { ...list, ...(typeof next === "string" && { next_cursor: next }) }
})

/** A list of one Work. A list with an item without an id is rejected, because the item would be missing from the screen. */
const listAnswer = <Item>(read: (value: unknown) => Item | undefined) =>
  schemaReading((answer) => {
    const list = isObject(answer) ? readList(answer["data"], read) : undefined
    return list?.unread === 0 ? list.data : undefined
  })

const LISTS = {
  attention: listAnswer<Attention>(readClarification),
  approvals: listAnswer<Approval>(readApproval),
  artifacts: listAnswer<Artifact>(readArtifact),
}

const listAddress = (workId: string, name: keyof typeof LISTS) => writePath(`/api/v1/work/{id}/${name}`, { id: workId })

/** Reads a list of one Work (openapi.yaml, listWorkAttention, listWorkApprovals, listWorkArtifacts). @throws DeskError */
export const readClarifications = (workId: string, signal?: AbortSignal) =>
  readDesk(listAddress(workId, "attention"), LISTS.attention, { signal })
export const readApprovals = (workId: string, signal?: AbortSignal) =>
  readDesk(listAddress(workId, "approvals"), LISTS.approvals, { signal })
export const readArtifacts = (workId: string, signal?: AbortSignal) =>
  readDesk(listAddress(workId, "artifacts"), LISTS.artifacts, { signal })

/** Every approval of one Work, pending and decided. */
export const approvalsOptions = (workId: string) =>
  queryOptions<readonly Approval[], DeskError>({
    queryKey: [...workKey(workId), "approvals"],
    queryFn: ({ signal }) => readApprovals(workId, signal),
    refetchInterval: pollInterval(ITEM_PACE),
  })

export const relatedKey = (workId: string) => [...workKey(workId), "related"] as const

/** The Works that a Work took the place of, or that took its place. An older desk has no such address. */
export const relatedOptions = (workId: string) =>
  deskQuery(relatedKey(workId), writePath("/desk/work/{id}/related", { id: workId }), answerWith<RelatedWork>())

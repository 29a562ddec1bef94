/** How one Work is read, and the lists of the service that belong to it. */
import { queryOptions } from "@tanstack/react-query"
import type { RelatedWork } from "../../contract/desk-work.ts"
import type { Approval, Artifact, Attention, Work } from "../../contract/resources.ts"
import type { DeskError } from "./desk-error.ts"
import { deskQuery, readDesk, writePath } from "./desk-request.ts"
import { ITEM_PACE, LIST_PACE, pollInterval } from "./polling.ts"
import { answerWith } from "./value-schema.ts"

/** The key of the list of Work. */
export const workListKey = ["work-list"] as const
/** The key of one Work. Everything of the Work has a key below it, so that one event has all of that Work read again and nothing else. */
export const workKey = (id: string) => ["work", id] as const

/** One Work (openapi.yaml, getWork). */
export const workOptions = (id: string) =>
  queryOptions<Work, DeskError>({
    queryKey: workKey(id),
    queryFn: ({ signal }) =>
      readDesk(writePath("/api/v1/work/{id}", { id }), answerWith<Work>("id", "version"), { signal }),
    refetchInterval: pollInterval(LIST_PACE),
  })

type Items = { readonly attention: Attention; readonly approvals: Approval; readonly artifacts: Artifact }

/** Reads a list of one Work (openapi.yaml, listWorkAttention, listWorkApprovals, listWorkArtifacts). @throws DeskError */
export async function readItems<Name extends keyof Items>(
  workId: string,
  name: Name,
  signal?: AbortSignal,
): Promise<readonly Items[Name][]> {
  const address = writePath(`/api/v1/work/{id}/${name}`, { id: workId })
  return (await readDesk(address, answerWith<{ data: readonly Items[Name][] }>("data"), { signal })).data
}

/** Every approval of one Work, pending and decided. */
export const approvalsOptions = (workId: string) =>
  queryOptions<readonly Approval[], DeskError>({
    queryKey: [...workKey(workId), "approvals"],
    queryFn: ({ signal }) => readItems(workId, "approvals", signal),
    refetchInterval: pollInterval(ITEM_PACE),
  })

export const relatedKey = (workId: string) => [...workKey(workId), "related"] as const

/** The Works that a Work took the place of, or that took its place. An older desk has no such address. */
export const relatedOptions = (workId: string) =>
  deskQuery(relatedKey(workId), writePath("/desk/work/{id}/related", { id: workId }), answerWith<RelatedWork>())

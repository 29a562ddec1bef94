import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Approval, ApprovalStatus } from "../../contract/resources.ts"
import { api, dataOf } from "../client/api.ts"
import type { DeskError } from "../client/desk-error.ts"
import { gather, type Gathered, noteItems, noteResolved, progressOf } from "../inbox/gather.ts"
import { inboxAddress } from "../inbox/inbox-address.ts"
import { approvalsKey, inboxKey } from "../client/keys.ts"
import type { OpenWork } from "../inbox/open-work.ts"
import { inboxInterval, itemInterval } from "../client/polling.ts"

/** One approval that waits, with the Work that it belongs to. */
export type PendingApproval = { readonly work: OpenWork; readonly approval: Approval }

const key = inboxKey("approvals")

async function readApprovals(
  workId: string,
  signal: AbortSignal,
  status?: ApprovalStatus,
): Promise<readonly Approval[]> {
  const params = { path: { id: workId }, ...(status && { query: { status } }) }
  return (await dataOf(api.GET("/api/v1/work/{id}/approvals", { params, signal }))).data
}

const pending = (approvals: readonly Approval[]) => approvals.filter(({ status }) => status === "pending")

/**
 * The pending approvals of all Work that is not `done`, as far as gathered: the API has no list across Work (specification,
 * "Endpoints"). Polled wherever the app is open, by one tab for all.
 */
export function useApprovalInbox() {
  const client = useQueryClient()
  return useQuery<Gathered<Approval>, DeskError>({
    queryKey: key,
    queryFn: ({ signal }) =>
      gather(
        client,
        {
          queryKey: key,
          concerns: () => true,
          read: async (workId, signal) => pending(await readApprovals(workId, signal, "pending")),
        },
        signal,
      ),
    refetchInterval: inboxInterval,
    refetchIntervalInBackground: true,
    meta: { shared: true },
  })
}

/** What waits in `gathered`, in no order. */
export function approvalsOf(gathered: Gathered<Approval> | undefined): readonly PendingApproval[] {
  return (gathered?.checks ?? []).flatMap(({ work, items }) => items.map((approval) => ({ work, approval })))
}

/** The badge's count, from the same query as the list. `complete` is false until every open Work has been asked. */
export function useApprovalCount() {
  const { data } = useApprovalInbox()
  if (data === undefined) return undefined
  const { checked, total } = progressOf(data)
  const items = approvalsOf(data).map(({ approval }) => ({
    id: approval.id,
    title: approval.summary,
    to: inboxAddress("/approvals", approval.work_id, approval.id),
  }))
  return { count: items.length, complete: checked === total, items }
}

/** Every approval of one Work, pending and decided, kept current while they are shown. */
export function useApprovals(workId: string | undefined) {
  const client = useQueryClient()
  return useQuery<readonly Approval[], DeskError>({
    queryKey: approvalsKey(workId ?? ""),
    queryFn: async ({ signal }) => {
      const startedAt = Date.now()
      const approvals = await readApprovals(workId ?? "", signal)
      noteItems(client, key, workId ?? "", pending(approvals), startedAt)
      return approvals
    },
    enabled: workId !== undefined,
    refetchInterval: itemInterval,
  })
}

/** Takes a decided approval out of the list and the badge: the service has recorded the decision. */
export function noteDecision(client: QueryClient, resolved: Approval): void {
  noteResolved<Approval>(client, key, resolved)
}

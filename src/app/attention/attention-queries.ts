import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Attention } from "../../contract/resources.ts"
import { api, dataOf } from "../client/api.ts"
import type { DeskError } from "../client/desk-error.ts"
import { gather, type Gathered, noteItems, noteResolved } from "../inbox/gather.ts"
import { inboxAddress } from "../inbox/inbox-address.ts"
import { attentionKey, inboxKey } from "../client/keys.ts"
import type { OpenWork } from "../inbox/open-work.ts"
import { inboxInterval, itemInterval } from "../client/polling.ts"

/** One clarification that waits; its facts are known once its Work has been asked. */
export type Clarification = {
  readonly work: OpenWork
  readonly id: string
  /** Its title, until that is known the question that the Work itself names. */
  readonly title: string
  /** ISO 8601; undefined until its Work has been asked. */
  readonly createdAt: string | undefined
}

const key = inboxKey("attention")

async function readAttention(workId: string, signal: AbortSignal): Promise<readonly Attention[]> {
  return (await dataOf(api.GET("/api/v1/work/{id}/attention", { params: { path: { id: workId } }, signal }))).data
}

const open = (attention: readonly Attention[]) => attention.filter(({ status }) => status === "open")

function gatherClarifications(client: QueryClient, signal: AbortSignal): Promise<Gathered<Attention>> {
  return gather(
    client,
    {
      queryKey: key,
      // The design: Work with a `current_attention_id` counts as a clarification.
      concerns: (work) => work.current_attention_id !== undefined,
      read: async (workId, signal) => open(await readAttention(workId, signal)),
    },
    signal,
  )
}

/** The clarifications of all Work, as far as gathered; polled wherever the app is open, by one tab for all. */
export function useClarificationInbox() {
  const client = useQueryClient()
  return useQuery<Gathered<Attention>, DeskError>({
    queryKey: key,
    queryFn: ({ signal }) => gatherClarifications(client, signal),
    refetchInterval: inboxInterval,
    refetchIntervalInBackground: true,
    meta: { shared: true },
  })
}

/** What waits in `gathered`: one entry a clarification, and one for a Work that has not been asked yet. */
export function clarificationsOf(gathered: Gathered<Attention> | undefined): readonly Clarification[] {
  return (gathered?.checks ?? []).flatMap(({ work, checkedAt, items }): Clarification[] => {
    if (checkedAt !== undefined)
      return items.map(({ id, title, created_at }) => ({ work, id, title, createdAt: created_at }))
    const id = work.current_attention_id ?? ""
    return [{ work, id, title: work.attention_question ?? work.title, createdAt: undefined }]
  })
}

/** The badge's count, from the same query as the list. `complete` is false until every Work concerned has been asked. */
export function useClarificationCount() {
  const { data } = useClarificationInbox()
  const items = clarificationsOf(data)
  return (
    data && {
      count: items.length,
      complete: items.every(({ createdAt }) => createdAt !== undefined),
      items: items.map(({ work, id, title }) => ({ id, title, to: inboxAddress("/needs-you", work.id, id) })),
    }
  )
}

/** The open clarifications of one Work, kept current while they are shown. */
export function useOpenAttention(workId: string | undefined) {
  const client = useQueryClient()
  return useQuery<readonly Attention[], DeskError>({
    queryKey: attentionKey(workId ?? ""),
    queryFn: async ({ signal }) => {
      const startedAt = Date.now()
      const attention = await readAttention(workId ?? "", signal)
      noteItems(client, key, workId ?? "", open(attention), startedAt)
      return attention
    },
    enabled: workId !== undefined,
    refetchInterval: itemInterval,
  })
}

/** Takes an answered clarification out of the list and the badge: the service has recorded the answer. */
export function noteAnswered(client: QueryClient, resolved: Attention): void {
  noteResolved<Attention>(client, key, resolved)
}

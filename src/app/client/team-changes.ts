/** What the app sends to change a shared inbox (docs/team.md): who holds an item, what is set aside, and a withdrawn approve. */
import type { QueryClient } from "@tanstack/react-query"
import { answerOf, askDesk, deskQuery, writePath } from "./desk-request.ts"
import { jsonRequest } from "./desk-writes.ts"
import { answerWith } from "./value-schema.ts"
import { type Clarification, type TeamFacts, useWaiting, type WaitingItem, waitingKey } from "./waiting.ts"
import type { ResolvedItem } from "./write-waiting.ts"
import { workKey } from "./work-reads.ts"
import type { AsideChange, Assignees, AssignmentAnswer, AssignmentChange } from "../../contract/desk-people.ts"
import type { Approval } from "../../contract/resources.ts"

/** A pending item, with what the desk says about it; undefined where the item is not pending. */
export function useEntryOf(variant: ResolvedItem["variant"], workId: string, id: string) {
  return useWaiting(({ waiting }) => {
    const entries: readonly WaitingItem<Clarification | Approval>[] | undefined =
      variant === "clarification" ? waiting?.clarifications : waiting?.approvals
    return entries?.find(({ work, item }) => work.id === workId && item.id === id)
  })
}

/** Changes what is known of one item, because the desk has just answered so. The next answer of `/desk/waiting` replaces the change. */
export function changeEntry(client: QueryClient, workId: string, id: string, facts: TeamFacts): void {
  const change = <Entry extends WaitingItem<Clarification | Approval>>(entries: readonly Entry[]) =>
    entries.map((entry) => (entry.work.id === workId && entry.item.id === id ? { ...entry, ...facts } : entry))
  client.setQueryData(waitingKey, (now) => {
    if (now?.waiting === undefined) return now
    const { clarifications, approvals } = now.waiting
    return {
      ...now,
      waiting: { ...now.waiting, clarifications: change(clarifications), approvals: change(approvals) },
    }
  })
}

/** To whom an item is given: to a person by their id, or to a team by its name. */
export type Holder = { readonly person: string } | { readonly team: string }

/** The ETag of an item that is given to nobody. */
export const NOBODY = '"none"'

/**
 * Gives an item to a person, to a team or to nobody, unless somebody else has changed that since `etag`. Every inbox gets the change by the
 * long poll of `follow-waiting.ts`.
 *
 * @throws DeskError; its failure is `stale` where somebody else was faster
 */
export async function assignItem(change: AssignmentChange, etag: string): Promise<AssignmentAnswer> {
  const response = await askDesk("/desk/assignment", jsonRequest("PUT", change, { "if-match": etag }))
  return answerOf(response, answerWith<AssignmentAnswer>("assignment"))
}

/** Sets an item aside for the person alone, or (`until` null) brings it back. @throws DeskError */
export async function setAside(change: AsideChange): Promise<void> {
  await askDesk("/desk/aside", jsonRequest("PUT", change))
}

/** To whom the person may hand an item. Read whenever the dialog opens, so that it always says whether the desk can be reached. */
export const assigneesOptions = (work: string, item: string) =>
  deskQuery(
    [...workKey(work), "assignees", item],
    `/desk/people?${new URLSearchParams({ work, item })}`,
    answerWith<Assignees>("people", "teams"),
    { staleTime: 0 },
  )

/** Takes back the person's own approve while the desk holds it, before the last approve that is needed. @throws DeskError */
export async function withdrawApprove(work: string, approval: string): Promise<void> {
  const address = writePath("/desk/approvals/{work}/{approval}/mine", { work, approval })
  await askDesk(address, { method: "DELETE", headers: { "idempotency-key": crypto.randomUUID() } })
}

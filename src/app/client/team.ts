/** What people who share an inbox send to the desk: who has an item, what is set aside, who looks at it, and an approval taken back. */
import type {
  AsideChange,
  AssignmentAnswer,
  AssignmentChange,
  Assignees,
  PresenceReport,
} from "../../contract/desk-people.ts"
import { writePath } from "./api.ts"
import { deskQuery } from "./desk-queries.ts"
import { answerWith } from "./schema.ts"
import { workKey } from "./work-reads.ts"
import { ANSWER_TIMEOUT_MS, askDesk, deskFetch, answerOf, jsonRequest } from "./desk-request.ts"

/** The ETag of an item that is given to nobody. */
export const NOBODY = '"none"'

/**
 * Gives an item to a person, to a team or to nobody, unless somebody else has changed that since `etag`. Every inbox hears of the change by the
 * long poll of `follow-waiting.ts`.
 *
 * @throws DeskError; its failure is `stale` where somebody else was faster
 */
export async function giveItem(change: AssignmentChange, etag: string): Promise<AssignmentAnswer> {
  const response = await askDesk("/desk/assignment", jsonRequest("PUT", change, { "if-match": etag }))
  return answerOf(response, answerWith<AssignmentAnswer>("assignment"))
}

/** Sets an item aside for the person alone, or (`until` null) brings it back. @throws DeskError */
export async function setAside(change: AsideChange): Promise<void> {
  await askDesk("/desk/aside", jsonRequest("PUT", change))
}

/** To whom the person may hand an item. */
export const assigneesOptions = (work: string, item: string) =>
  deskQuery(
    [...workKey(work), "assignees", item],
    `/desk/people?${new URLSearchParams({ work, item })}`,
    answerWith<Assignees>("people", "teams"),
  )

/** Takes back the person's own approve while the desk holds it, before the last approve that is needed. @throws DeskError */
export async function withdrawApproval(work: string, approval: string): Promise<void> {
  const address = writePath("/desk/approvals/{work}/{approval}/mine", { work, approval })
  await askDesk(address, { method: "DELETE", headers: { "idempotency-key": crypto.randomUUID() } })
}

/**
 * Tells the desk that a tab shows an item. Nothing that this page reads changes, so no read has to be fresh for it. A failure is ignored, because
 * the next report comes within seconds.
 */
export function reportPresence(report: PresenceReport): void {
  // `keepalive` lets the last report leave with the page.
  const request = new Request("/desk/presence", { ...jsonRequest("POST", report), keepalive: true })
  deskFetch(request, ANSWER_TIMEOUT_MS).catch(() => undefined)
}

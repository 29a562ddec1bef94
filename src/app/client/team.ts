/** What people who share an inbox send to the desk: who has an item, what is set aside, who looks at it, and an approval taken back. */
import type { AsideChange, AssignmentAnswer, AssignmentChange, Assignees, PresenceReport } from "../../contract/desk.ts"
import { parseJson } from "../../contract/int64.ts"
import { DeskError, errorFromResponse, unreachable, unreadable } from "./desk-error.ts"
import { ANSWER_TIMEOUT_MS, deskFetch } from "./desk-fetch.ts"
import { readDeskJson } from "./desk-read.ts"

/** The ETag of an item that is given to nobody. */
export const NOBODY = '"none"'

/**
 * Gives an item to a person, to a team or to nobody, unless somebody else has changed that since `etag`.
 *
 * @throws DeskError; its failure is `stale` where somebody else was faster
 */
export async function giveItem(change: AssignmentChange, etag: string): Promise<AssignmentAnswer> {
  const response = await sendJson("PUT", "/desk/assignment", change, { "if-match": etag })
  try {
    return parseJson(await response.text()) as AssignmentAnswer
  } catch {
    throw unreadable(response)
  }
}

/** Sets an item aside for the person alone, or (`until` null) brings it back. @throws DeskError */
export async function setAside(change: AsideChange): Promise<void> {
  await sendJson("PUT", "/desk/aside", change)
}

/** Reads to whom the person may hand an item. @throws DeskError */
export function readAssignees(work: string, item: string, signal: AbortSignal): Promise<Assignees> {
  return readDeskJson(`/desk/people?${new URLSearchParams({ work, item })}`, signal)
}

/** Takes the person's own approve back, which the desk keeps until the last one that is needed. @throws DeskError */
export async function withdrawApproval(work: string, approval: string): Promise<void> {
  const path = [work, approval].map((id) => encodeURIComponent(id.toWellFormed())).join("/")
  await sendJson("DELETE", `/desk/approvals/${path}/mine`, undefined, { "idempotency-key": crypto.randomUUID() })
}

/** Tells that a tab shows an item. It is advice, so a failure is left alone: the next report comes within seconds. */
export function reportPresence(report: PresenceReport): void {
  // `keepalive` lets the last report leave with the page.
  sendJson("POST", "/desk/presence", report, {}, { keepalive: true }).catch(() => undefined)
}

async function sendJson(
  method: "PUT" | "POST" | "DELETE",
  address: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  init: RequestInit = {},
): Promise<Response> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const type = body === undefined ? {} : { "content-type": "application/json" }
  const response = await deskFetch(
    address,
    { ...init, method, headers: { ...headers, ...type }, ...content },
    ANSWER_TIMEOUT_MS,
  ).catch((cause: unknown) => {
    throw cause instanceof DeskError ? cause : unreachable(cause)
  })
  if (!response.ok) throw await errorFromResponse(response)
  return response
}

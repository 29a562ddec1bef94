/** What the app sends to change a shared inbox (docs/team.md): who holds an item, what is set aside, who looks at it, and a withdrawn approve. */
import type { QueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { ANSWER_TIMEOUT_MS, answerOf, askDesk, deskFetch, deskQuery, writePath } from "./desk-request.ts"
import { jsonRequest } from "./desk-writes.ts"
import { answerWith } from "./value-schema.ts"
import { useSession } from "./session.ts"
import { type Entry, onStorageChange } from "./storage.ts"
import { type Clarification, type TeamFacts, useWaiting, type WaitingItem, waitingKey } from "./waiting.ts"
import type { ResolvedItem } from "./write-waiting.ts"
import { workKey } from "./work-reads.ts"
import type {
  AsideChange,
  Assignees,
  AssignmentAnswer,
  AssignmentChange,
  PresenceReport,
} from "../../contract/desk-people.ts"
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
  client.setQueryData(waitingKey, (now) =>
    now?.waiting === undefined
      ? now
      : {
          ...now,
          waiting: {
            ...now.waiting,
            clarifications: change(now.waiting.clarifications),
            approvals: change(now.waiting.approvals),
          },
        },
  )
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

/** To whom the person may hand an item. */
export const assigneesOptions = (work: string, item: string) =>
  deskQuery(
    [...workKey(work), "assignees", item],
    `/desk/people?${new URLSearchParams({ work, item })}`,
    answerWith<Assignees>("people", "teams"),
  )

/** Takes back the person's own approve while the desk holds it, before the last approve that is needed. @throws DeskError */
export async function withdrawApprove(work: string, approval: string): Promise<void> {
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

const REPORT_EVERY_MS = 15_000
/** A text that has not changed for this time is no longer being written. */
const WRITING_MS = 60_000

/** The id of this page among the tabs of the person, for the reports to the desk. */
const tab = crypto.randomUUID()

const isWriting = (typed: { readonly text: string; readonly at: number }) =>
  typed.text !== "" && performance.now() - typed.at < WRITING_MS

/**
 * Tells the desk that this tab shows an item, while the tab is visible, and whether the person writes `draft`.
 *
 * @param isRead false while a held key passes over the item, which others don't see
 */
export function usePresence(
  [work, item]: readonly [work: string, item: string],
  draft: Entry<string>,
  isRead: boolean,
): void {
  const isShared = useSession()?.mode === "sign-in"
  useEffect(() => {
    if (!isShared || !isRead) return
    const readDraft = () => draft.read() ?? ""
    // A draft that was there before the card was opened is not being written.
    let typed = { text: readDraft(), at: -Infinity }
    let isThere = false
    const tell = () => {
      if (document.hidden) return leave()
      isThere = true
      reportPresence({ work, item, tab, doing: isWriting(typed) ? "writing" : "reading" })
    }
    const leave = () => {
      if (isThere) reportPresence({ work, item, tab, doing: "left" })
      isThere = false
    }
    const hear = () => {
      const before = typed
      const text = readDraft()
      if (before.text === text) return
      typed = { text, at: performance.now() }
      // A change between reading and writing is reported at once, each other letter with the next report.
      if (isWriting(before) !== isWriting(typed)) tell()
    }
    tell()
    const ended = new AbortController()
    const timer = setInterval(tell, REPORT_EVERY_MS)
    const stopHearing = onStorageChange(hear)
    document.addEventListener("visibilitychange", tell, ended)
    addEventListener("pagehide", leave, ended)
    return () => {
      clearInterval(timer)
      stopHearing()
      ended.abort()
      leave()
    }
  }, [isShared, isRead, work, item, draft])
}

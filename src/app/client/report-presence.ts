/** Reports to the desk which item a tab shows, so that others see who reads it (docs/team.md). */
import { useEffect } from "react"
import type { PresenceReport } from "../../contract/desk-people.ts"
import { ANSWER_TIMEOUT_MS, deskFetch } from "./desk-request.ts"
import { jsonRequest } from "./desk-writes.ts"
import { useSession } from "./session.ts"
import { type Entry, onStorageChange } from "./storage.ts"

const REPORT_EVERY_MS = 15_000
/** A text that has not changed for this time is no longer being written. */
const WRITING_MS = 60_000

/** The id of this page among the tabs of the person. */
const tab = crypto.randomUUID()

/**
 * Reports that this tab shows an item, while the tab is visible, and whether the person writes `draft`.
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
    let isReported = false
    const report = () => {
      if (document.hidden) return reportLeft()
      isReported = true
      reportPresence({ work, item, tab, doing: isWriting(typed) ? "writing" : "reading" })
    }
    const reportLeft = () => {
      if (isReported) reportPresence({ work, item, tab, doing: "left" })
      isReported = false
    }
    const onDraftChange = () => {
      const before = typed
      const text = readDraft()
      if (before.text === text) return
      typed = { text, at: performance.now() }
      // A change between reading and writing is reported at once, each other letter with the next report.
      if (isWriting(before) !== isWriting(typed)) report()
    }
    report()
    const ended = new AbortController()
    const timer = setInterval(report, REPORT_EVERY_MS)
    const unsubscribe = onStorageChange(onDraftChange)
    document.addEventListener("visibilitychange", report, ended)
    addEventListener("pagehide", reportLeft, ended)
    return () => {
      clearInterval(timer)
      unsubscribe()
      ended.abort()
      reportLeft()
    }
  }, [isShared, isRead, work, item, draft])
}

const isWriting = (typed: { readonly text: string; readonly at: number }) =>
  typed.text !== "" && performance.now() - typed.at < WRITING_MS

/** Sends a report. The report changes nothing that this page reads, so no read has to be fresh for it. After a failure, the next report comes soon. */
export function reportPresence(report: PresenceReport): void {
  // `keepalive` lets the last report leave with the page.
  const request = new Request("/desk/presence", { ...jsonRequest("POST", report), keepalive: true })
  deskFetch(request, ANSWER_TIMEOUT_MS).catch(() => undefined)
}

import { useEffect, useRef } from "react"
import { useSession } from "../client/session.ts"
import { reportPresence } from "../client/team.ts"
import type { ItemId } from "./item.ts"

const REPORT_EVERY_MS = 15_000
/** A text that has not changed for this time is no longer being written. */
const WRITING_MS = 60_000

/** The id of this page among the tabs of the person, for the reports to the desk. */
const tab = crypto.randomUUID()

const isWriting = (typed: { readonly text: string; readonly at: number }) =>
  typed.text !== "" && performance.now() - typed.at < WRITING_MS

/** Tells the desk that this tab shows an item, while the tab is visible, and whether the person writes `text`. */
export function usePresence([work, item]: ItemId, text: string): void {
  const isShared = useSession()?.mode === "sign-in"
  // A draft that was there before the card was opened is not being written.
  const typed = useRef({ text, at: -Infinity })
  const report = useRef<() => void>(undefined)
  useEffect(() => {
    if (!isShared) return
    let isThere = false
    const tell = () => {
      if (document.hidden) return leave()
      isThere = true
      reportPresence({ work, item, tab, doing: isWriting(typed.current) ? "writing" : "reading" })
    }
    const leave = () => {
      if (isThere) reportPresence({ work, item, tab, doing: "left" })
      isThere = false
    }
    report.current = tell
    tell()
    const ended = new AbortController()
    const timer = setInterval(tell, REPORT_EVERY_MS)
    document.addEventListener("visibilitychange", tell, ended)
    addEventListener("pagehide", leave, ended)
    return () => {
      clearInterval(timer)
      ended.abort()
      leave()
    }
  }, [isShared, work, item])
  useEffect(() => {
    const before = typed.current
    if (before.text === text) return
    typed.current = { text, at: performance.now() }
    // A change between reading and writing is told at once, each other letter with the next report.
    if (isWriting(before) !== isWriting(typed.current)) report.current?.()
  }, [text])
}

import { useEffect, useRef } from "react"
import { reportPresence } from "../client/team.ts"
import { useSession } from "../client/session.ts"
import type { ItemId } from "./item.ts"

const EVERY_MS = 15_000
/** A text that has not changed for this time is no longer being written. */
const WRITING_MS = 60_000

/** This page, among the tabs of the person. */
const tab = crypto.randomUUID()

/**
 * Tells the desk that this tab shows an item, while the tab is visible, so that others see who looks at it. `text` is what the person has typed
 * about it.
 */
export function usePresence([work, item]: ItemId, text: string): void {
  const isShared = useSession()?.mode === "sign-in"
  const report = useRef<() => void>(undefined)
  const changedAt = useRef<number>(undefined)
  const before = useRef(text)
  useEffect(() => {
    if (!isShared) return
    let isThere = false
    const tell = () => {
      if (document.hidden) return leave()
      isThere = true
      const isWriting = before.current !== "" && performance.now() - (changedAt.current ?? -Infinity) < WRITING_MS
      reportPresence({ work, item, tab, doing: isWriting ? "writing" : "reading" })
    }
    const leave = () => {
      if (isThere) reportPresence({ work, item, tab, doing: "left" })
      isThere = false
    }
    report.current = tell
    tell()
    const timer = setInterval(tell, EVERY_MS)
    document.addEventListener("visibilitychange", tell)
    addEventListener("pagehide", leave)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", tell)
      removeEventListener("pagehide", leave)
      leave()
    }
  }, [isShared, work, item])
  useEffect(() => {
    if (before.current === text) return
    const wasWriting = before.current !== "" && performance.now() - (changedAt.current ?? -Infinity) < WRITING_MS
    before.current = text
    changedAt.current = performance.now()
    // The first letter is told at once, the others with the next report.
    if (wasWriting !== (text !== "")) report.current?.()
  }, [text])
}

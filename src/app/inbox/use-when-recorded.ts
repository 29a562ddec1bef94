import { useEffect, useRef } from "react"

/**
 * Calls `onRecorded` once when an intent that began here has been recorded: not when another tab sent it, nor when it was
 * recorded before this was opened. Returns what is to be called as the person sends it.
 */
export function useWhenRecorded(state: string | undefined, onRecorded: (() => void) | undefined): () => void {
  const beganHere = useRef(false)
  const latest = useRef(onRecorded)
  useEffect(() => {
    latest.current = onRecorded
  })
  useEffect(() => {
    if (state !== "recorded" || !beganHere.current) return
    beganHere.current = false
    latest.current?.()
  }, [state])
  return () => {
    beganHere.current = true
  }
}

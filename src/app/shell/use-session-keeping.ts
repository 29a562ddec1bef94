import { useEffect } from "react"
import { isLocked, readSession, useSessionState } from "../client/session.ts"

/** The least time between two messages to the desk that the person is active. */
const TOUCH_MS = 60_000
/** How often the session is read again: for changed roles, and because it may end elsewhere. Reading does not prolong the session. */
const READ_MS = 60_000
/** The longest delay of `setTimeout`, which has 31 bits. */
const LONGEST_MS = 2_000_000_000

/** Keeps the session alive while the person uses the page, and notices its end. */
export function useSessionKeeping(): void {
  useTouch()
  useSessionEnd()
  useEffect(() => {
    const readWhenShown = () => document.hidden || void readSession()
    const timer = setInterval(readWhenShown, READ_MS)
    // Timers do not run while a machine sleeps.
    document.addEventListener("visibilitychange", readWhenShown)
    addEventListener("pageshow", readWhenShown)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", readWhenShown)
      removeEventListener("pageshow", readWhenShown)
    }
  }, [])
}

/** Reads the session at its end. The answer locks the page, or has a later end. */
function useSessionEnd(): void {
  const state = useSessionState()
  const endsAt = state.kind === "signed-in" ? state.endsAt : undefined
  useEffect(() => {
    if (endsAt === undefined) return
    const wait = Math.min(Math.max(endsAt - performance.now(), 0) + 250, LONGEST_MS)
    const timer = setTimeout(() => void readSession(), wait)
    return () => clearTimeout(timer)
  }, [endsAt])
}

/** Tells the desk that the person uses the page: at the first key or pointer event, then at most once in `TOUCH_MS`. */
function useTouch(): void {
  useEffect(() => {
    let nextAt = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const touch = () => {
      timer = undefined
      if (isLocked()) return
      nextAt = performance.now() + TOUCH_MS
      fetch("/desk/session/touch", { method: "POST" }).then(
        ({ status }) => status === 401 && void readSession(),
        // A failure is ignored: the next key tells the desk again.
        () => undefined,
      )
    }
    const hear = () => {
      const wait = nextAt - performance.now()
      if (wait <= 0) touch()
      else timer ??= setTimeout(touch, wait)
    }
    const inputs = ["keydown", "pointerdown", "pointermove", "wheel"]
    for (const input of inputs) addEventListener(input, hear, { capture: true, passive: true })
    return () => {
      clearTimeout(timer)
      for (const input of inputs) removeEventListener(input, hear, { capture: true })
    }
  }, [])
}

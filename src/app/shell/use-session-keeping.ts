import { useEffect } from "react"
import { isLocked, readSession, useSessionState } from "../client/session.ts"

/** How often the desk hears that the person is still there, at most. */
const TOUCH_MS = 60_000
/** How often the desk is asked for changed roles, and whether the session was ended elsewhere. Asking does not prolong a session. */
const READ_MS = 60_000
/** `setTimeout` takes no more than 31 bits. */
const LONGEST_MS = 2_000_000_000

/** Keeps the session alive while the person uses the page, and notices when the session has ended all the same. */
export function useSessionKeeping(): void {
  useTouch()
  useSessionEnd()
  useEffect(() => {
    const readWhenShown = () => document.hidden || void readSession()
    const timer = setInterval(readWhenShown, READ_MS)
    // Timers stand still while a machine sleeps.
    document.addEventListener("visibilitychange", readWhenShown)
    addEventListener("pageshow", readWhenShown)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", readWhenShown)
      removeEventListener("pageshow", readWhenShown)
    }
  }, [])
}

/** Asks the desk at the moment when the session ends; the answer locks the page, or says that the end has moved. */
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

/** Tells the desk of keys and pointer: at once, then at most once in `TOUCH_MS`. */
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
        // The next key tells the desk again.
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

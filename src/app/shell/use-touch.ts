import { useEffect } from "react"
import { isLocked, readSession } from "../client/session.ts"

/** The least time between two messages to the desk that the person is active. */
const TOUCH_MS = 60_000

/** Tells the desk that the person uses the page, which prolongs the session: at the first key or pointer event, then at most once in `TOUCH_MS`. */
export function useTouch(): void {
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

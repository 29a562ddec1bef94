import { useEffect, useRef } from "react"
import type { SignedIn } from "../../contract/desk-people.ts"
import { sendTimeZone } from "../client/mail-settings.ts"
import { isLocked, readSession } from "../client/session.ts"
import { signInAddress } from "../client/person.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"

/** What a page does in sign-in mode: reports to the desk that the person is active, and the time zone for mail, and locks when the session has ended. */
export function SessionGuard({ session, locked }: { session: SignedIn; locked: boolean }) {
  useTouch()
  const sendsMail = session.sends_mail === true
  useEffect(() => {
    if (sendsMail) sendTimeZone()
  }, [sendsMail])
  return locked ? <Lock /> : null
}

/** The least time between two messages to the desk that the person is active. */
const TOUCH_MS = 60_000

/** Reports to the desk that the person uses the page, which prolongs the session: at the first key or pointer event, then at most once in `TOUCH_MS`. */
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
        // A failure is ignored: the next key reports again.
        () => undefined,
      )
    }
    const onInput = () => {
      const wait = nextAt - performance.now()
      if (wait <= 0) touch()
      else timer ??= setTimeout(touch, wait)
    }
    const inputs = ["keydown", "pointerdown", "pointermove", "wheel"]
    for (const input of inputs) addEventListener(input, onInput, { capture: true, passive: true })
    return () => {
      clearTimeout(timer)
      for (const input of inputs) removeEventListener(input, onInput, { capture: true })
    }
  }, [])
}

/**
 * Locks the page after its session has ended, until the same person has signed in again in another tab. The page behind the lock stays
 * unchanged, with everything that was typed. The focus is on the title, because a person who is typing would press a button with the next Space.
 */
function Lock() {
  const button = useRef<HTMLButtonElement>(null)
  return (
    <Dialog title="Signed out" locked focusTitle onCancel={() => button.current?.focus()}>
      <p>Your session has ended. What you typed is kept. Sign in again in a new tab to continue.</p>
      <DialogActions>
        <Button ref={button} kind="primary" onClick={() => void window.open(signInAddress(), "_blank", "noopener")}>
          Sign in
        </Button>
      </DialogActions>
    </Dialog>
  )
}

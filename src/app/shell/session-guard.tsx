import { useEffect, useId, useRef } from "react"
import type { SignedIn } from "../../contract/desk-people.ts"
import { tellTimeZone } from "../client/mail-settings.ts"
import { isLocked, readSession } from "../client/session.ts"
import { signInAddress } from "../client/sign-in-out.ts"
import { Button } from "../ui/button.tsx"
import dialogStyles from "../ui/dialog.module.css"

/** What a page does in sign-in mode: tells the desk that the person is active, and the time zone for mail, and locks when the session has ended. */
export function SessionGuard({ session, locked }: { session: SignedIn; locked: boolean }) {
  useTouch()
  const sendsMail = session.sends_mail === true
  useEffect(() => {
    if (sendsMail) tellTimeZone()
  }, [sendsMail])
  return locked ? <Lock /> : null
}

/** The least time between two messages to the desk that the person is active. */
const TOUCH_MS = 60_000

/** Tells the desk that the person uses the page, which prolongs the session: at the first key or pointer event, then at most once in `TOUCH_MS`. */
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

/**
 * Locks the page after its session has ended, until the same person has signed in again in another tab. The page behind the lock stays
 * unchanged, with everything that was typed.
 */
function Lock() {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const textId = useId()
  useEffect(() => {
    const element = dialog.current
    if (element === null) return
    const before = document.activeElement
    const button = element.querySelector("button")
    element.showModal()
    // A person who is typing would press a focused button with the next Space.
    element.querySelector("h2")?.focus()
    // Not every browser has `closedby`, and Chromium closes the dialog at a second Escape even where `cancel` was prevented.
    const openAgain = () => {
      if (!element.open) element.showModal()
      button?.focus()
    }
    element.addEventListener("close", openAgain)
    // The page's own shortcuts listen on the document.
    const keepFromPage = (event: KeyboardEvent) => {
      event.stopImmediatePropagation()
      if (event.key === "Escape") button?.focus()
    }
    addEventListener("keydown", keepFromPage, { capture: true })
    return () => {
      element.removeEventListener("close", openAgain)
      removeEventListener("keydown", keepFromPage, { capture: true })
      element.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      closedby="none"
      aria-labelledby={titleId}
      aria-describedby={textId}
      className={dialogStyles["dialog"]}
    >
      <h2 id={titleId} tabIndex={-1} className={dialogStyles["title"]}>
        Signed out
      </h2>
      <p id={textId}>
        Your session has ended. What you typed on this page is kept, and nothing is sent until you send it. Sign in in a
        new tab, then come back to this page.
      </p>
      <div className={dialogStyles["actions"]}>
        <Button kind="primary" onClick={() => void window.open(signInAddress(), "_blank", "noopener")}>
          Sign in
        </Button>
      </div>
    </dialog>
  )
}

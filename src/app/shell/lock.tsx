import { useEffect, useId, useRef } from "react"
import { signInAddress } from "../client/sign-in-out.ts"
import { Button } from "../ui/button.tsx"
import dialogStyles from "../ui/dialog.module.css"

/**
 * Locks the page after its session has ended, until the same person has signed in again in another tab. The page behind the lock stays as
 * it is, with everything that was typed.
 */
export function Lock() {
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

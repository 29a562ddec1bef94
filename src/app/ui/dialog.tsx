import { type ReactNode, useEffect, useId, useRef } from "react"
import { classes } from "./classes.ts"
import styles from "./dialog.module.css"
import { CoversPage } from "./error-alert.tsx"
import { Boundary, MissingPart } from "./part.tsx"
import { canHaveFocus } from "./use-kept-focus.ts"

type Props = {
  title: ReactNode
  /** Called at Escape, or at the browser's own gesture for it. The parent then removes the dialog, unless it is `locked`. */
  onCancel: () => void
  /** True for a dialog as wide as the window allows. */
  wide?: boolean
  /** True for a dialog that stays open until it is no longer rendered, whatever the person does. */
  locked?: boolean
  /** True for a dialog with a long text above its first control: the first focus goes to the title, so that the dialog opens at its beginning. */
  focusTitle?: boolean
  children: ReactNode
}

/**
 * A modal dialog while it is rendered. The native element keeps the focus inside and gives it back afterwards. The first focus goes to the
 * element with `data-autofocus`, else to the first control. A click beside the dialog does nothing, because it could lose a comment.
 */
export function Dialog(props: Props) {
  return (
    <Boundary replace={missingDialog}>
      <OpenDialog {...props} />
    </Boundary>
  )
}

const missingDialog = () => <MissingPart name="This dialog" />

function OpenDialog({ title, onCancel, wide = false, locked = false, focusTitle = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const element = dialog.current
    if (!element) return
    const before = document.activeElement
    const home = element.parentElement?.closest<HTMLElement>("[tabindex]")
    // React calls focus() for autoFocus before the dialog is open, when no element in it can take the focus.
    element.showModal()
    const firstFocus = element.querySelector<HTMLElement>("[data-autofocus]")
    if (firstFocus !== null) {
      // showModal() has scrolled to the first control, which may stand far below.
      element.scrollTop = 0
      firstFocus.focus()
    }
    // What the dialog has to read first gets the focus when it arrives, unless the person has begun elsewhere.
    const late = new MutationObserver(() => {
      const arrived = element.querySelector<HTMLElement>("[data-autofocus]")
      if (arrived === null) return
      late.disconnect()
      arrived.focus()
    })
    if (firstFocus === null) late.observe(element, { childList: true, subtree: true })
    const begun = () => late.disconnect()
    element.addEventListener("keydown", begun)
    element.addEventListener("pointerdown", begun)
    return () => {
      late.disconnect()
      element.removeEventListener("keydown", begun)
      element.removeEventListener("pointerdown", begun)
      element.close()
      // The button that opened the dialog may be gone, or nothing had the focus. Then the element around the dialog gets the focus.
      const comesBack = before instanceof HTMLElement && before !== document.body && canHaveFocus(before)
      const next = comesBack ? before : home
      next?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      className={classes(styles["dialog"], wide && styles["wide"])}
      onKeyDown={(event) => {
        // Chromium closes the dialog at a second Escape, even where `cancel` was prevented. The page behind would have the next key.
        if (!locked || event.key !== "Escape") return
        event.preventDefault()
        onCancel()
      }}
      onCancel={(event) => {
        // A file input inside the dialog fires `cancel` too.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onCancel()
      }}
      onClose={({ target, currentTarget }) => {
        // Other gestures than Escape close the dialog, too. After React's strict mode the dialog is open again.
        if (target !== currentTarget || currentTarget.open) return
        if (locked) currentTarget.showModal()
        onCancel()
      }}
    >
      <h2 id={titleId} className={styles["title"]} {...(focusTitle && { tabIndex: -1, "data-autofocus": true })}>
        {title}
      </h2>
      <CoversPage value>{children}</CoversPage>
    </dialog>
  )
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles["actions"]}>{children}</div>
}

import { type ReactNode, useEffect, useId, useRef } from "react"
import { classes } from "./classes.ts"
import styles from "./dialog.module.css"

type Props = {
  title: string
  /** Escape, and what the browser offers instead of it. The parent takes the dialog away. */
  onCancel: () => void
  /** As wide as the window lets it, for something to look at. */
  wide?: boolean
  children: ReactNode
}

/**
 * A modal dialog while it is rendered. The native element keeps the focus inside and gives it back; the first focus goes to
 * what has `autoFocus`, else to the first control. A click beside it does nothing: it must not cost a comment.
 */
export function Dialog({ title, onCancel, wide = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const element = dialog.current
    if (!element) return
    const before = document.activeElement
    // React calls focus() for autoFocus before the dialog is open, when nothing in it can take it.
    element.showModal()
    element.querySelector<HTMLElement>("[data-autofocus]")?.focus()
    return () => {
      element.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      className={classes(styles["dialog"], wide && styles["wide"])}
      onCancel={(event) => {
        // A file input inside fires `cancel` too.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onCancel()
      }}
      onClose={(event) => {
        // Chromium closes the dialog at a second Escape, whatever `cancel` says. React's strict mode closes it and opens it again.
        if (event.target === event.currentTarget && !event.currentTarget.open) onCancel()
      }}
    >
      <h2 id={titleId} className={styles["title"]}>
        {title}
      </h2>
      {children}
    </dialog>
  )
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles["actions"]}>{children}</div>
}

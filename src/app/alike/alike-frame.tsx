/** The frame around letters that are read together: the way back to the list, and the heading. */
import type { ReactNode } from "react"
import { Link } from "react-router"
import styles from "./alike.module.css"
import { Icon } from "../ui/icon.tsx"
import { Skeleton } from "../ui/page-parts.tsx"

/** Whether the placeholder had the focus when the card replaced it. */
let hadFocus = false

/** The heading gets the focus that the heading of the placeholder had. */
function takeFocus(heading: HTMLHeadingElement | null): void {
  if (heading === null) return
  // The list scrolled the window. Back and Forward scroll to their own place after this.
  scrollTo(0, 0)
  if (hadFocus && document.activeElement === document.body) heading.focus({ preventScroll: true })
  hadFocus = false
}

type Props = { home: string; title: string; children: ReactNode }

export function AlikeFrame({ home, title, children }: Props) {
  return (
    <div className={styles["frame"]} data-together="">
      <div className={styles["strip"]}>
        <Link to={home} className={styles["back"]}>
          <Icon name="chevron" size={14} /> Back to the list
        </Link>
      </div>
      <h2 ref={takeFocus} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </div>
  )
}

/** Shown while the code of the card is loaded. */
export function AlikePlaceholder({ home }: { home: string }) {
  const keep = (frame: HTMLElement | null) => () => {
    hadFocus = frame?.contains(document.activeElement) === true
  }
  return (
    <div ref={keep}>
      <AlikeFrame home={home} title="Alike letters">
        <p aria-busy="true">
          <Skeleton width="60%" />
        </p>
      </AlikeFrame>
    </div>
  )
}

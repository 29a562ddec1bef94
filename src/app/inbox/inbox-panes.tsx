import { type ReactNode, type RefObject, useEffect, useRef } from "react"
import { Icon } from "../ui/icon.tsx"
import { Link } from "../ui/link.tsx"
import { Panes } from "../ui/panes.tsx"
import styles from "./inbox.module.css"

type Props = {
  /** The page's address without an item. */
  home: string
  /** The key of the chosen item. */
  selected: string | undefined
  list: ReactNode
  /** The element around the list, whose keys choose an item. */
  listRef: RefObject<HTMLDivElement | null>
  /** The reading pane's content. */
  children: ReactNode
}

/** The two panes of Needs You and Approvals: the list, and the chosen item. */
export function InboxPanes({ home, selected, list, listRef, children }: Props) {
  const pane = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Each letter is shown from its beginning, also where the letter before it was scrolled down.
    if (selected !== undefined && (pane.current?.getBoundingClientRect().top ?? 0) < 0)
      pane.current?.scrollIntoView({ block: "start" })
  }, [selected])
  return (
    <Panes
      chosen={selected !== undefined}
      list={
        <div className={styles["scroll"]} ref={listRef}>
          {list}
        </div>
      }
    >
      <div ref={pane} data-pane="" tabIndex={-1} className={styles["pane"]}>
        {selected !== undefined && (
          <Link to={home} className={styles["back"]}>
            <Icon name="chevron" size={14} /> Back to the list
          </Link>
        )}
        {children}
      </div>
    </Panes>
  )
}

/** Gives the focus to the reading pane, which shows the next item after one was resolved. */
export function focusPane(): void {
  document.querySelector<HTMLElement>("[data-pane]")?.focus({ preventScroll: true })
}

import { type ReactNode, useEffect, useId } from "react"
import { ButtonLink } from "./button.tsx"
import styles from "./page-parts.module.css"

let page = ""
let prefix = ""

const writeTitle = () => {
  document.title = `${prefix}${page === "" ? "" : `${page} · `}Workdesk`
}

/** Sets the title of the tab: "Approvals · Workdesk". */
export function usePageTitle(title: string): void {
  useEffect(() => {
    page = title
    writeTitle()
  }, [title])
}

/** Puts the count of what waits before the title of every page: `(3)`, `(3+)`, or nothing. Only the shell calls this. */
export function setTitlePrefix(count: string): void {
  prefix = count === "" ? "" : `(${count}) `
  writeTitle()
}

/** The top of a page: its title as the level-1 heading and as the title of the tab, and its actions at the right. */
export function PageBar({ title, children }: { title: string; children?: ReactNode }) {
  usePageTitle(title)
  return (
    <div className={styles["bar"]}>
      <h1 tabIndex={-1}>{title}</h1>
      {children !== undefined && <div className={styles["actions"]}>{children}</div>}
    </div>
  )
}

/** Gives the focus to the title of the page, where what has the focus is about to go. */
export function focusTitle(): void {
  document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true })
}

/** In place of a page that is not there: why, and the way to the list. */
export function DeadEnd({ page, title, children }: { page: string; title: string; children: ReactNode }) {
  return (
    <>
      <PageBar title={page} />
      <EmptyState
        title={title}
        action={
          <ButtonLink to="/work" kind="primary">
            Go to Work
          </ButtonLink>
        }
      >
        {children}
      </EmptyState>
    </>
  )
}

/** Says what will appear here, and what can be done now. */
export function EmptyState({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles["empty"]}>
      <h2>{title}</h2>
      <p>{children}</p>
      {action !== undefined && <div className={styles["act"]}>{action}</div>}
    </div>
  )
}

/** A region of a page, named by its heading. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={styles["section"]}>
      <div className={styles["head"]}>
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

import type { ReactNode } from "react"
import { ButtonLink } from "./button.tsx"
import styles from "./page-parts.module.css"
import { usePageTitle } from "./page-title.ts"

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

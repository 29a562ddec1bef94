import { type ReactNode, useId } from "react"
import { Button, ButtonLink } from "./button.tsx"
import styles from "./page-parts.module.css"
import { onDeskClock } from "../client/clock.ts"
import { createStore, useStore } from "../client/create-store.ts"
import { useClock } from "./clocks.tsx"
import { writeHidden } from "./hidden-characters.ts"
import { Icon } from "./icon.tsx"
import { formatExact, formatRelative } from "./time-words.ts"

/** The count of pending items, which stands before the title of every page: `3`, `3+`, or nothing. Only the shell sets it. */
export const titleCount = createStore("")

/** The title of the tab: "(3) Approvals · Workdesk". If several are rendered, the one that was mounted last counts. */
export function PageTitle({ title }: { title?: string }) {
  const count = useStore(titleCount)
  const page = title === undefined ? "" : `${title} · `
  return <title>{writeHidden(`${count && `(${count}) `}${page}Workdesk`)}</title>
}

/** The top of a page: its title as the level-1 heading and as the title of the tab, and its actions at the right. */
export function PageBar({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles["bar"]}>
      <PageTitle title={title} />
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

type SectionProps = {
  title: string
  /** The name of the region, where it differs from its title. */
  label?: string
  aside?: ReactNode
  children: ReactNode
}

/** A region of a page, named by its heading. */
export function Section({ title, label, aside, children }: SectionProps) {
  const id = useId()
  return (
    <section
      {...(label === undefined ? { "aria-labelledby": id } : { "aria-label": label })}
      className={styles["section"]}
    >
      <div className={styles["head"]}>
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/**
 * A region without a heading or visible content, which assistive technology finds under its name. It says "None" only once the list `isKnown` to be
 * empty, not while the list is being read or can't be read.
 */
export function EmptySection({ label, isKnown }: { label: string; isKnown: boolean }) {
  return <section aria-label={label}>{isKnown && <span className="visually-hidden">None</span>}</section>
}

type Props = {
  /** When the page was read, in ms since 1970 on this machine's clock; 0 before the first answer. */
  updatedAt: number
  refreshing: boolean
  onRefresh: () => void
}

/** The age of what a page shows, and a button that reads it again. */
export function Freshness({ updatedAt, refreshing, onRefresh }: Props) {
  return (
    <span className={styles["fresh"]}>
      {updatedAt > 0 && <Age at={onDeskClock(updatedAt)} />}
      <Button
        kind="plain"
        size="small"
        aria-label="Refresh"
        title="Refresh"
        aria-busy={refreshing}
        onClick={() => onRefresh()}
      >
        <Icon name="refresh" />
      </Button>
    </span>
  )
}

/** How long ago the page was read, in seconds during the first minute. `at` is a moment of the desk's clock. */
function Age({ at }: { at: number }) {
  const age = useClock((now) => {
    const seconds = Math.floor((now - at) / 1000)
    if (seconds < 1) return "now"
    return seconds < 60 ? `${seconds} s ago` : formatRelative(at, now)
  })
  return (
    <span title={formatExact(new Date(at).toISOString())}>
      <span className={styles["updated"]}>Updated </span>
      {age}
    </span>
  )
}

/** A placeholder for a text that is not loaded yet; `width` is in any CSS unit. Hidden from assistive technology. */
export function Skeleton({ width }: { width: string }) {
  return <span aria-hidden="true" className={styles["skeleton"]} style={{ width }} />
}

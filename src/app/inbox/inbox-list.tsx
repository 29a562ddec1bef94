import { type ComponentType, useEffect, useState } from "react"
import { number } from "valibot"
import { deskNow } from "../client/clock.ts"
import type { DeskError } from "../client/desk-error.ts"
import { defineKind } from "../client/storage.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { useFirstRows } from "../ui/first-paint.ts"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { useNow } from "../ui/now.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { EmptyState } from "../ui/page-parts.tsx"
import { PaneItem } from "../ui/panes.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { formatAge } from "../ui/time-words.ts"
import type { InboxRow } from "./inbox-rows.ts"
import styles from "./inbox.module.css"
import type { ItemId } from "./item-variant.ts"

/** One thing that waits, as a line of an inbox. */
export type InboxItem = {
  readonly id: ItemId
  readonly key: string
  readonly to: string
  readonly title: string
  readonly workTitle: string
  readonly colleague: string
  /** ISO 8601; undefined until it is known. */
  readonly createdAt: string | undefined
  readonly version: bigint
}

/** How much of the open Work the desk has checked. `oldestAt` is in ms since 1970. */
type Progress = { checked: number; total: number; complete: boolean; oldestAt: number | undefined }

type Props = {
  /** The page's own address, without an item. */
  home: "/needs-you" | "/approvals"
  rows: readonly InboxRow<InboxItem>[]
  /** The number of items that wait for a click before they get a row. */
  notShown: number
  onShowAll: () => void
  /** The key of the chosen item. */
  selected: string | undefined
  progress: Progress | undefined
  error: DeskError | null
  /** What the list says when nothing waits: in a few words, and what will appear here. */
  empty: { readonly title: string; readonly more: string }
  /** Shown within an item's link, below its title. */
  Mark?: ComponentType<{ id: ItemId; version: bigint }> | undefined
}

/** The list of what waits, oldest first, with the items since the last visit in a section of their own. */
export function InboxList({ home, rows: all, notShown, onShowAll, selected, progress, error, empty, Mark }: Props) {
  const rows = useFirstRows(all)
  const lastVisit = useLastVisit(home)
  const isNew = ({ item }: InboxRow<InboxItem>) =>
    lastVisit === undefined || Date.parse(item.createdAt ?? "") > lastVisit
  const complete = progress?.complete === true
  return (
    <>
      <div className={styles["head"]}>
        {progress && <ProgressLine {...progress} />}
        {notShown > 0 && (
          <Button size="small" onClick={onShowAll}>
            {notShown} new
          </Button>
        )}
      </div>
      {error && (
        <div className={styles["error"]}>
          <ErrorAlert error={error} retryAt={error.retryAt} compact />
        </div>
      )}
      <ListSection name="Earlier" rows={rows.filter((row) => !isNew(row))} selected={selected} Mark={Mark} />
      <ListSection name="New" rows={rows.filter(isNew)} selected={selected} Mark={Mark} />
      {rows.length === 0 && complete && <EmptyState title={empty.title}>{empty.more}</EmptyState>}
      {!complete && error === null && <Placeholders />}
    </>
  )
}

type SectionProps = Pick<Props, "rows" | "selected" | "Mark"> & { name: string }

function ListSection({ name, rows, selected, Mark }: SectionProps) {
  if (rows.length === 0) return null
  return (
    <section aria-label={name}>
      <h2 className={styles["section"]}>{name}</h2>
      <ul>
        {rows.map(({ item, gone }) => (
          <li key={item.key} className={gone ? styles["gone"] : undefined}>
            <PaneItem
              to={item.to}
              current={item.key === selected}
              title={
                <>
                  <OutsideText>{item.title}</OutsideText> <MixedScripts text={item.title} />
                </>
              }
            >
              <div className="soft small">
                <OutsideText>{item.workTitle}</OutsideText> <MixedScripts text={item.workTitle} />
              </div>
              <div className="soft small">
                <OutsideText>{item.colleague}</OutsideText>
                {item.createdAt !== undefined && (
                  <>
                    {" · "}
                    <RelativeTime at={item.createdAt} focusable={false} />
                  </>
                )}
                {gone && " · no longer waits"}
              </div>
              {!gone && Mark && <Mark id={item.id} version={item.version} />}
            </PaneItem>
          </li>
        ))}
      </ul>
    </section>
  )
}

function ProgressLine({ checked, total, oldestAt }: Omit<Progress, "complete">) {
  const now = useNow(1000)
  const seconds = oldestAt === undefined ? undefined : Math.max(0, Math.round((now - oldestAt) / 1000))
  const age = seconds === undefined ? "" : `, ${formatAge(seconds * 1000)} ago`
  return (
    <span className="soft small">
      {checked} of {total} checked{age}
    </span>
  )
}

function Placeholders() {
  return (
    <div aria-busy="true" className={styles["placeholders"]}>
      <span className="visually-hidden">Checking what is waiting</span>
      <Skeleton width="80%" />
      <Skeleton width="55%" />
      <Skeleton width="70%" />
    </div>
  )
}

const visits = defineKind<readonly [home: string], number>({
  name: "visited",
  version: 1,
  schema: number(),
  forgetAfterMs: 90 * 24 * 60 * 60_000,
  maxCharacters: 1_000,
  mayGo: true,
})

/** When the person opened this inbox last, in ms since 1970. Items after that are new. */
function useLastVisit(home: string): number | undefined {
  const [lastVisit] = useState(() => visits(home).read())
  useEffect(() => {
    visits(home).write(deskNow())
  }, [home])
  return lastVisit
}

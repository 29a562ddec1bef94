import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useEffect, useMemo, useState } from "react"
import { Link, useNavigate } from "react-router"
import { number } from "valibot"
import { deskNow } from "../client/clock.ts"
import type { DeskError } from "../client/desk-error.ts"
import { defineKind } from "../client/storage.ts"
import { changeEntry, setAside } from "../client/team-changes.ts"
import { useIsComplete, useWaiting } from "../client/waiting.ts"
import type { Alike } from "./alike.ts"
import { NothingLeft, OTHERS_ID } from "./nothing-left.tsx"
import type { InboxLine } from "./inbox-lines.ts"
import {
  addressIn,
  alikeAddress,
  groupOf,
  type InboxPage,
  type InboxView,
  isFiltered,
  kindIn,
  NO_FILTERS,
  writeInboxView,
} from "./inbox-view.ts"
import { INBOX_WORDS } from "./inbox-words.ts"
import styles from "./inbox.module.css"
import { type ItemMark, InboxRowLink } from "./inbox-row.tsx"
import { isNoted } from "./row-note.tsx"
import { titleOf } from "./item.ts"
import type { InboxRow } from "./steady-rows.ts"
import type { InboxState } from "./use-inbox.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { RelativeTime, useClock } from "../ui/clocks.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { HiddenName, OutsideText } from "../ui/outside-text.tsx"
import { EmptyState, focusTitle, Skeleton } from "../ui/page-parts.tsx"
import { countOf, formatUnread } from "../../contract/plural.ts"
import { formatAge, momentOf } from "../ui/time-words.ts"
import { useAct } from "../ui/use-act.ts"
import { VirtualList } from "../ui/virtual-list.tsx"

type Props = {
  page: InboxPage
  inbox: Pick<InboxState, "rows" | "frozen" | "folded" | "notShown" | "showAll" | "selectedKey" | "lastKey">
  error: DeskError | null
  view: InboxView
  /** How many items are in the view, and how many are pending in all. */
  found: readonly [count: number, total: number]
  /** How many items wait for other people. */
  others: number
  Mark?: ItemMark | undefined
  /** Finds the letters that are alike. Left out where they can't be read together. */
  findAlike?: Alike["find"] | undefined
  children?: ReactNode
}

/** The expected heights in pixels of a row, of its note, and of the button below it. After a reload they determine where the list scrolls to. */
const ROW_HEIGHT = 59
const NOTE_HEIGHT = 20
const TOGETHER_HEIGHT = 29

const NO_GROUPS: ReturnType<Alike["find"]> = new Map()

/**
 * The list of pending items, in the order of `arrangeLines`. Each group has a heading. Without groups, items at the end of the list that came after
 * the last visit have a heading.
 */
export function InboxList({ page, inbox, error, view, found, others, Mark, findAlike, children }: Props) {
  const { rows, frozen, folded, notShown, showAll, selectedKey: selected, lastKey } = inbox
  const navigate = useNavigate()
  const lastVisit = useLastVisit(page)
  const isNew = ({ item }: InboxRow<InboxLine>) =>
    lastVisit === undefined || Date.parse(item.entry.item.created_at) > lastVisit
  const firstNew = rows.findLastIndex((row) => !isNew(row)) + 1
  // If all items are new, or none, a heading would say nothing.
  const visitHeadingAt = (at: number) => (at === firstNew && at > 0 ? "New" : undefined)
  const groupAt = (at: number) => view.group && rows[at] && groupOf(rows[at].item.entry, view.group)
  const groupHeadingAt = (at: number) => (groupAt(at)?.key === groupAt(at - 1)?.key ? undefined : groupAt(at)?.name)
  const headingAt = view.group === undefined ? visitHeadingAt : groupHeadingAt
  const complete = useIsComplete()
  // Marks come only once new items no longer move the rows.
  const isMarked = complete || frozen
  const groups = useMemo(
    () => (isMarked && findAlike?.(rows.flatMap(({ item, gone }) => (gone ? [] : [item])))) || NO_GROUPS,
    [isMarked, findAlike, rows],
  )
  const lineOf = new Map(groups.size === 0 ? [] : rows.map(({ item }) => [item.key, item]))
  /** The letters that the button below a row opens: the row is the first of its group. */
  const groupBelow = (key: string) => {
    const keys = groups.get(key)?.keys
    return keys?.[0] === key ? keys.map((each) => lineOf.get(each)?.id).filter((id) => id !== undefined) : undefined
  }
  // The chosen item keeps its row, but counts too.
  const goneCount = folded + rows.filter(({ gone }) => gone).length
  // The text of the empty list says how many items wait for others.
  const hasNothingLeft = rows.length === 0 && complete && !isFiltered(view)
  return (
    <>
      <div className={styles["head"]}>
        <ProgressLine />
        {others > 0 && !hasNothingLeft && (
          <span className="soft small">{countOf(others, "waits", "wait")} for others</span>
        )}
        <span aria-live="polite" className="small">
          {isFiltered(view) && `${found[0]} of ${found[1]}${complete ? "" : " so far"}`}
        </span>
        <span aria-live="polite">
          {notShown > 0 && (
            <Button size="small" onClick={showAll}>
              {notShown} new
            </Button>
          )}
        </span>
      </div>
      {/* The banner above every page says that the desk is out of reach. */}
      {error && error.kind !== "unreachable" && (
        <div className={styles["error"]}>
          <ErrorAlert error={error} retryAt={error.retryAt} compact />
        </div>
      )}
      {rows.length > 0 && (
        <VirtualList
          label={INBOX_WORDS[kindIn(page, view) ?? "all"].heading}
          keys={rows.map(({ item }) => item.key)}
          kept={lastKey}
          heightOf={(at) => {
            const line = rows[at]?.item
            if (line === undefined) return ROW_HEIGHT
            const button = groups.get(line.key)?.keys[0] === line.key ? TOGETHER_HEIGHT : 0
            return ROW_HEIGHT + (isNoted(line.entry) ? NOTE_HEIGHT : 0) + button
          }}
        >
          {(at) => {
            const row = rows[at]
            const heading = headingAt(at)
            const together = row && groupBelow(row.item.key)
            return (
              row && (
                <div className={row.gone ? styles["gone"] : undefined}>
                  {heading !== undefined && (
                    <h2 className={styles["section"]}>
                      <OutsideText empty="Untitled">{heading}</OutsideText>
                    </h2>
                  )}
                  <InboxRowLink
                    row={row.item.key}
                    to={row.item.to}
                    entry={row.item.entry}
                    alike={groups.get(row.item.key)?.keys.length ?? 0}
                    isGone={row.gone}
                    isCurrent={row.item.key === selected}
                    Mark={isMarked ? Mark : undefined}
                  />
                  {together && (
                    <Button
                      kind="plain"
                      size="small"
                      className={styles["together"]}
                      onClick={() => {
                        const address = alikeAddress(page, writeInboxView(view), row.item.id)
                        void navigate(address, { state: { alike: together } })
                      }}
                    >
                      Read together
                      <HiddenName>{titleOf(row.item.entry.item)}</HiddenName>
                    </Button>
                  )}
                </div>
              )
            )
          }}
        </VirtualList>
      )}
      {folded > 0 && <p className={styles["section"]}>{goneCount} no longer pending</p>}
      {rows.length === 0 && complete && (
        <NothingListed page={page} view={view} isCurrent={error === null} others={others} />
      )}
      {rows.length === 0 && !complete && error === null && <Placeholders />}
      {children}
    </>
  )
}

type NothingProps = Pick<Props, "page" | "view" | "others"> & { isCurrent: boolean }

/** The text of an empty list. `isCurrent` is false while the desk can't check what is pending. */
function NothingListed({ page, view, isCurrent, others }: NothingProps) {
  const words = INBOX_WORDS[kindIn(page, view) ?? "all"]
  if (!isFiltered(view)) return <NothingLeft title={isCurrent ? words.none : words.noneAtLastCheck} others={others} />
  const withoutFilters = { ...view, ...NO_FILTERS }
  if (isFiltered({ ...view, for: undefined }))
    return (
      <EmptyState
        title={words.noneMatch}
        action={
          <ButtonLink to={addressIn(page, writeInboxView(withoutFilters))} onClick={focusTitle}>
            Clear filters
          </ButtonLink>
        }
      >
        Try different filters.
      </EmptyState>
    )
  return (
    <EmptyState title={view.for === "mine" ? words.noneMine : words.noneFree}>
      Choose Anyone to see every open item.
    </EmptyState>
  )
}

/** The age of the oldest check is shown in steps of this size, because each change of the text costs the browser a frame. */
const AGE_STEP_MS = 5_000

/** How much of the Work has been checked, and how long ago the oldest check was, rounded up. */
function ProgressLine() {
  const waiting = useWaiting((now) => now.waiting)
  const oldest = momentOf(waiting?.oldest_check_at ?? "")
  const age = useClock((now) =>
    oldest === undefined ? "" : `, ${formatAge(Math.ceil((now - oldest) / AGE_STEP_MS) * AGE_STEP_MS)} ago`,
  )
  if (waiting === undefined) return null
  const { checked, total, unread = 0 } = waiting
  return (
    <span className="soft small">
      {`${checked} of ${total} checked${age}`}
      {unread > 0 && `; ${formatUnread(unread)}`}
    </span>
  )
}

function Placeholders() {
  return (
    <div aria-busy="true" className={styles["placeholders"]}>
      <span className="visually-hidden">Checking for pending items</span>
      <Skeleton width="80%" />
      <Skeleton width="55%" />
      <Skeleton width="70%" />
    </div>
  )
}

const visits = defineKind<readonly [home: string], number>({
  name: "visited",
  schema: number(),
  keptDays: 90,
})

/** When the person last opened this inbox, in ms since 1970. Later items are new; at the first visit every item is new. */
function useLastVisit(home: string): number | undefined {
  const [lastVisit] = useState(() => visits(home).read())
  useEffect(() => {
    visits(home).write(deskNow())
  }, [home])
  return lastVisit
}

type OtherProps = {
  /** What other people have to answer or approve. */
  others: readonly InboxLine[]
  /** Set aside by the person. */
  aside: readonly InboxLine[]
  /** Approved by the person, and in need of another approval. */
  approved: readonly InboxLine[]
  /** Called with the key of an item before it comes back into the list. */
  onBringBack: (key: string) => void
}

/** Folded lists of the pending items that are not in the main list. */
export function OtherLines({ others, aside, approved, onBringBack }: OtherProps) {
  return (
    <>
      <Lines id={OTHERS_ID} name="Waiting for others" lines={others} onBringBack={onBringBack} />
      <Lines name="Set aside" lines={aside} onBringBack={onBringBack} />
      <Lines name="Approved by you, needs another approval" lines={approved} onBringBack={onBringBack} />
    </>
  )
}

type LinesProps = Pick<OtherProps, "onBringBack"> & { name: string; lines: readonly InboxLine[]; id?: string }

function Lines({ name, lines, id, onBringBack }: LinesProps) {
  if (lines.length === 0) return null
  return (
    <details className={styles["others"]} id={id}>
      <summary>
        {name} ({lines.length})
      </summary>
      <ul>
        {lines.map((line) => (
          <li key={line.key}>
            <span>
              <Link to={line.to}>
                <OutsideText>{titleOf(line.entry.item)}</OutsideText>
              </Link>
              {line.entry.aside && (
                <>
                  <br />
                  <span className="soft small">
                    Back <RelativeTime at={line.entry.aside.until} />
                  </span>
                </>
              )}
            </span>
            {line.entry.aside && <BringBack line={line} onBringBack={() => onBringBack(line.key)} />}
          </li>
        ))}
      </ul>
    </details>
  )
}

type BringBackProps = { line: InboxLine; onBringBack: () => void }

function BringBack({ line: { id, entry }, onBringBack }: BringBackProps) {
  const client = useQueryClient()
  const [work, item] = id
  const bringBack = useAct(String(entry.item.version), (version) => setAside({ work, item, version, until: null }), {
    onDone: () => {
      onBringBack()
      changeEntry(client, work, item, { aside: undefined, needs_you: true })
    },
  })
  return (
    <>
      <Button size="small" inactive={!bringBack.isArmed} onClick={() => bringBack.act()}>
        Bring back
        <HiddenName>{titleOf(entry.item)}</HiddenName>
      </Button>
      <ErrorAlert error={bringBack.error} compact />
    </>
  )
}

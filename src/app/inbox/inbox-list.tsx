import { type ComponentType, memo, type ReactNode, useEffect, useRef, useState } from "react"
import { number } from "valibot"
import { deskNow } from "../client/clock.ts"
import type { DeskError } from "../client/desk-error.ts"
import { defineKind } from "../client/storage.ts"
import type { Waiting } from "../client/waiting.ts"
import { Button } from "../ui/button.tsx"
import { ChangedText } from "../ui/changed-text.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { useNow } from "../ui/clocks.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { EmptyState } from "../ui/page-parts.tsx"
import { PaneItem } from "../ui/panes.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { formatAge, momentOf } from "../ui/time-words.ts"
import type { InboxLine, InboxView } from "./inbox-lines.ts"
import type { InboxRow } from "./inbox-rows.ts"
import styles from "./inbox.module.css"
import { colleagueOf, ITEM_PAGES, ITEM_WORDS, type ItemId, type ItemKind, titleOf } from "./item.ts"
import { DecideBy, TeamState } from "./team-words.tsx"
import type { InboxState } from "./use-inbox.ts"

type Props = {
  kind: ItemKind
  inbox: Pick<InboxState, "rows" | "notShown" | "showAll" | "selectedKey">
  waiting: Waiting | undefined
  error: DeskError | null
  only: InboxView["only"]
  Mark?: ItemMark | undefined
  children?: ReactNode
}

/** Shown within an item's link, below its title. */
export type ItemMark = ComponentType<{ id: ItemId; version: bigint }>

/** More tombstones than this are shown as one line with their number. The chosen tombstone keeps its row. */
const TOMBSTONES_MAX = 20

/**
 * The list of what waits, in the order of `arrangeLines`. Where items that came after the last visit stand at its end, they have a section of
 * their own.
 */
export function InboxList({ kind, inbox, waiting, error, only, Mark, children }: Props) {
  const { rows: all, notShown, showAll, selectedKey: selected } = inbox
  const tombstones = all.filter((row) => row.gone).length
  const isCrowded = tombstones > TOMBSTONES_MAX
  const rows = isCrowded ? all.filter((row) => !row.gone || row.item.key === selected) : all
  const lastVisit = useLastVisit(ITEM_PAGES[kind])
  const isNew = ({ item }: InboxRow<InboxLine>) =>
    lastVisit === undefined || Date.parse(item.entry.item.created_at) > lastVisit
  const newFrom = rows.findLastIndex((row) => !isNew(row)) + 1
  const complete = waiting?.complete === true
  return (
    <>
      <div className={styles["head"]}>
        {waiting && <ProgressLine {...waiting} />}
        {notShown > 0 && (
          <Button size="small" onClick={showAll}>
            {notShown} new
          </Button>
        )}
      </div>
      {error && (
        <div className={styles["error"]}>
          <ErrorAlert error={error} retryAt={error.retryAt} compact />
        </div>
      )}
      <ListSection name="Earlier" rows={rows.slice(0, newFrom)} selected={selected} Mark={Mark} />
      <ListSection name="New" rows={rows.slice(newFrom)} selected={selected} Mark={Mark} />
      {isCrowded && <p className={styles["section"]}>{tombstones} no longer wait</p>}
      {rows.length === 0 && complete && <NothingListed kind={kind} only={only} isCurrent={error === null} />}
      {!complete && error === null && <Placeholders />}
      {children}
    </>
  )
}

type NothingProps = Pick<Props, "kind" | "only"> & { isCurrent: boolean }

/** What an empty list says. `isCurrent` is false while the desk cannot tell what waits now. */
function NothingListed({ kind, only, isCurrent }: NothingProps) {
  const words = ITEM_WORDS[kind]
  if (only === undefined)
    return <EmptyState title={isCurrent ? words.noneWait : words.noneWaited}>{words.noneWaitMore}</EmptyState>
  return (
    <EmptyState title={only === "mine" ? words.noneMine : words.noneFree}>All shows everything that waits.</EmptyState>
  )
}

/** How many rows are drawn together, as one block. */
const BLOCK_ROWS = 20

type SectionProps = {
  name: string
  rows: readonly InboxRow<InboxLine>[]
  selected: string | undefined
  Mark: ItemMark | undefined
}

/** A part of the list. Only three kinds of blocks are drawn: the first, those near the window, and the block of the chosen item. */
function ListSection({ name, rows, selected, Mark }: SectionProps) {
  if (rows.length === 0) return null
  const blocks = Array.from({ length: Math.ceil(rows.length / BLOCK_ROWS) }, (_, at) =>
    rows.slice(at * BLOCK_ROWS, (at + 1) * BLOCK_ROWS),
  )
  return (
    <section aria-label={name}>
      <h2 className={styles["section"]}>{name}</h2>
      {blocks.map((block, at) => (
        // The place of a block is its identity.
        <Block key={at} size={block.length} isNeeded={at === 0 || block.some(({ item }) => item.key === selected)}>
          {() =>
            block.map(({ item, gone }) => (
              <li key={item.key} className={gone ? styles["gone"] : undefined}>
                <Line line={item} isGone={gone} isCurrent={item.key === selected} Mark={Mark} />
              </li>
            ))
          }
        </Block>
      ))}
    </section>
  )
}

/** The expected height of a row in pixels, until the rows of a block have been drawn. */
const ROW_HEIGHT = 76
/** A block is drawn when it is nearer to the window than this. */
const NEAR = "600px"

type BlockProps = {
  size: number
  isNeeded: boolean
  children: () => ReactNode
}

/** A list of rows. While the rows are not drawn, the list keeps their height, so that nothing below it moves. */
function Block({ size, isNeeded, children }: BlockProps) {
  const block = useRef<HTMLUListElement>(null)
  const [isNear, setIsNear] = useState(false)
  const [height, setHeight] = useState(size * ROW_HEIGHT)
  const isDrawn = isNear || isNeeded
  useEffect(() => {
    if (block.current === null) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry === undefined) return
        if (!entry.isIntersecting && entry.boundingClientRect.height > 0) setHeight(entry.boundingClientRect.height)
        setIsNear(entry.isIntersecting)
      },
      { rootMargin: NEAR },
    )
    observer.observe(block.current)
    return () => observer.disconnect()
  }, [])
  return (
    <ul ref={block} style={isDrawn ? undefined : { height }}>
      {isDrawn && children()}
    </ul>
  )
}

type LineProps = { line: InboxLine; isGone: boolean; isCurrent: boolean; Mark: ItemMark | undefined }

/** One line of the list, drawn again only when something in the line changes. */
const Line = memo(function Line({ line: { id, to, entry }, isGone, isCurrent, Mark }: LineProps) {
  const { work, item, decide_by: by } = entry
  return (
    <PaneItem to={to} current={isCurrent} title={<ChangedText>{titleOf(item)}</ChangedText>}>
      <div className="soft small">
        <ChangedText>{work.title}</ChangedText>
      </div>
      <div className="soft small">
        <OutsideText>{colleagueOf(entry)}</OutsideText>
        {" · "}
        <RelativeTime at={item.created_at} focusable={false} />
        {isGone && " · no longer waits"}
        {by !== undefined && !isGone && (
          <>
            {" · "}
            <DecideBy by={by} />
          </>
        )}
      </div>
      {!isGone && <TeamState entry={entry} />}
      {!isGone && Mark && <Mark id={id} version={item.version} />}
    </PaneItem>
  )
})

/** How much of the open Work the desk has checked. */
function ProgressLine({ checked, total, oldest_check_at: at }: Waiting) {
  const now = useNow(1000)
  const oldest = momentOf(at ?? "")
  const age = oldest === undefined ? "" : `, ${formatAge(now - oldest)} ago`
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
})

/** When the person opened this inbox last, in ms since 1970. Items after that moment are new; at the first visit every item is. */
function useLastVisit(home: string): number | undefined {
  const [lastVisit] = useState(() => visits(home).read())
  useEffect(() => {
    visits(home).write(deskNow())
  }, [home])
  return lastVisit
}

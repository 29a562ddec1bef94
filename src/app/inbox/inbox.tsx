import { type ComponentType, type ReactNode, type RefObject, useEffect, useRef, useState } from "react"
import { useNavigate } from "react-router"
import type { DeskError } from "../client/desk-error.ts"
import { number } from "valibot"
import { defineKind } from "../client/storage.ts"
import { Button } from "../ui/button.tsx"
import { EmptyState } from "../ui/page-parts.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import type { InboxRow } from "./inbox-rows.ts"
import type { ItemId } from "./item-noun.ts"
import styles from "./inbox.module.css"
import { Link } from "../ui/link.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { useNow } from "../ui/now.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { formatAge } from "../ui/time-words.ts"
import { PaneItem, Panes } from "../ui/panes.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import { Skeleton } from "../ui/skeleton.tsx"

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
}

type Props = {
  /** The page's own address, without an item. */
  home: "/needs-you" | "/approvals"
  rows: readonly InboxRow<InboxItem>[]
  /** How many items wait for a click to join the lines. */
  waiting: number
  onShowWaiting: () => void
  /** The key of the chosen item. */
  selected: string | undefined
  progress: { checked: number; total: number; complete: boolean; oldestAt: number | undefined } | undefined
  error: DeskError | null
  /** What the list says when nothing waits: in a few words, and what will appear here. */
  empty: { readonly title: string; readonly more: string }
  /** What stands within an item's link, below its title. */
  Mark?: ComponentType<{ id: ItemId }> | undefined
  /** The reading pane's content. */
  children: ReactNode
}

/** The two panes of Needs You and Approvals: the list of what waits, oldest first, and the chosen item. */
export function Inbox({ home, rows, waiting, onShowWaiting, selected, progress, error, empty, Mark, children }: Props) {
  const lastVisit = useLastVisit(home)
  const list = useRef<HTMLDivElement>(null)
  const pane = useRef<HTMLDivElement>(null)
  useSelection(rows, selected, list)
  useEffect(() => {
    // Every letter is shown from its beginning, wherever the last one was scrolled to.
    if (selected !== undefined && (pane.current?.getBoundingClientRect().top ?? 0) < 0)
      pane.current?.scrollIntoView({ block: "start" })
  }, [selected])

  const isNew = ({ item }: InboxRow<InboxItem>) =>
    lastVisit === undefined || Date.parse(item.createdAt ?? "") > lastVisit
  const complete = progress?.complete === true
  return (
    <Panes
      chosen={selected !== undefined}
      list={
        <div className={styles["scroll"]} ref={list}>
          <div className={styles["head"]}>
            {progress && <Progress {...progress} />}
            {waiting > 0 && (
              <Button size="small" onClick={onShowWaiting}>
                {waiting} new
              </Button>
            )}
          </div>
          {error && (
            <div className={styles["error"]}>
              <ErrorAlert error={error} retryAt={error.retryAt} compact />
            </div>
          )}
          <Shelf name="Earlier" rows={rows.filter((row) => !isNew(row))} selected={selected} Mark={Mark} />
          <Shelf name="New" rows={rows.filter(isNew)} selected={selected} Mark={Mark} />
          {rows.length === 0 && complete && <EmptyState title={empty.title}>{empty.more}</EmptyState>}
          {!complete && error === null && <Placeholders />}
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

function Shelf({
  name,
  rows,
  selected,
  Mark,
}: {
  name: string
  rows: readonly InboxRow<InboxItem>[]
  selected: string | undefined
  Mark: Props["Mark"]
}) {
  if (rows.length === 0) return null
  return (
    <section aria-label={name}>
      <h2 className={styles["shelf"]}>{name}</h2>
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
              {!gone && Mark && <Mark id={item.id} />}
            </PaneItem>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Progress({ checked, total, oldestAt }: Omit<NonNullable<Props["progress"]>, "complete">) {
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
      <span className="visually-hidden">Looking for what waits</span>
      <Skeleton width="80%" />
      <Skeleton width="55%" />
      <Skeleton width="70%" />
    </div>
  )
}

/** J and K act anywhere outside text fields, the arrows while the list has the focus. Both skip tombstones. */
function useSelection(
  rows: readonly InboxRow<InboxItem>[],
  selected: string | undefined,
  list: RefObject<HTMLElement | null>,
): void {
  const navigate = useNavigate()
  // A navigation takes a moment. A key that comes before its end goes on from the item that the last key chose.
  const focusWanted = useRef<string>(undefined)
  useEffect(() => {
    const giveUp = () => {
      focusWanted.current = undefined
    }
    addEventListener("pointerdown", giveUp)
    return () => removeEventListener("pointerdown", giveUp)
  }, [])
  useEffect(() => {
    if (selected === undefined || focusWanted.current !== selected) return
    focusWanted.current = undefined
    const link = list.current?.querySelector<HTMLElement>("a[aria-current]")
    link?.focus({ preventScroll: true })
    link?.scrollIntoView({ block: "nearest" })
  }, [selected, list])
  const move = (step: number) => {
    const from = focusWanted.current ?? selected
    const at = rows.findIndex(({ item }) => item.key === from)
    const ahead = step > 0 ? rows.slice(at + 1) : rows.slice(0, Math.max(at, 0)).toReversed()
    const next = ahead.find(({ gone }) => !gone)
    if (next === undefined) return
    focusWanted.current = next.item.key
    void navigate(next.item.to, { replace: selected !== undefined })
  }
  useShortcuts({ j: () => move(1), k: () => move(-1) }, { repeat: true })

  const latestMove = useRef(move)
  useEffect(() => {
    latestMove.current = move
  })
  useEffect(() => {
    const element = list.current
    const listen = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      latestMove.current(step)
    }
    element?.addEventListener("keydown", listen)
    return () => element?.removeEventListener("keydown", listen)
  }, [list])
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
    visits(home).write(Date.now())
  }, [home])
  return lastVisit
}

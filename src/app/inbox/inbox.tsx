import { useQuery } from "@tanstack/react-query"
import { type ReactNode, use, useEffect, useMemo, useRef } from "react"
import { Link, useNavigate, useSearchParams } from "react-router"
import { deskNow } from "../client/clock.ts"
import { type DeskError, isSameError } from "../client/desk-error.ts"
import { useSession } from "../client/session.ts"
import { useIsComplete, useWaiting, waitingError } from "../client/waiting.ts"
import { workOptions } from "../client/work-reads.ts"
import { workAddress } from "./addresses.ts"
import { ForChoice, InboxControls } from "./inbox-controls.tsx"
import { arrangeLines } from "./inbox-lines.ts"
import { InboxList, type ItemMark, OtherLines } from "./inbox-list.tsx"
import { addressIn, type InboxPage, type InboxView, readInboxView, writeInboxView } from "./inbox-view.ts"
import styles from "./inbox.module.css"
import cardStyles from "./item-card.module.css"
import { ItemCard } from "./item-card.tsx"
import type { ItemNow } from "./item-state.ts"
import { type Item, ITEM_PAGES, ITEM_WORDS } from "./item.ts"
import type { ItemVariant } from "./use-decision.ts"
import { type InboxState, useChosenItem, useInbox } from "./use-inbox.ts"
import { AtRest } from "../ui/at-rest.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { Panes } from "../ui/panes.tsx"
import { PageBar } from "../ui/page-parts.tsx"
import { useKeptFocus } from "../ui/use-kept-focus.ts"

type Props<Of extends Item> = {
  variant: ItemVariant<Of>
  Mark?: ItemMark
  /** Shown at the right of the heading of the page. */
  bar: ReactNode
}

/** The same list at each render before the first answer. */
const NONE: readonly never[] = []

/** What an inbox page shows: the list of what waits across all Work, and the chosen item beside the list. */
export function Inbox<Of extends Item>({ variant, Mark, bar }: Props<Of>) {
  const { kind } = variant
  const page = ITEM_PAGES[kind]
  // Not the whole of what waits: while the desk only checks more Work, nothing but the line of the progress is rendered.
  const entries = useWaiting(({ waiting }) => waiting && variant.waitingOf(waiting)) ?? NONE
  const error = useWaiting(waitingError) ?? null
  const navigate = useNavigate()
  const view = useInboxView(page)
  const query = writeInboxView(view)
  const me = useSession()
  const lines = useMemo(() => arrangeLines(entries, page, view, me, deskNow()), [entries, page, view, me])
  const workIdOf = (id: string) => entries.find(({ item }) => item.id === id)?.work.id
  const inbox = useInbox({ ...lines, view: query, workIdOf, sentIds: variant.intents.ids })
  // The chosen item stays, also where the list does not have it any more.
  const change = (changed: InboxView) =>
    void navigate(addressIn(page, writeInboxView({ ...view, ...changed }), inbox.selected?.id), { replace: true })

  // Each error is shown once: by the card if the error concerns what was sent, else by the pane, else by the list.
  const { now, readError, sendError } = useChosenItem(variant, inbox.selected?.id ?? ["", ""], inbox.isAtRest)
  const listError = isSameError(error, sendError) || isSameError(error, readError) ? null : error
  const frame = useRef<HTMLDivElement>(null)
  const listTop = useRef(0)
  // A narrow window shows the list or the item. The focus goes along, and the list comes back as it was left.
  useKeptFocus(frame, () => {
    if (inbox.selectedKey !== undefined) return frame.current?.querySelector<HTMLElement>("[data-current] :is(h2, h3)")
    const row = frame.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(inbox.lastKey ?? "")}"]`)
    scrollTo(0, listTop.current)
    row?.scrollIntoView({ block: "nearest" })
    return row ?? frame.current
  })
  const keepListTop = () => {
    listTop.current = scrollY
  }
  return (
    <AtRest value={inbox.isAtRest}>
      <div ref={frame} tabIndex={-1} className={styles["frame"]}>
        <PageBar title={ITEM_WORDS[kind].heading}>
          <ForChoice view={view} onChange={change} />
          {bar}
        </PageBar>
        <InboxControls
          page={page}
          view={view}
          waits={lines.waits}
          chosen={inbox.selectedKey !== undefined}
          onChange={change}
          onEnter={inbox.first}
        />
        <Panes
          chosen={inbox.selectedKey !== undefined}
          list={
            // The links have the focus. This element handles the keys that bubble up from them.
            <div
              role="presentation"
              className={styles["scroll"]}
              data-scrolls=""
              onKeyDown={inbox.onKeyDown}
              onClickCapture={keepListTop}
            >
              <div>
                <InboxList
                  kind={kind}
                  inbox={inbox}
                  error={listError}
                  view={view}
                  found={[lines.listed.length, lines.waits.length]}
                  Mark={Mark}
                >
                  <OtherLines
                    others={lines.others}
                    aside={lines.aside}
                    approved={lines.approved}
                    onBringBack={inbox.bringBack}
                  />
                </InboxList>
              </div>
            </div>
          }
        >
          <ReadingPane variant={variant} inbox={inbox} home={addressIn(page, query)} now={now} error={readError} />
        </Panes>
      </div>
    </AtRest>
  )
}

/** What the address asks for; the same object until the address changes. */
function useInboxView(page: InboxPage): InboxView {
  const [parameters] = useSearchParams()
  const query = writeInboxView(readInboxView(parameters, page))
  return useMemo(() => readInboxView(new URLSearchParams(query), page), [query, page])
}

type PaneProps<Of extends Item> = {
  variant: ItemVariant<Of>
  inbox: InboxState
  home: string
  now: ItemNow<Of>
  error: DeskError | null
}

const NOT_LISTED = { latest: undefined, listed: true, readAt: 0 }

/** The chosen item, and above it the item that was resolved last. */
function ReadingPane<Of extends Item>({ variant, inbox, home, now, error }: PaneProps<Of>) {
  const { selected, selectedKey, done, advance } = inbox
  const words = ITEM_WORDS[variant.kind]
  const pane = useRef<HTMLDivElement>(null)
  const keyBefore = useRef(selectedKey)
  useEffect(() => {
    // Each letter is shown from its beginning, also where the letter before it was scrolled down.
    if (selectedKey !== undefined && (pane.current?.getBoundingClientRect().top ?? 0) < 0)
      pane.current?.scrollIntoView({ block: "start" })
    // J in a narrow window, where the row is hidden and nothing had the focus.
    if (keyBefore.current !== selectedKey && document.activeElement === document.body)
      pane.current?.querySelector<HTMLElement>("[data-current] :is(h2, h3)")?.focus({ preventScroll: true })
    keyBefore.current = selectedKey
  }, [selectedKey])
  const notFound = useIsComplete() ? words.notFound : "Looking for the item at this address…"
  const choose = inbox.rows.some((row) => !row.gone) && words.choose
  const hint = inbox.notFound ? notFound : choose
  return (
    <div ref={pane} data-pane="">
      {selectedKey !== undefined && (
        <Link to={home} className={styles["back"]}>
          <Icon name="chevron" size={14} /> Back to the list
        </Link>
      )}
      {done && (
        <div className={cardStyles["done"]}>
          <ItemCard key={done.key} variant={variant} id={done.id} now={NOT_LISTED} level={2} current={false} />
        </div>
      )}
      {selected === undefined && hint && <p className="soft">{hint}</p>}
      {selected && (
        <>
          <WorkCrumb workId={selected.id[0]} />
          {error && <ErrorAlert error={error} retryAt={error.retryAt} compact />}
          <ItemCard
            key={selected.key}
            variant={variant}
            id={selected.id}
            now={now}
            level={2}
            current
            onConfirmed={() => advance(selected, { stays: true })}
            onAside={() => advance(selected, { stays: false })}
          />
        </>
      )}
    </div>
  )
}

function WorkCrumb({ workId }: { workId: string }) {
  const work = useQuery({ ...workOptions(workId), enabled: use(AtRest) }).data
  return (
    <p className={cardStyles["crumb"]}>
      <Link to={workAddress(workId)}>
        <OutsideText>{work?.title ?? workId}</OutsideText>
      </Link>
    </p>
  )
}

/** The keys that take or set aside the chosen item, for `KeyHints`. In local mode one person has every item, so nobody takes one. */
export function useClaimHints(): readonly (readonly [keys: readonly string[], does: string])[] {
  const isShared = useSession()?.mode === "sign-in"
  return [...(isShared ? [[["T"], "take"] as const] : []), [["S"], "set aside"]]
}

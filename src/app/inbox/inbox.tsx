import { type ReactNode, useMemo, useRef } from "react"
import { useNavigate, useSearchParams } from "react-router"
import { deskNow } from "../client/clock.ts"
import { isSameError } from "../client/desk-error.ts"
import { useSession } from "../client/session.ts"
import { useWaiting, waitingError } from "../client/waiting.ts"
import { ForChoice, InboxControls } from "./inbox-controls.tsx"
import { arrangeLines } from "./inbox-lines.ts"
import { InboxList, type ItemMark, OtherLines } from "./inbox-list.tsx"
import { addressIn, type InboxPage, type InboxView, readInboxView, writeInboxView } from "./inbox-view.ts"
import styles from "./inbox.module.css"
import { type Item, ITEM_PAGES, ITEM_WORDS } from "./item.ts"
import { ReadingPane } from "./reading-pane.tsx"
import type { ItemVariant } from "./use-decision.ts"
import { useChosenItem, useInbox } from "./use-inbox.ts"
import { AtRest } from "../ui/at-rest.ts"
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

/** The keys that take or set aside the chosen item, for `KeyHints`. In local mode one person has every item, so nobody takes one. */
export function useClaimHints(): readonly (readonly [keys: readonly string[], does: string])[] {
  const isShared = useSession()?.mode === "sign-in"
  return [...(isShared ? [[["T"], "take"] as const] : []), [["S"], "set aside"]]
}

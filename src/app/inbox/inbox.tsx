import { useMemo, useRef } from "react"
import { useNavigate, useSearchParams } from "react-router"
import { deskNow } from "../client/clock.ts"
import { isSameError } from "../client/desk-error.ts"
import { useSession } from "../client/session.ts"
import { useWaiting, waitingError, type WaitingItem } from "../client/waiting.ts"
import { itemKey, rowKey } from "./addresses.ts"
import type { Alike } from "./alike.ts"
import { InboxControls } from "./inbox-controls.tsx"
import { arrangeLines } from "./inbox-lines.ts"
import { InboxList, OtherLines } from "./inbox-list.tsx"
import type { ItemMark } from "./inbox-row.tsx"
import {
  addressIn,
  type InboxPage,
  kindIn,
  type InboxView,
  readAlike,
  readInboxView,
  writeInboxView,
} from "./inbox-view.ts"
import { INBOX_WORDS } from "./inbox-words.ts"
import styles from "./inbox.module.css"
import type { Item, ItemId, ItemKind } from "./item.ts"
import { Kinds } from "./kinds.tsx"
import { ReadingPane } from "./reading-pane.tsx"
import type { ItemVariant, ItemVariants } from "./item-variant.ts"
import { type Found, type InboxState, useChosenItem, useInbox } from "./use-inbox.ts"
import { AtRest } from "../ui/at-rest.ts"
import { classes } from "../ui/classes.ts"
import { Panes } from "../ui/panes.tsx"
import { PageBar } from "../ui/page-parts.tsx"
import { useIsPhone } from "../ui/use-is-phone.ts"
import { useKeptFocus } from "../ui/use-kept-focus.ts"

type Props = {
  page: InboxPage
  variants: ItemVariants
  Mark: ItemMark
  alike: Alike
}

/** The same list at each render before the first answer. */
const NONE: readonly never[] = []

/** The inbox: the list of pending items across all Work, and the chosen item beside it. */
export function Inbox({ page, variants, Mark, alike }: Props) {
  // Only the two lists are selected, so that progress in checking Work renders nothing but the progress line.
  const clarifications = useWaiting(({ waiting }) => waiting?.clarifications) ?? NONE
  const approvals = useWaiting(({ waiting }) => waiting?.approvals) ?? NONE
  const view = useInboxView(page)
  const kind = kindIn(page, view)
  const entries = useMemo(
    (): readonly WaitingItem<Item>[] => [
      ...(kind === "approval" ? NONE : clarifications),
      ...(kind === "clarification" ? NONE : approvals),
    ],
    [kind, clarifications, approvals],
  )
  const me = useSession()
  const lines = useMemo(() => arrangeLines(entries, page, view, me, deskNow()), [entries, page, view, me])
  const together = useAddressOfAlike()
  const waiting = { clarification: clarifications, approval: approvals }
  const first = (find: (kind: ItemKind) => ItemId | undefined) => findOfKind(kind, find)
  const inbox = useInbox({
    ...lines,
    view: writeInboxView(view),
    kind,
    together: together && rowKey("approval", together),
    findWaiting: (id, workId) => first((each) => findEntry(waiting[each], id, workId)),
    findSent: (id, workId) => first((each) => variants[each].intents.ids().find((sent) => isNamed(sent, id, workId))),
  })
  const shown = { page, view, lines, inbox, together, variants, Mark, alike }
  return inbox.selected?.kind === "approval" ? (
    <InboxWith variant={variants.approval} {...shown} />
  ) : (
    <InboxWith variant={variants.clarification} {...shown} />
  )
}

type WithProps<Of extends Item> = Omit<Props, "variants"> & {
  variant: ItemVariant<Of>
  view: InboxView
  lines: ReturnType<typeof arrangeLines>
  inbox: InboxState
  /** The first of the letters that are read together. */
  together: ItemId | undefined
}

function InboxWith<Of extends Item>(props: WithProps<Of>) {
  const { variant, page, view, lines, inbox, together, Mark, alike } = props
  const error = useWaiting(waitingError) ?? null
  const navigate = useNavigate()
  const kind = kindIn(page, view)
  const words = INBOX_WORDS[kind ?? "all"]
  // The item stays chosen even if it is no longer in the list.
  const change = (changed: InboxView) =>
    void navigate(addressIn(page, writeInboxView({ ...view, ...changed }), inbox.selected?.id), { replace: true })

  // Each error is shown once: by the card if the error concerns what was sent, else by the pane, else by the list.
  const { listing, readError, sendError } = useChosenItem(variant, inbox.selected?.id ?? ["", ""], inbox.isAtRest)
  const listError = isSameError(error, sendError) || isSameError(error, readError) ? null : error
  const frame = useRef<HTMLDivElement>(null)
  const listTop = useRef(0)
  // A narrow window shows either the list or the item. The focus moves with it, and the list comes back at the same scroll position.
  useKeptFocus(frame, () => {
    if (together !== undefined) return frame.current?.querySelector<HTMLElement>("[data-together] h2")
    if (inbox.selectedKey !== undefined) return frame.current?.querySelector<HTMLElement>("[data-current] :is(h2, h3)")
    const row = frame.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(inbox.lastKey ?? "")}"]`)
    scrollTo(0, listTop.current)
    row?.scrollIntoView({ block: "nearest" })
    return row ?? frame.current
  })
  const keepListTop = () => {
    listTop.current = scrollY
  }
  const isPhone = useIsPhone()
  if (together !== undefined)
    return (
      <AtRest value>
        <div ref={frame} tabIndex={-1} className={styles["frame"]}>
          <div className={classes(styles["top"], styles["chosen"])}>
            <PageBar title={words.heading} />
          </div>
          <alike.Card
            key={itemKey(together)}
            page={page}
            first={together}
            lines={inbox.rows.flatMap(({ item, gone }) => (gone ? [] : [item]))}
            home={addressIn(page, writeInboxView(view))}
            onDecided={inbox.drop}
          />
        </div>
      </AtRest>
    )
  return (
    <AtRest value={inbox.isAtRest}>
      <div ref={frame} tabIndex={-1} className={styles["frame"]}>
        <div className={classes(styles["top"], inbox.selectedKey !== undefined && styles["chosen"])}>
          <PageBar title={words.heading} />
          <Kinds page={page} view={view} />
          <InboxControls page={page} view={view} waits={lines.waits} onChange={change} onEnter={inbox.first} />
        </div>
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
                  page={page}
                  inbox={inbox}
                  error={listError}
                  view={view}
                  found={[lines.listed.length, lines.waits.length]}
                  others={lines.others.length}
                  Mark={Mark}
                  findAlike={isPhone ? undefined : alike.find}
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
          <ReadingPane
            variant={variant}
            words={words}
            inbox={inbox}
            home={addressIn(page, writeInboxView(view))}
            listing={listing}
            error={readError}
          />
        </Panes>
      </div>
    </AtRest>
  )
}

/** The first of the letters that the address names to be read together; the same object until the address changes. */
function useAddressOfAlike(): ItemId | undefined {
  const [parameters] = useSearchParams()
  return useMemo(() => readAlike(parameters), [parameters])
}

/** The view in the address; the same object until the address changes. */
function useInboxView(page: InboxPage): InboxView {
  const [parameters] = useSearchParams()
  const query = writeInboxView(readInboxView(parameters, page))
  return useMemo(() => readInboxView(new URLSearchParams(query), page), [query, page])
}

const isNamed = ([itsWork, itsId]: ItemId, id: string, workId: string | undefined) =>
  itsId === id && (workId === undefined || itsWork === workId)

function findEntry(entries: readonly WaitingItem<Item>[], id: string, workId: string | undefined): ItemId | undefined {
  const entry = entries.find(({ work, item }) => isNamed([work.id, item.id], id, workId))
  return entry && [entry.work.id, entry.item.id]
}

/** The item that `find` finds in one of the kinds, looking in the listed kind first. */
function findOfKind(listed: ItemKind | undefined, find: (kind: ItemKind) => ItemId | undefined): Found | undefined {
  const kinds: readonly ItemKind[] =
    listed === "approval" ? ["approval", "clarification"] : ["clarification", "approval"]
  for (const kind of kinds) {
    const id = find(kind)
    if (id !== undefined) return { workId: id[0], kind }
  }
  return undefined
}

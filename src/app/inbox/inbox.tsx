import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useMemo, useRef } from "react"
import { deskNow } from "../client/clock.ts"
import { isSameError } from "../client/desk-error.ts"
import { workOptions } from "../client/work-reads.ts"
import { useSession } from "../client/session.ts"
import { useWaiting, waitingError } from "../client/waiting.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Link } from "../ui/link.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageBar } from "../ui/page-parts.tsx"
import { useSearchParams } from "../ui/router.tsx"
import { workAddress } from "./addresses.ts"
import { InboxBar } from "./inbox-bar.tsx"
import { arrangeLines, type InboxView, linesOf, type Me, readInboxView, writeInboxView } from "./inbox-lines.ts"
import { InboxList, type ItemMark } from "./inbox-list.tsx"
import { InboxPanes } from "./inbox-panes.tsx"
import { ItemCard } from "./item-card.tsx"
import styles from "./item-card.module.css"
import { type Item, ITEM_PAGES, ITEM_WORDS } from "./item.ts"
import type { ItemVariant } from "./item-variant.ts"
import { OtherLines } from "./other-lines.tsx"
import { useInbox } from "./use-inbox.ts"
import { useInboxKeys } from "./use-inbox-keys.ts"
import { useItemNow } from "./use-item-now.ts"
import { useTouched } from "./use-touched.ts"

type Props<Of extends Item> = {
  variant: ItemVariant<Of>
  /** Shown within the link of an item, below its title. */
  Mark?: ItemMark
  /** Shown at the right of the heading of the page. */
  bar: ReactNode
}

/** What an inbox page shows: the list of what waits across all Work, oldest first, and the chosen item beside it. */
export function Inbox<Of extends Item>({ variant, Mark, bar }: Props<Of>) {
  const page = ITEM_PAGES[variant.name]
  const words = ITEM_WORDS[variant.name]
  const received = useWaiting()
  const { waiting } = received
  const view = useInboxView()
  const query = writeInboxView(view)
  const items = useMemo(() => (waiting === undefined ? [] : variant.waitingOf(waiting)), [variant, waiting])
  const me = useMe()
  const { lines, listed, aside, approved, keys } = useMemo(() => {
    const lines = linesOf(items, page, view)
    return { lines, keys: new Set(lines.map(({ key }) => key)), ...arrangeLines(lines, view, me, deskNow()) }
  }, [items, page, view, me])
  const inbox = useInbox(
    listed,
    { frozen: useTouched(), view: query, waiting: keys },
    (id) => items.find(({ item }) => item.id === id)?.work.id,
    variant.intents.ids,
  )
  const { selected, done, notFound } = inbox
  const selectedKey = notFound ? "" : selected?.key
  const list = useRef<HTMLDivElement>(null)
  useInboxKeys(inbox.rows, selectedKey, list)

  // Each error is shown once: by the card if it concerns what was sent, else by the pane, else by the list.
  const { now, readError, sendError } = useItemNow(variant, selected?.id ?? ["", ""], waiting)
  const error = waitingError(received) ?? null
  const listError = isSameError(error, sendError) || isSameError(error, readError) ? null : error
  return (
    <>
      <PageBar title={words.heading}>
        <InboxBar page={page} view={view} hasDecideBy={lines.some(({ entry }) => entry.decide_by !== undefined)} />
        {bar}
      </PageBar>
      <InboxPanes
        home={page + (query && `?${query}`)}
        selected={selectedKey}
        listRef={list}
        list={
          <InboxList
            home={page}
            rows={inbox.rows}
            notShown={inbox.notShown}
            onShowAll={inbox.showAll}
            selected={selectedKey}
            waiting={waiting}
            error={listError}
            empty={{ title: words.noneWait, more: words.noneWaitMore }}
            Mark={Mark}
          >
            <OtherLines aside={aside} approved={approved} onBringBack={inbox.bringBack} />
          </InboxList>
        }
      >
        {done && (
          <div className={styles["done"]}>
            <ItemCard
              key={done.key}
              variant={variant}
              id={done.id}
              now={{ latest: undefined, listed: true }}
              current={false}
            />
          </div>
        )}
        {selected && (
          <>
            <WorkCrumb workId={selected.id[0]} />
            {readError && <ErrorAlert error={readError} retryAt={readError.retryAt} compact />}
            <ItemCard
              key={selected.key}
              variant={variant}
              id={selected.id}
              now={now}
              onRecorded={() => inbox.advance(selected, { stays: true })}
              onAside={() => inbox.advance(selected, { stays: false })}
            />
          </>
        )}
        {selected === undefined && (notFound || items.length > 0) && (
          <p className="soft">
            {!notFound
              ? words.choose
              : waiting?.complete === true
                ? words.notFound
                : "Looking for the item at this address…"}
          </p>
        )}
      </InboxPanes>
    </>
  )
}

/** What the address asks for; the same object until the address changes. */
function useInboxView(): InboxView {
  const [parameters] = useSearchParams()
  const query = writeInboxView(readInboxView(parameters))
  return useMemo(() => readInboxView(new URLSearchParams(query)), [query])
}

function useMe(): Me {
  const session = useSession()
  const [id, teams] = [session?.person.id ?? "", session?.teams]
  return useMemo(() => ({ id, teams: teams ?? [] }), [id, teams])
}

/** A link to the Work of an item. It shows the title as soon as the title is known. */
function WorkCrumb({ workId }: { workId: string }) {
  const work = useQuery(workOptions(workId)).data
  return (
    <p className={styles["crumb"]}>
      <Link to={workAddress(workId)}>
        <OutsideText>{work?.title ?? workId}</OutsideText>
      </Link>
    </p>
  )
}

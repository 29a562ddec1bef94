import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { isSameError } from "../client/desk-error.ts"
import { type ReactNode, useEffect, useMemo, useRef } from "react"
import { deskNow } from "../client/clock.ts"
import { useIntentError } from "../client/intent.ts"
import { useSession } from "../client/session.ts"
import { waitingError } from "../client/waiting-error.ts"
import { useWaiting, type Waiting } from "../client/waiting.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { PageBar } from "../ui/page-parts.tsx"
import { useSearchParams } from "../ui/router.tsx"
import { momentOf } from "../ui/time-words.ts"
import styles from "./item-card.module.css"
import { InboxBar } from "./inbox-bar.tsx"
import { arrangeLines, type InboxView, linesOf, type Me, readInboxView, writeInboxView } from "./inbox-lines.ts"
import { InboxList } from "./inbox-list.tsx"
import { InboxPanes } from "./inbox-panes.tsx"
import { ItemCard } from "./item-card.tsx"
import type { Item, ItemInput, ItemVariant } from "./item-variant.ts"
import { OtherLines } from "./other-lines.tsx"
import type { ItemNow } from "./use-decision.ts"
import { useInbox } from "./use-inbox.ts"
import { useInboxKeys } from "./use-inbox-keys.ts"
import { useTouched } from "./use-touched.ts"
import { WorkCrumb } from "./work-crumb.tsx"

type Props<Of extends Item, Input extends ItemInput> = {
  variant: ItemVariant<Of, Input>
  /** Shown at the right of the heading of the page. */
  bar: ReactNode
}

/** What an inbox page shows: the list of what waits across all Work, oldest first, and the chosen item beside it. */
export function Inbox<Of extends Item, Input extends ItemInput>({ variant, bar }: Props<Of, Input>) {
  const now = useWaiting()
  const { waiting } = now
  const view = useInboxView()
  const items = useMemo(() => (waiting === undefined ? [] : variant.waitingOf(waiting)), [variant, waiting])
  const me = useMe()
  const { lines, listed, aside, approved, keys } = useMemo(() => {
    const lines = linesOf(items, variant.page, view, variant)
    return { lines, keys: new Set(lines.map(({ key }) => key)), ...arrangeLines(lines, view, me, deskNow()) }
  }, [items, variant, view, me])
  const complete = waiting?.complete === true
  const inbox = useInbox(
    listed,
    { frozen: useTouched(), view: writeInboxView(view), waiting: keys },
    (id) => items.find(({ item }) => item.id === id)?.work.id,
    variant.intents.ids,
  )
  const { selected, done, notFound } = inbox
  const selectedKey = notFound ? "" : selected?.key
  const list = useRef<HTMLDivElement>(null)
  useInboxKeys(inbox.rows, selectedKey, list)
  const [workId = "", id = ""] = selected?.id ?? []

  const ofWork = useQuery({ ...variant.itemsOf(workId), enabled: selected !== undefined })
  const own = ofWork.data?.find((each) => each.id === id)
  const listedHere = items.find((waits) => waits.work.id === workId && waits.item.id === id)?.item
  const vanished = complete && own !== undefined && variant.isOpen(own) && listedHere === undefined
  useReadBehind(ofWork, own, listedHere, vanished)
  const item: ItemNow<Of> = {
    latest: newerOf(own, listedHere),
    // Only a list that was read after this page was opened says what is gone.
    listed: ofWork.data !== undefined && ofWork.isFetchedAfterMount,
  }
  // Each error is shown once: by the card if it concerns what was sent, else by the pane, else by the list.
  const sendError = useIntentError(variant.intents(workId, id))
  const itemError = selected === undefined || isSameError(ofWork.error, sendError) ? null : ofWork.error
  const error = waitingError(now) ?? null
  const listError = isSameError(error, sendError) || isSameError(error, itemError) ? null : error
  return (
    <>
      <PageBar title={variant.words.heading}>
        <InboxBar
          page={variant.page}
          view={view}
          hasDecideBy={lines.some(({ entry }) => entry.decide_by !== undefined)}
        />
        {bar}
      </PageBar>
      <InboxPanes
        home={variant.page + (writeInboxView(view) && `?${writeInboxView(view)}`)}
        selected={selectedKey}
        listRef={list}
        list={
          <InboxList
            home={variant.page}
            rows={inbox.rows}
            notShown={inbox.notShown}
            onShowAll={inbox.showAll}
            selected={selectedKey}
            progress={progressOf(waiting)}
            error={listError}
            empty={{ title: variant.words.noneWait, more: variant.words.noneWaitMore }}
            Mark={variant.Mark}
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
            <WorkCrumb workId={workId} />
            {itemError && <ErrorAlert error={itemError} retryAt={itemError.retryAt} compact />}
            <ItemCard
              key={selected.key}
              variant={variant}
              id={selected.id}
              now={item}
              onRecorded={() => inbox.advance(selected, { stays: true })}
              onAside={() => inbox.advance(selected, { stays: false })}
            />
          </>
        )}
        {selected === undefined && (notFound || items.length > 0) && (
          <p className="soft">
            {!notFound
              ? variant.words.choose
              : complete
                ? variant.words.notFound
                : "Looking for the item of this address…"}
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

/** Reads the items of the Work again when the desk knows more: the chosen item came, changed or went after they were read. */
function useReadBehind(
  ofWork: UseQueryResult,
  own: Item | undefined,
  listed: Item | undefined,
  vanished: boolean,
): void {
  const { data, refetch } = ofWork
  const isBehind = data !== undefined && listed !== undefined && (own === undefined || own.version < listed.version)
  const newerVersion = isBehind ? listed.version : undefined
  useEffect(() => {
    if (newerVersion !== undefined) void refetch()
  }, [newerVersion, refetch])
  useEffect(() => {
    if (vanished) void refetch()
  }, [vanished, refetch])
}

function newerOf<Of extends Item>(one: Of | undefined, other: Of | undefined): Of | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return other.version > one.version ? other : one
}

function progressOf(waiting: Waiting | undefined) {
  return (
    waiting && {
      checked: waiting.checked,
      total: waiting.total,
      complete: waiting.complete,
      oldestAt: waiting.oldest_check_at === null ? undefined : momentOf(waiting.oldest_check_at),
    }
  )
}

import { useCallback, useRef, useState } from "react"
import { countOf } from "../../contract/plural.ts"
import { itemKey } from "./addresses.ts"
import { DecisionCallout, KeptText, NewerVersion } from "./decision-callout.tsx"
import styles from "./item-card.module.css"
import type { Listing } from "./item-state.ts"
import { TOMBSTONES_MAX } from "./inbox-lines.ts"
import { draftOf, isOpen, type Item, ITEM_WORDS, type ItemId, resolvedOf, titleOf } from "./item.ts"
import { GoneCard, ResolvedCard } from "./resolved-card.tsx"
import { ClaimLine } from "./claim-line.tsx"
import { CHANGED_BY_BROWSER, type ItemVariant } from "./item-variant.ts"
import { type OpenDecision, useDecision } from "./use-decision.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine, Callouts } from "../ui/callout.tsx"
import { Card } from "../ui/card.tsx"
import { ChangedText } from "../ui/facts.tsx"
import { RelativeTime } from "../ui/clocks.tsx"
import { EmptySection, Section, Skeleton } from "../ui/page-parts.tsx"
import { Boundary, MissingPart } from "../ui/part.tsx"
import { useIntact } from "../ui/use-intact.ts"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import { useQuery } from "@tanstack/react-query"
import { type DeskError, isSameError } from "../client/desk-error.ts"
import { Read } from "../ui/error-alert.tsx"

type Props<Of extends Item> = {
  variant: ItemVariant<Of>
  id: ItemId
  listing: Listing<Of>
  level: 2 | 3
  /** Whether single keys act on this item, and its buttons stay in the window on a phone. */
  current: boolean
  /** Called when the service has confirmed what was sent from here, or the desk keeps an approve. */
  onDone?: () => void
  /** Called when the person has set the item aside. */
  onAside?: () => void
  /** When the last event of the Work came, in ms since 1970, where its stream is open. */
  lastEventAt?: number | undefined
}

/**
 * One clarification or approval: the request, the decision, and the outcome. Its React key is the id of the item. When the focused element is
 * removed, the focus moves to the heading of the card.
 */
export function ItemCard<Of extends Item>(props: Props<Of>) {
  const { variant, id, listing, current, onDone } = props
  const decision = useDecision(variant, id, listing, onDone)
  const card = useRef<HTMLDivElement>(null)
  const { watch, drawing, ...drawn } = useIntact()
  useKeptFocus(card, () => card.current?.querySelector<HTMLElement>("h2, h3"))
  return (
    <div
      ref={card}
      tabIndex={-1}
      className={styles["frame"]}
      data-card={itemKey(id)}
      data-current={current ? "" : undefined}
    >
      <Boundary replace={missingCard}>
        <div key={drawing} ref={watch}>
          <CardOf {...props} decision={decision} drawn={drawn} />
        </div>
      </Boundary>
    </div>
  )
}

const missingCard = () => <MissingPart name="This item" />

/** Whether the card still shows what the app wrote, and how to draw it anew. */
type Drawn = Pick<ReturnType<typeof useIntact>, "isIntact" | "redraw">
type CardProps<Of extends Item> = Props<Of> & { decision: ReturnType<typeof useDecision<Of>>; drawn: Drawn }

function CardOf<Of extends Item>({ decision, ...props }: CardProps<Of>) {
  const { variant, id, level, lastEventAt } = props
  switch (decision.kind) {
    case "loading":
      return <LoadingCard level={level} />
    case "open":
      return <OpenCard {...props} decision={decision} />
    case "confirmed":
      return (
        <ResolvedCard
          kind={variant.kind}
          id={id}
          resolved={decision.resolved}
          replayed={decision.replayed}
          level={level}
          sentHere
          lastEventAt={lastEventAt}
        >
          {decision.letter && <variant.Letter item={decision.letter} />}
        </ResolvedCard>
      )
    case "gone":
      return (
        <GoneCard kind={variant.kind} id={id} decision={decision} level={level}>
          {decision.last && <variant.Letter item={decision.last} />}
        </GoneCard>
      )
  }
}

type OpenProps<Of extends Item> = Pick<Props<Of>, "variant" | "level" | "current" | "onAside"> & {
  decision: OpenDecision<Of>
  drawn: Drawn
}

function OpenCard<Of extends Item>({ variant, decision, drawn, level, current, onAside }: OpenProps<Of>) {
  const words = ITEM_WORDS[variant.kind]
  const { shown, before, newer } = decision
  const version = String(shown.version)
  // Only the letter is left then, without the lines above it.
  const isForbidden = decision.refusal === "forbidden"
  return (
    <Card
      needs
      level={level}
      title={
        <span key={version} data-read="" className={styles["title"]}>
          <ChangedText>{titleOf(shown)}</ChangedText>
        </span>
      }
      aside={<RelativeTime at={shown.created_at} className="soft small" />}
    >
      <ClaimLine
        kind={variant.kind}
        id={decision.id}
        version={shown.version}
        draft={decision.draft}
        current={current}
        hasLines={variant.kind === "approval" && !isForbidden}
        onAside={onAside}
      />
      <Callouts announce="status">
        {newer && (
          <div key={String(newer.version)} data-read="">
            <NewerVersion version={newer.version} onShow={decision.showNewer} />
          </div>
        )}
        {before && (
          <div key={`${version} ${String(before.version)}`} data-read="">
            <Callout tone="warn" icon="refresh" compact>
              This is version {version}. Changes since version {String(before.version)} are marked, old beside new.
            </Callout>
          </div>
        )}
        {!drawn.isIntact && (
          <Callout tone="warn" icon="warning" compact>
            {CHANGED_BY_BROWSER}
            <CalloutLine>
              <Button size="small" onClick={drawn.redraw}>
                Show the original
              </Button>
            </CalloutLine>
          </Callout>
        )}
        {decision.intent?.state === "sending" && <DecisionCallout decision={decision} sent={words.sent} />}
      </Callouts>
      <Callouts>
        {(decision.intent?.state === "unknown" || decision.intent?.state === "refused") && (
          <div key={decision.intent.state} data-read="">
            <DecisionCallout decision={decision} sent={words.sent} />
          </div>
        )}
      </Callouts>
      {isForbidden ? (
        <>
          <variant.Letter item={shown} before={before} />
          <KeptText what={words.typed} text={decision.text} />
        </>
      ) : (
        <variant.Controls decision={decision} current={current} isIntact={drawn.isIntact} />
      )}
    </Card>
  )
}

function LoadingCard({ level }: Pick<Props<Item>, "level">) {
  return (
    <div aria-busy="true">
      <Card level={level} title={<Skeleton width="60%" />}>
        <p>
          <Skeleton width="90%" />
        </p>
        <p>
          <Skeleton width="70%" />
        </p>
      </Card>
    </div>
  )
}

export type WorkItemsProps = {
  workId: string
  /** When the last event of the Work came, in ms since 1970, where its stream is open. */
  lastEventAt?: number | undefined
  shownError?: DeskError | undefined
}

type ItemsProps<Of extends Item> = WorkItemsProps & {
  variant: ItemVariant<Of>
  /** The name of the region, and the heading above the items. Without items there is no heading. */
  title: string
  /** The ids of items that were resolved from this browser and are no longer listed. */
  resolvedIds?: readonly string[]
}

/** The items of one Work: each open item with its own controls, then the resolved items. */
export function WorkItems<Of extends Item>(props: ItemsProps<Of>) {
  const { variant, title, workId, resolvedIds = [], lastEventAt, shownError } = props
  const { data, error, refetch, dataUpdatedAt: readAt } = useQuery(variant.itemsOf(workId))
  const { inMiddle, follow } = useInMiddle()
  const { ids: openIds, folded } = useCards(
    data,
    (id) => id === inMiddle || resolvedIds.includes(id) || holdsText(variant, [workId, id]),
  )
  const isStillOpen = (id: string | undefined) => data?.some((item) => item.id === id && isOpen(item)) === true
  // Without a focus in a card, single keys act on the open item in the middle of the window, else on the first open item.
  const currentId = isStillOpen(inMiddle) ? inMiddle : openIds.find(isStillOpen)

  const frame = useRef<HTMLDivElement>(null)
  useKeptFocus(frame, () => frame.current?.querySelector<HTMLElement>("h3"))

  const ids = [...openIds, ...resolvedIds.filter((id) => !openIds.includes(id))]
  const cardsOf = (items: readonly Of[]) => {
    const resolved = items.filter((item) => !isOpen(item) && !ids.includes(item.id))
    return (
      <>
        {ids.map((id) => (
          <div key={id} ref={follow} data-item={id}>
            <ItemCard
              variant={variant}
              id={[workId, id]}
              listing={{ latest: items.find((item) => item.id === id), isListRead: true, readAt }}
              level={3}
              current={id === currentId}
              lastEventAt={lastEventAt}
            />
          </div>
        ))}
        {resolved.map((item) => (
          <ResolvedCard key={item.id} kind={variant.kind} id={[workId, item.id]} resolved={resolvedOf(item)} level={3}>
            <variant.Letter item={item} />
          </ResolvedCard>
        ))}
        {folded > 0 && <p className="soft">{countOf(folded, "more is", "more are")} no longer pending.</p>}
      </>
    )
  }
  const ownError = isSameError(error, shownError) ? null : error
  const hasCards = ids.length > 0 || data?.some((item) => !isOpen(item)) === true
  return (
    <div ref={frame}>
      {hasCards || ownError !== null ? (
        <Section title={title}>
          <div className={styles["cards"]}>
            <Read query={{ data, error: ownError, refetch }} loading={null}>
              {cardsOf}
            </Read>
          </div>
        </Section>
      ) : (
        <EmptySection label={title} isKnown={data !== undefined} />
      )}
    </div>
  )
}

/** Whether the card of an item shows what the person typed about it. */
function holdsText<Of extends Item>({ kind, intents }: ItemVariant<Of>, id: ItemId): boolean {
  const intent = intents(...id).read()
  return draftOf(kind, ...id).read() !== undefined || (intent !== undefined && intent.state !== "confirmed")
}

/**
 * The ids of the items that have a card of their own: all that were open since the page was opened, in their order. An item that no longer waits
 * stays in its place, but of more than `TOMBSTONES_MAX` only the last stay, and those for which `stays` is true. `folded`: how many others are
 * not even listed as resolved.
 */
export function useCards(items: readonly Item[] | undefined, stays: (id: string) => boolean) {
  const [cards, setCards] = useState<{ readonly ids: readonly string[]; readonly folded: number }>({
    ids: [],
    folded: 0,
  })
  if (items === undefined) return cards
  const open = new Set(items.filter(isOpen).map(({ id }) => id))
  const ids = [...new Set([...cards.ids, ...open])]
  const gone = ids.filter((id) => !open.has(id))
  const dropped = new Set(gone.slice(0, -TOMBSTONES_MAX).filter((id) => !stays(id)))
  if (ids.length === cards.ids.length && dropped.size === 0) return cards
  const listed = new Set(items.map(({ id }) => id))
  const unlisted = [...dropped].filter((id) => !listed.has(id))
  const next = { ids: ids.filter((id) => !dropped.has(id)), folded: cards.folded + unlisted.length }
  setCards(next)
  return next
}

/** `inMiddle`: the `data-item` of the followed element that is, or was last, in the middle of the window. */
function useInMiddle() {
  const [inMiddle, setInMiddle] = useState<string>()
  const follow = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setInMiddle(element.dataset["item"])
      },
      { rootMargin: "-50% 0px" },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { inMiddle, follow }
}

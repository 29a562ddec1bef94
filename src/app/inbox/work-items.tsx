import { useCallback, useRef, useState } from "react"
import { useQuery } from "@tanstack/react-query"
import { countOf } from "../../contract/plural.ts"
import { type DeskError, isSameError } from "../client/desk-error.ts"
import { TOMBSTONES_MAX } from "./steady-rows.ts"
import { ItemCard } from "./item-card.tsx"
import styles from "./item-card.module.css"
import type { ItemVariant } from "./item-variant.ts"
import { draftOf } from "./item-entries.ts"
import { isOpen, type Item, type ItemId, resolvedOf } from "./item.ts"
import { ResolvedCard } from "./resolved-card.tsx"
import { Read } from "../ui/error-alert.tsx"
import { EmptySection, Section } from "../ui/page-parts.tsx"
import { useKeptFocus } from "../ui/use-kept-focus.ts"

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
 * The ids of the items with a card of their own, in their order: all that were open since the page was opened. Of the items that are no longer
 * pending, the last `TOMBSTONES_MAX` keep their card, and so do those for which `stays` is true. `folded`: how many have
 * lost their card and are no longer in `items` either.
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

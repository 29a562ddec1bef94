import { useQuery } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import { type DeskError, isSameError } from "../client/desk-error.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Skeleton } from "../ui/page-parts.tsx"
import styles from "./item-card.module.css"
import { ItemCard } from "./item-card.tsx"
import { isOpen, type Item, ITEM_WORDS, resolvedOf } from "./item.ts"
import type { ItemVariant } from "./use-decision.ts"
import { ResolvedCard } from "./resolved-card.tsx"

export type WorkItemsProps = {
  workId: string
  /** When the last event of the Work came, in ms since 1970, where its stream is open. */
  lastEventAt?: number | undefined
  shownError?: DeskError | undefined
}

type Props<Of extends Item> = WorkItemsProps & {
  variant: ItemVariant<Of>
  /** The ids of items that were resolved from this browser and are no longer listed. */
  resolvedIds?: readonly string[]
}

/** The items of one Work: each open item with its own controls, then the resolved items. */
export function WorkItems<Of extends Item>(props: Props<Of>) {
  const { variant, workId, resolvedIds = [], lastEventAt, shownError } = props
  const { data, error: ownError, dataUpdatedAt: readAt } = useQuery(variant.itemsOf(workId))
  const error = isSameError(ownError, shownError) ? null : ownError
  const openIds = useOpenIds(data)
  const isStillOpen = (id: string | undefined) => data?.some((item) => item.id === id && isOpen(item)) === true
  const { inMiddle, follow } = useInMiddle()
  // Without a focus in a card, single keys act on the open item in the middle of the window, else on the first open item.
  const currentId = isStillOpen(inMiddle) ? inMiddle : openIds.find(isStillOpen)

  if (data === undefined)
    return error ? <ErrorAlert error={error} retryAt={error.retryAt} compact /> : <Skeleton width="60%" />
  const ids = [...openIds, ...resolvedIds.filter((id) => !openIds.includes(id))]
  const resolved = data.filter((item) => !isOpen(item) && !ids.includes(item.id))
  return (
    <div className={styles["cards"]}>
      {error && <ErrorAlert error={error} retryAt={error.retryAt} compact />}
      {ids.map((id) => (
        <div key={id} ref={follow} data-item={id}>
          <ItemCard
            variant={variant}
            id={[workId, id]}
            now={{ latest: data.find((item) => item.id === id), listed: true, readAt }}
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
      {ids.length === 0 && resolved.length === 0 && <p className="soft">{ITEM_WORDS[variant.kind].noneWait}.</p>}
    </div>
  )
}

/** The ids of all items that were open since the page was opened, in their order. A resolved item stays in its place. */
function useOpenIds(items: readonly Item[] | undefined): readonly string[] {
  const [ids, setIds] = useState<readonly string[]>([])
  const fresh = (items ?? []).filter((item) => isOpen(item) && !ids.includes(item.id))
  if (fresh.length === 0) return ids
  const all = [...ids, ...fresh.map(({ id }) => id)]
  setIds(all)
  return all
}

/** `inMiddle`: the `data-item` of the element in the middle of the window, else of the one that was there last, among those given to `follow`. */
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

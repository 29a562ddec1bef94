import type { InfiniteData } from "@tanstack/react-query"
import type { OpenWorkList } from "../../contract/desk-work.ts"
import type { Work, WorkList } from "../../contract/resources.ts"

/** A page of the list. Open Work comes from the desk, done Work from the service. */
export type PageOfWorks = WorkList & {
  readonly isDone: boolean
  /** Of open Work: how many match, of how many there are, and whether the desk has listed all of them. */
  readonly coverage?: Pick<OpenWorkList, "total" | "of" | "complete" | "colleagues">
}

/** The pages on the screen. The first of them is the beginning of the list, which is also polled. */
export type ShownPages = InfiniteData<PageOfWorks, string | undefined>

/** A cursor of done Work begins with this prefix. Without a status, the pages of done Work follow those of open Work. */
export const DONE = "done:"

/** Whether no further page of the same kind follows. Pages of done Work may follow the last page of open Work. */
const isLast = ({ isDone, next_cursor: next }: PageOfWorks): boolean =>
  next === undefined || (!isDone && next.startsWith(DONE))

/** The rows of all pages in their order, each Work once. A later page may repeat Work that has moved (openapi.yaml, listWork). */
export function rowsOf(pages: readonly PageOfWorks[]): {
  readonly open: readonly Work[]
  readonly done: readonly Work[]
} {
  const seen = new Set<string>()
  const rowsWhere = (isDone: boolean) =>
    pages
      .filter((page) => page.isDone === isDone)
      .flatMap(({ data }) => data.filter(({ id }) => !seen.has(id) && seen.add(id)))
  return { open: rowsWhere(false), done: rowsWhere(true) }
}

/**
 * The Works of the fresh beginning that are new. A Work below every known row is not new: that Work moved up from a page that is not loaded.
 * Where no row is known, every Work is new, and `mayBeMore` says that more new Work may follow the fresh beginning.
 */
export function newsOf(
  fresh: PageOfWorks,
  known: readonly PageOfWorks[],
): { readonly works: readonly Work[]; readonly mayBeMore: boolean } {
  const ids = idsOf(known.flatMap(({ data }) => data))
  const lastKnown = fresh.data.findLastIndex(({ id }) => ids.has(id))
  const isApart = lastKnown === -1 && ids.size > 0
  // The beginning has Work of one kind, so only the last page of that kind says that no page is missing.
  const hasAll = known.some((page) => page.isDone === fresh.isDone && isLast(page))
  const reach = hasAll || isApart ? fresh.data.length : lastKnown + 1
  return { works: fresh.data.slice(0, reach).filter(({ id }) => !ids.has(id)), mayBeMore: isApart && !isLast(fresh) }
}

/** The rows that no longer match the filter: the fresh beginning reaches as far down as these rows, and does not have them. */
export function leftOf(fresh: PageOfWorks, rows: readonly Work[]): readonly Work[] {
  const ids = idsOf(fresh.data)
  const reach = isLast(fresh) ? rows.length : rows.findLastIndex(({ id }) => ids.has(id)) + 1
  return rows.slice(0, reach).filter(({ id }) => !ids.has(id))
}

/**
 * The rows, each in its newest version. `alone` has the Works that were read one by one, and null for a Work that the person does not see any
 * more. Such a Work gets no row.
 */
export function newestOf(
  rows: readonly Work[],
  fresh: PageOfWorks | undefined,
  alone: ReadonlyMap<string, Work | null>,
): readonly Work[] {
  const inFresh = new Map(fresh?.data.map((work) => [work.id, work]))
  return rows.flatMap((work) => {
    const ownAnswer = alone.get(work.id)
    if (ownAnswer === null) return []
    const readLater = ownAnswer ?? inFresh.get(work.id)
    return readLater !== undefined && readLater.version > work.version ? readLater : work
  })
}

/**
 * The pages after a fresh beginning replaced the old one. Pages of done Work stay below a complete list of open Work, unless a Work has left
 * that list, because such a Work may be done. All other pages are to be read again.
 */
export function withBeginning(before: ShownPages | undefined, fresh: PageOfWorks): ShownPages {
  const { pages, pageParams } = before ?? { pages: [], pageParams: [] }
  const staysBelow = !fresh.isDone && isLast(fresh) && leftOf(fresh, rowsOf(pages).open).length === 0
  const kept = staysBelow ? pages.flatMap(({ isDone }, index) => (isDone ? [index] : [])) : []
  return {
    pages: [fresh, ...kept.flatMap((index) => pages[index] ?? [])],
    pageParams: [undefined, ...kept.map((index) => pageParams[index])],
  }
}

const idsOf = (works: readonly Work[]): ReadonlySet<string> => new Set(works.map(({ id }) => id))

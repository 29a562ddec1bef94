import type { InfiniteData } from "@tanstack/react-query"
import type { OpenWorkList } from "../../contract/desk-work.ts"
import type { Work, WorkList } from "../../contract/resources.ts"

/** A page of the list. Open Work comes from the desk, done Work from the service. */
export type PageOfWorks = WorkList & {
  readonly isDone: boolean
  /** Of open Work: how many match, of how many there are, and whether the desk has listed all of them. */
  readonly coverage?: Pick<OpenWorkList, "total" | "of" | "complete" | "colleagues">
}

/** The pages on the screen. The first of them is a beginning of the list: the one that was shown last, which may be older than the polled one. */
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
 * The Works of the polled beginning that are new. A Work below every known row is not new: that Work moved up from a page that is not loaded.
 * Where no row is known, every Work is new, and `mayBeMore` says that more new Work may follow the polled beginning.
 */
export function newsOf(
  polled: PageOfWorks,
  known: readonly PageOfWorks[],
): { readonly works: readonly Work[]; readonly mayBeMore: boolean } {
  const ids = idsOf(known.flatMap(({ data }) => data))
  const lastKnown = polled.data.findLastIndex(({ id }) => ids.has(id))
  const isApart = lastKnown === -1 && ids.size > 0
  // The beginning has Work of one kind, so only the last page of that kind says that no page is missing.
  const hasAll = known.some((page) => page.isDone === polled.isDone && isLast(page))
  const reach = hasAll || isApart ? polled.data.length : lastKnown + 1
  return { works: polled.data.slice(0, reach).filter(({ id }) => !ids.has(id)), mayBeMore: isApart && !isLast(polled) }
}

/**
 * The rows whose Works have left the list: the polled beginning reaches as far down as these rows, and does not have them. Such a Work no longer
 * matches the filter, is done, or is not visible to the person any more.
 */
export function worksThatLeft(polled: PageOfWorks, rows: readonly Work[]): readonly Work[] {
  const ids = idsOf(polled.data)
  const reach = isLast(polled) ? rows.length : rows.findLastIndex(({ id }) => ids.has(id)) + 1
  return rows.slice(0, reach).filter(({ id }) => !ids.has(id))
}

/** A Work that was read alone after it left the list. `gone`: the person does not see the Work any more. */
export type ReadAlone = Work | "gone"

/**
 * The rows, each in its newest version. A Work that is gone gets no row.
 *
 * @param readAlone the Works that were read one by one, by id
 */
export function newestOf(
  rows: readonly Work[],
  polled: PageOfWorks | undefined,
  readAlone: ReadonlyMap<string, ReadAlone>,
): readonly Work[] {
  const inPolled = new Map(polled?.data.map((work) => [work.id, work]))
  return rows.flatMap((row) => {
    const read = readAlone.get(row.id) ?? inPolled.get(row.id)
    if (read === "gone") return []
    return read !== undefined && read.version > row.version ? read : row
  })
}

/**
 * The pages after a polled beginning replaced the beginning on the screen. Pages of done Work stay below a complete list of open Work, unless a
 * Work has left that list, because such a Work may be done. All other pages are to be read again.
 */
export function withBeginning(before: ShownPages | undefined, polled: PageOfWorks): ShownPages {
  const { pages, pageParams } = before ?? { pages: [], pageParams: [] }
  const staysBelow = !polled.isDone && isLast(polled) && worksThatLeft(polled, rowsOf(pages).open).length === 0
  const kept = staysBelow ? pages.flatMap(({ isDone }, index) => (isDone ? [index] : [])) : []
  return {
    pages: [polled, ...kept.flatMap((index) => pages[index] ?? [])],
    pageParams: [undefined, ...kept.map((index) => pageParams[index])],
  }
}

const idsOf = (works: readonly Work[]): ReadonlySet<string> => new Set(works.map(({ id }) => id))

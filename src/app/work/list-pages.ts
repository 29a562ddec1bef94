import type { OpenWorkList } from "../../contract/desk-work.ts"
import type { Work, WorkList } from "../../contract/resources.ts"

/** A page of the list. Open Work comes from the desk, done Work from the service. */
export type PageOfWorks = WorkList & {
  readonly isDone: boolean
  /** Where the page begins; left out for the first page. */
  readonly cursor?: string
  /** Of open Work: how many match, of how many there are, and whether the desk has listed all of them. */
  readonly coverage?: Pick<OpenWorkList, "total" | "of" | "complete" | "colleagues">
}

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
 * Where no row is known, every Work is new.
 */
export function newsOf(polled: PageOfWorks, known: readonly PageOfWorks[]): readonly Work[] {
  const ids = idsOf(known.flatMap(({ data }) => data))
  const lastKnown = polled.data.findLastIndex(({ id }) => ids.has(id))
  const isApart = lastKnown === -1 && ids.size > 0
  // The beginning has Work of one kind, so only the last page of that kind says that no page is missing.
  const hasAll = known.some((page) => page.isDone === polled.isDone && isLast(page))
  const reach = hasAll || isApart ? polled.data.length : lastKnown + 1
  return polled.data.slice(0, reach).filter(({ id }) => !ids.has(id))
}

/** A page on the screen, and the same page as it was read last. */
export type ReadAgain = { readonly shown: PageOfWorks; readonly latest: PageOfWorks }

/**
 * The Works on the screen that have left the list: their page was read again as far down as their rows, and no page has them any more. Such a Work
 * no longer matches the filter, is done, or is not visible to the person any more.
 */
export function worksThatLeft(readAgain: readonly ReadAgain[]): readonly Work[] {
  const listed = idsOf(readAgain.flatMap(({ latest }) => latest.data))
  return readAgain.flatMap(({ shown, latest }) => {
    const ids = idsOf(latest.data)
    const rows = shown.data
    const reach = isLast(latest) ? rows.length : rows.findLastIndex(({ id }) => ids.has(id)) + 1
    return rows.slice(0, reach).filter(({ id }) => !listed.has(id))
  })
}

/** A Work that was read alone after it left the list. `gone`: the person does not see the Work any more. */
export type ReadAlone = Work | "gone"

/** The rows, each in its newest version. A Work that is gone gets no row. `readAlone` has the Works that were read one by one, by id. */
export function newestOf(
  rows: readonly Work[],
  latest: readonly PageOfWorks[],
  readAlone: ReadonlyMap<string, ReadAlone>,
): readonly Work[] {
  const listed = new Map(latest.flatMap(({ data }) => data).map((work) => [work.id, work]))
  return rows.flatMap((row) => {
    const read = readAlone.get(row.id) ?? listed.get(row.id)
    if (read === "gone") return []
    return read !== undefined && read.version > row.version ? read : row
  })
}

/**
 * The pages after a polled beginning replaced the beginning on the screen. Pages of done Work stay below a complete list of open Work, unless a
 * Work has left that list, because such a Work may be done. All other pages are to be read again.
 */
export function withBeginning(pages: readonly PageOfWorks[], polled: PageOfWorks): readonly PageOfWorks[] {
  const ids = idsOf(polled.data)
  const staysBelow = !polled.isDone && isLast(polled) && rowsOf(pages).open.every(({ id }) => ids.has(id))
  return [polled, ...(staysBelow ? pages.filter(({ isDone }) => isDone) : [])]
}

const idsOf = (works: readonly Work[]): ReadonlySet<string> => new Set(works.map(({ id }) => id))

/** What the list of Work shows, and how it changes: pure functions, for `use-work-list.ts`. */
import type { Delegated, OpenWorkList } from "../../contract/desk-work.ts"
import type { Work, WorkList } from "../../contract/resources.ts"

/** One visit to the list. A visit is an entry of the browser's history, so going back finds the list as it was left. */
export type ListState = {
  /** The pages on the screen. The first is a beginning of the list, which may be older than the one that was polled last. */
  readonly pages: readonly PageOfWorks[]
  /** Whether no row moves any more, because the person has touched or scrolled the list. */
  readonly isFrozen: boolean
  /** New Works are counted from this beginning: the first answer of the visit, later what `show new` showed. */
  readonly countedFrom: PageOfWorks | undefined
}

export const OPENED: ListState = { pages: [], isFrozen: false, countedFrom: undefined }

export type ListEvent =
  | {
      /** The beginning was read, or the person has touched the list. `hasAnswer` is false while `page` is from an earlier visit. */
      readonly type: "polled"
      readonly page: PageOfWorks
      readonly hasAnswer: boolean
      readonly touched: "no" | "touched" | "scrolled"
    }
  /** A further page was read. */
  | { readonly type: "more"; readonly page: PageOfWorks }
  /** The person wants to see the present beginning of the list. `refreshed` drops the later pages. */
  | { readonly type: "show new" | "refreshed"; readonly page: PageOfWorks }

/** The list after an event. */
export function listAfter(state: ListState, event: ListEvent): ListState {
  const { page } = event
  switch (event.type) {
    case "polled":
      return listAfterPoll(state, event)
    case "more":
      // The beginning may have been replaced while the page was read.
      return state.pages.at(-1)?.next_cursor === page.cursor ? { ...state, pages: [...state.pages, page] } : state
    case "show new":
      return { ...state, pages: withBeginning(state.pages, page), countedFrom: page }
    case "refreshed":
      return { ...state, pages: [page], countedFrom: page }
  }
}

/**
 * The list after its beginning was polled, by what the person has done on this visit:
 *
 * | the person has       | the rows                             | later polls                          |
 * | -------------------- | ------------------------------------ | ------------------------------------ |
 * | not touched the list | follow the poll                      | follow                               |
 * | touched the list     | follow the poll, if not frozen yet   | frozen from the first answer on      |
 * | scrolled the list    | stay, even those of an earlier visit | frozen                               |
 */
function listAfterPoll(state: ListState, { page, hasAnswer, touched }: Extract<ListEvent, { type: "polled" }>) {
  const hasScrolled = touched === "scrolled"
  const keepsRows = state.pages.length > 0 && (state.isFrozen || hasScrolled)
  const pages = keepsRows || state.pages[0] === page ? state.pages : withBeginning(state.pages, page)
  const isFrozen = state.isFrozen || hasScrolled || (touched === "touched" && hasAnswer)
  // A list that froze before its first answer has its rows from an earlier visit, and counts from these rows.
  const countedFrom = state.countedFrom ?? (hasAnswer && !state.isFrozen ? page : undefined)
  const isSame = pages === state.pages && isFrozen === state.isFrozen && countedFrom === state.countedFrom
  return isSame ? state : { pages, isFrozen, countedFrom }
}

/** How many Works came since the list was opened: those that wait for `show new`, and those that have rows already. */
export function countNews({ pages, countedFrom }: ListState, polled: PageOfWorks | undefined): number {
  const [beginning] = pages
  const waiting = polled === undefined ? 0 : newsOf(polled, pages).length
  return waiting + (countedFrom && beginning ? newsOf(beginning, [countedFrom]).length : 0)
}

/** A page of the list. Open Work comes from the desk, done Work from the service. */
export type PageOfWorks = WorkList & {
  readonly isDone: boolean
  /** How many Works can't be read and have no row: among all open Work, or among the done Work of this page. */
  readonly unread?: number
  /** Where the page begins; left out for the first page. */
  readonly cursor?: string
  /** Of open Work: how many match, of how many there are, and whether the desk has listed all of them. */
  readonly coverage?: Pick<OpenWorkList, "total" | "of" | "complete" | "colleagues" | "delegators">
  /** Who delegated the Works of the page. */
  readonly delegated?: Delegated
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

/** Who delegated the Work of these pages, by the id of the Work. */
export function delegatedOf(pages: readonly PageOfWorks[]): Delegated {
  return Object.fromEntries(pages.flatMap(({ delegated = {} }) => Object.entries(delegated)))
}

/**
 * The Works of the polled beginning that are new. While a page is not loaded, a Work below every known row is not new: that Work may have moved up
 * from the missing page. Where rows are known and the polled beginning has none of them, every Work in it is new.
 */
export function newsOf(polled: PageOfWorks, known: readonly PageOfWorks[]): readonly Work[] {
  const ids = idsOf(known.flatMap(({ data }) => data))
  const lastKnown = polled.data.findLastIndex(({ id }) => ids.has(id))
  // The beginning has Work of one kind, so the last page of that kind says that no page is missing.
  const hasAllPages = known.some((page) => page.isDone === polled.isDone && isLast(page))
  const hasNoKnownRow = lastKnown === -1 && ids.size > 0
  const comparable = hasAllPages || hasNoKnownRow ? polled.data : polled.data.slice(0, lastKnown + 1)
  return comparable.filter(({ id }) => !ids.has(id))
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

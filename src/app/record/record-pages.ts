/** The pages of the record that the app has read, and how they change: pure functions, for `record-queries.ts`. */
import { replaceEqualDeep } from "@tanstack/react-query"
import type { RecordEntry, RecordPage } from "../../contract/desk-work.ts"

/** A page of the record. It begins at `cursor`, the newest without one. It was asked for at `readAt`, in ms since 1970 on this machine's clock. */
export type ReadPage = RecordPage & { readonly cursor: string | undefined; readonly readAt: number }

/** Whether entries may be missing between a page that was read just now and the known pages below. */
export function leavesGap(page: ReadPage, known: readonly ReadPage[]): boolean {
  const oldest = page.data.at(-1)
  const top = known[0]?.data[0]
  return top !== undefined && (oldest === undefined || oldest.sequence > top.sequence)
}

/**
 * The pages after the newest pages were read again. New entries are on top, and older pages stay. Where entries may be missing between the newest
 * pages and the others, the newest pages stand alone, and the others are read again when the person comes to them.
 */
export function withNewest(pages: readonly ReadPage[], newest: readonly ReadPage[]): readonly ReadPage[] {
  const last = newest.at(-1)
  const oldest = last?.data.at(-1)
  if (!last || !oldest || last.next_cursor === undefined || leavesGap(last, pages)) return newest
  const below = pages
    .map((page) => ({ ...page, data: page.data.filter(({ sequence }) => sequence < oldest.sequence) }))
    .filter(({ data }) => data.length > 0)
  // The newest pages cover the beginning of the first of these pages.
  return [
    ...newest.map((page) => sameEntries(pages, page)),
    ...below.map((page, index) => (index > 0 ? page : { ...page, cursor: last.next_cursor })),
  ]
}

/** The pages after some of them were read again. */
export function withPagesAgain(pages: readonly ReadPage[], again: readonly ReadPage[]): readonly ReadPage[] {
  return pages.map((page) => {
    const read = again.find(({ cursor }) => cursor === page.cursor)
    const oldest = page.data.at(-1)
    if (!read || !oldest) return page
    // A page that the newest page has shortened may be read as a longer one.
    const data = read.data.filter(({ sequence }) => sequence >= oldest.sequence)
    return sameEntries(pages, { ...page, data, complete: read.complete, readAt: read.readAt })
  })
}

/** The pages with a further page, unless the page does not follow the last one any more. */
export function withOlder(pages: readonly ReadPage[], older: ReadPage): readonly ReadPage[] {
  return pages.at(-1)?.next_cursor === older.cursor ? [...pages, older] : pages
}

/**
 * The older pages that have a row from the index `first` to `last` and an entry whose outcome is unknown: the outcome may be known by now. No other
 * entry changes (`docs/architecture.md`, "The states of an attempt").
 */
export function unsettledPages(pages: readonly ReadPage[], first: number, last: number): readonly ReadPage[] {
  let end = 0
  return pages.filter(({ cursor, data }) => {
    const begin = end
    end += data.length
    const isInView = begin <= last && end > first
    return cursor !== undefined && isInView && data.some(({ outcome }) => outcome === "unknown")
  })
}

/** The page with the known objects of entries that did not change, so that their rows are not drawn again. */
function sameEntries(known: readonly ReadPage[], page: ReadPage): ReadPage {
  const bySequence = new Map(known.flatMap(({ data }) => data).map((entry) => [entry.sequence, entry]))
  return {
    ...page,
    data: page.data.map((entry): RecordEntry => replaceEqualDeep(bySequence.get(entry.sequence), entry)),
  }
}

import type { Work, WorkList } from "../../contract/resources.ts"

/** The rows of all pages in their order, each Work once. A later page may repeat Work that has moved (openapi.yaml, listWork). */
export function rowsOf(pages: readonly WorkList[]): readonly Work[] {
  const rows = new Map<string, Work>()
  for (const page of pages) for (const work of page.data) if (!rows.has(work.id)) rows.set(work.id, work)
  return [...rows.values()]
}

/** The beginning of the list as it was polled. `isWhole` where it is the whole list. */
type Beginning = { readonly works: readonly Work[]; readonly isWhole: boolean }

/**
 * The Works of the fresh beginning that `rows` does not have. What stands below every known row only moved up from a page that is not loaded.
 * `mayBeMore` where no row is known: then Work may be missing between the two.
 *
 * @param hasAll whether `rows` are the whole list as it was
 */
export function findNew(
  { works, isWhole }: Beginning,
  rows: readonly Work[],
  hasAll: boolean,
): { readonly works: readonly Work[]; readonly mayBeMore: boolean } {
  const known = idsOf(rows)
  const lastKnown = works.findLastIndex(({ id }) => known.has(id))
  const isApart = lastKnown === -1 && rows.length > 0
  const reach = hasAll || isApart ? works.length : lastKnown + 1
  return { works: works.slice(0, reach).filter(({ id }) => !known.has(id)), mayBeMore: isApart && !isWhole }
}

/** The rows that the fresh beginning no longer has, as far down as it reaches: they do not match the filter any more. */
export function findLeft({ works, isWhole }: Beginning, rows: readonly Work[]): readonly Work[] {
  const present = idsOf(works)
  const reach = isWhole ? rows.length : rows.findLastIndex(({ id }) => present.has(id)) + 1
  return rows.slice(0, reach).filter(({ id }) => !present.has(id))
}

const idsOf = (works: readonly Work[]): ReadonlySet<string> => new Set(works.map(({ id }) => id))

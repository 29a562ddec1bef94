import type { Work, WorkList } from "../../contract/resources.ts"

/** The rows of all pages in their order, each Work once. A later page may repeat Work that has moved (openapi.yaml, listWork). */
export function rowsOf(pages: readonly WorkList[]): readonly Work[] {
  const rows = new Map<string, Work>()
  for (const page of pages) for (const work of page.data) if (!rows.has(work.id)) rows.set(work.id, work)
  return [...rows.values()]
}

/** The Works of `fresh` that `rows` does not have. */
export function unknownIn(fresh: readonly Work[], rows: readonly Work[]): readonly Work[] {
  const known = new Set(rows.map(({ id }) => id))
  return fresh.filter(({ id }) => !known.has(id))
}

/** `rows` and the Works of `fresh` that they lack. A new Work goes before the Work that follows it in `fresh`. */
export function mergeRows(fresh: readonly Work[], rows: readonly Work[]): Work[] {
  const known = new Set(rows.map(({ id }) => id))
  const before = new Map<string, Work[]>()
  let unplaced: Work[] = []
  let lastKnown: string | undefined
  for (const work of fresh) {
    if (known.has(work.id)) {
      before.set(work.id, unplaced)
      unplaced = []
      lastKnown = work.id
    } else unplaced.push(work)
  }
  const merged: Work[] = []
  for (const row of rows) {
    merged.push(...(before.get(row.id) ?? []), row)
    if (row.id === lastKnown) merged.push(...unplaced)
  }
  return lastKnown === undefined ? [...unplaced, ...merged] : merged
}

/** Whether Work may be missing between `fresh` and `rows`: they have no Work in common, and another page follows `fresh`. */
export function leavesGap(fresh: WorkList, rows: readonly Work[]): boolean {
  if (fresh.next_cursor === undefined || rows.length === 0) return false
  const known = new Set(rows.map(({ id }) => id))
  return !fresh.data.some(({ id }) => known.has(id))
}

/** `known` with the new and the newer Works of `works`; the same object where there are none. */
export function withWorks(known: ReadonlyMap<string, Work>, works: readonly Work[]): ReadonlyMap<string, Work> {
  const news = works.filter(({ id, version }) => version > (known.get(id)?.version ?? 0n))
  return news.length === 0 ? known : new Map([...known, ...news.map((work) => [work.id, work] as const)])
}

/** The rows, each in its newest version. */
export function withNewer(rows: readonly Work[], newer: ReadonlyMap<string, Work>): readonly Work[] {
  return rows.map((work) => {
    const other = newer.get(work.id)
    return other && other.version > work.version ? other : work
  })
}

/** The rows that the fresh first page no longer has, as far down as the page reaches: they do not match the filter any more. */
export function missingFrom(fresh: WorkList, rows: readonly Work[]): readonly Work[] {
  const present = new Set(fresh.data.map(({ id }) => id))
  const reach = fresh.next_cursor === undefined ? rows.length : rows.findLastIndex(({ id }) => present.has(id)) + 1
  return rows.slice(0, reach).filter(({ id }) => !present.has(id))
}

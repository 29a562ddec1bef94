import type { Work, WorkList } from "../../contract/resources.ts"

/** The rows of all pages in their order, each Work once: a cursor may repeat what moved (openapi.yaml, listWork). */
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

/** `rows` with the Works of `fresh` that they lack, each before the one that follows it in `fresh`, else at its end. */
export function mergeRows(fresh: readonly Work[], rows: readonly Work[]): Work[] {
  const known = new Set(rows.map(({ id }) => id))
  const before = new Map<string, Work[]>()
  let waiting: Work[] = []
  let lastKnown: string | undefined
  for (const work of fresh) {
    if (known.has(work.id)) {
      before.set(work.id, waiting)
      waiting = []
      lastKnown = work.id
    } else waiting.push(work)
  }
  const merged: Work[] = []
  for (const row of rows) {
    merged.push(...(before.get(row.id) ?? []), row)
    if (row.id === lastKnown) merged.push(...waiting)
  }
  return lastKnown === undefined ? [...waiting, ...merged] : merged
}

/** Whether `fresh` may have left a gap above `rows`: more exists after it, and it reaches none of them. */
export function leavesGap(fresh: WorkList, rows: readonly Work[]): boolean {
  if (fresh.next_cursor === undefined || rows.length === 0) return false
  const known = new Set(rows.map(({ id }) => id))
  return !fresh.data.some(({ id }) => known.has(id))
}

/** `known` with the Works of `works` that it lacks or has in an older version; the same object where there are none. */
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

/**
 * The rows that a fresh first page should have held and does not: they have left the filter. Only as far down as the page reaches.
 */
export function missingFrom(fresh: WorkList, rows: readonly Work[]): readonly Work[] {
  const present = new Set(fresh.data.map(({ id }) => id))
  const reach = fresh.next_cursor === undefined ? rows.length : rows.findLastIndex(({ id }) => present.has(id)) + 1
  return rows.slice(0, reach).filter(({ id }) => !present.has(id))
}

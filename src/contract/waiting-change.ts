/** What has changed in the answer of `GET /desk/waiting`, and how the change is applied. The desk, its tests and the app share the order of the lists. */
import type { Waiting } from "./desk-work.ts"

/** The answer of `GET /desk/waiting?since=ETAG` when the desk knows the answer that had the ETag `since`. The whole answer has no member `since`. */
export type WaitingChange = Omit<Waiting, "attention" | "approvals"> & {
  /** The ETag of the content after the change. */
  readonly etag: string
  readonly since: string
  /** Whole entries that are new or differ, in the order of the lists. */
  readonly changed: Pick<Waiting, "attention" | "approvals">
  /** What is not in the person's lists any more, by the ids of Work and item. */
  readonly gone: readonly { readonly work: string; readonly item: string }[]
}

/** Applies a change to the answer of `since`: first removes `gone`, then puts in `changed`. Entries and lists that did not change stay the same objects. */
export function applyChange(
  before: Pick<Waiting, "attention" | "approvals">,
  { etag: _etag, since: _since, changed, gone, ...figures }: WaitingChange,
): Waiting {
  const isGone = new Set(gone.map(({ work, item }) => entryKey(work, item)))
  const apply = <Entry extends Listed>(entries: readonly Entry[], news: readonly Entry[]): readonly Entry[] => {
    const isReplaced = new Set(news.map(({ work, item }) => entryKey(work.id, item.id)))
    const kept = entries.filter(({ work, item }) => {
      const key = entryKey(work.id, item.id)
      return !isGone.has(key) && !isReplaced.has(key)
    })
    if (news.length === 0) return kept.length === entries.length ? entries : kept
    // Each place is read once: a comparison would read two dates.
    const placed = [...kept, ...news].map((entry) => ({ entry, ...placeOf(entry) }))
    return placed.sort(compareEntries).map(({ entry }) => entry)
  }
  return {
    ...figures,
    attention: apply(before.attention, changed.attention),
    approvals: apply(before.approvals, changed.approvals),
  }
}

type Listed = {
  readonly work: { readonly id: string }
  readonly item: { readonly id: string; readonly created_at: string }
}

/** Two ids as one text. */
export const entryKey = (workId: string, itemId: string): string => JSON.stringify([workId, itemId])

/** What decides where an entry stands. `createdAt` is in milliseconds since 1970. */
export type EntryPlace = { readonly createdAt: number; readonly workId: string; readonly itemId: string }

const placeOf = ({ work, item }: Listed): EntryPlace => ({
  createdAt: readTime(item.created_at),
  workId: work.id,
  itemId: item.id,
})

/** Orders entries: oldest first, then by id, so that every desk and every app has the same order. */
export function compareEntries(one: EntryPlace, other: EntryPlace): number {
  // A text that is no date is NaN, which would be neither smaller nor greater.
  const age = (one.createdAt || 0) - (other.createdAt || 0)
  return age || compareText(one.workId, other.workId) || compareText(one.itemId, other.itemId)
}

function compareText(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Reads a time in milliseconds, with its fraction. Many services write microseconds, which Date.parse drops. NaN when the text is no date. */
export function readTime(written: string): number {
  const finer = /\.\d{3}(\d+)/.exec(written)?.[1]
  return Date.parse(written) + (finer === undefined ? 0 : Number(`0.${finer}`))
}

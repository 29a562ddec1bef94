/** Which items an inbox lists, and in which order. */
import { standingOf, type WaitingItem } from "../client/waiting.ts"
import { rowKey } from "./addresses.ts"
import {
  addressIn,
  groupOf,
  type InboxGroup,
  type InboxPage,
  type InboxView,
  isInView,
  isMine,
  type Reader,
  writeInboxView,
} from "./inbox-view.ts"
import { type Item, type ItemId, type ItemKind, kindOf } from "./item.ts"
import { momentOf } from "../ui/time-words.ts"
import { compareKeys, type SortKey } from "../../contract/work-order.ts"

/** A pending item, as a line of an inbox. */
export type InboxLine = {
  readonly id: ItemId
  readonly kind: ItemKind
  readonly key: string
  readonly to: string
  readonly entry: WaitingItem<Item>
}

/** For this long, an item given to the person or their team comes before the others (docs/team.md). */
const GIVEN_FIRST_MS = 24 * 60 * 60_000

/**
 * The pending items as lines, by what they mean to the person. `listed` is the list: the person's own pending items that match the view. They are
 * sorted by the first of these that differs, and with groups, each group stands where its first item would stand:
 *
 * 1. Items that came back come first, then those that were given to the person or their team within `GIVEN_FIRST_MS`.
 * 2. The earlier deadline comes first, unless the view has `sort: "oldest"`.
 * 3. The older item comes first.
 *
 * @param page the address of the inbox page
 * @param now the present moment on the desk's clock, in ms since 1970
 */
export function arrangeLines(
  entries: readonly WaitingItem<Item>[],
  page: InboxPage,
  view: InboxView,
  me: Reader,
  now: number,
) {
  const query = writeInboxView(view)
  const lines = entries.map((entry): InboxLine => {
    const id: ItemId = [entry.work.id, entry.item.id]
    const kind = kindOf(entry.item)
    return { id, kind, key: rowKey(kind, id), to: addressIn(page, query, id), entry }
  })
  const { waits = [], ...standing } = Object.groupBy(lines, ({ entry }) => standingOf(entry, me?.person.id ?? ""))
  const sorted = waits
    .filter(({ entry }) => isInView(entry, view, me))
    // The key of each line is made once: a comparison would read four dates.
    .map((line) => ({ line, key: sortKeyOf(line.entry, view, me, now) }))
    .sort((one, other) => compareKeys(one.key, other.key))
    .map(({ line }) => line)
  return {
    /** The keys of all pending items, whatever the view. */
    keys: new Set(lines.map(({ key }) => key)),
    listed: inGroups(sorted, view.group),
    /** The person's pending items, without any filter. */
    waits,
    aside: standing.aside ?? [],
    approved: standing.approved ?? [],
    /** What other people have to answer or approve. */
    others: standing.others ?? [],
  }
}

function inGroups(lines: readonly InboxLine[], group: InboxGroup | undefined): readonly InboxLine[] {
  if (group === undefined) return lines
  return [...Map.groupBy(lines, ({ entry }) => groupOf(entry, group).key).values()].flat()
}

/** An item without a readable moment comes last. */
const momentOrLast = (text: string | undefined): number => momentOf(text ?? "") ?? Infinity

function sortKeyOf(entry: WaitingItem<Item>, { sort }: InboxView, me: Reader, now: number): SortKey {
  const { back, assignment, decide_by: by, item } = entry
  const wasGivenLately = now - (momentOf(assignment?.at ?? "") ?? 0) < GIVEN_FIRST_MS
  const place = back === true ? 0 : isMine(entry, me) && wasGivenLately ? 1 : 2
  return [place, sort === "oldest" ? 0 : momentOrLast(by), momentOrLast(item.created_at)]
}

/** Keeps pending items on the screen while a restarted desk checks all Work again. */
import type { Approval } from "../../contract/resources.ts"
import type { Clarification, Waiting, WaitingItem } from "./waiting.ts"

/** How long a restarted desk has for checking all Work again. Then its answer alone counts. */
const CATCH_UP_MS = 60_000

/** For each complete answer: when a restarted desk first said how much Work there is. */
const listedAt = new WeakMap<Waiting, number>()

/**
 * Adds to the answer of a restarted desk the items that waited before. Its first answers lack the items of Work that it has not checked again, and
 * do not say that these items were resolved. So the items stay until the desk has checked as many Works as before, for `CATCH_UP_MS` at most.
 *
 * @param whole the last answer of a desk that had checked every Work
 * @param now the present moment in milliseconds
 */
export function keepUnchecked(whole: Waiting | undefined, answer: Waiting, now: number): Waiting {
  if (whole === undefined || answer.complete || answer.checked >= whole.checked) return answer
  // A desk that cannot read the list of Work knows nothing, so `CATCH_UP_MS` does not begin.
  if (answer.total > 0 && !listedAt.has(whole)) listedAt.set(whole, now)
  if (now - (listedAt.get(whole) ?? now) > CATCH_UP_MS) return answer
  return {
    ...answer,
    clarifications: joinItems(answer.clarifications, whole.clarifications),
    approvals: joinItems(answer.approvals, whole.approvals),
  }
}

/** Both lists as one, oldest first. Of an item in both lists the newer version counts. */
function joinItems<Item extends Clarification | Approval>(
  newer: readonly WaitingItem<Item>[],
  older: readonly WaitingItem<Item>[],
): readonly WaitingItem<Item>[] {
  const idOf = ({ work, item }: WaitingItem<Item>) => JSON.stringify([work.id, item.id])
  const ids = new Set(newer.map(idOf))
  const both = [...newer, ...older.filter((waits) => !ids.has(idOf(waits)))]
  return both.sort((one, other) => Date.parse(one.item.created_at) - Date.parse(other.item.created_at))
}

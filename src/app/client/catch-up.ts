import type { Approval } from "../../contract/resources.ts"
import type { Clarification, Waiting, WaitingItem } from "./waiting.ts"

/** How long a restarted desk has for checking all Work again. Then its answer alone counts. */
const CATCH_UP_MS = 60_000

/** For each complete answer: when a restarted desk first said how much Work there is. */
const listedAt = new WeakMap<Waiting, number>()

/**
 * Adds to the answer of a restarted desk the items that waited before. The desk checks every Work again, and its first answers lack the items
 * of Work that it has not checked. Nothing says that these items were resolved, so they stay on the screen.
 *
 * @param whole the last answer of a desk that had checked every Work
 * @param answer a later answer, of a desk that has checked fewer Works
 * @param now the present moment in milliseconds
 */
export function keepUnchecked(whole: Waiting, answer: Waiting, now: number): Waiting {
  // A desk that cannot read the list of Work knows nothing, and its time does not begin.
  if (answer.total > 0 && !listedAt.has(whole)) listedAt.set(whole, now)
  if (now - (listedAt.get(whole) ?? now) > CATCH_UP_MS) return answer
  return {
    ...answer,
    clarifications: join(answer.clarifications, whole.clarifications),
    approvals: join(answer.approvals, whole.approvals),
  }
}

/** Both lists as one, oldest first. Of an item in both lists the newer version counts. */
function join<Item extends Clarification | Approval>(
  newer: readonly WaitingItem<Item>[],
  older: readonly WaitingItem<Item>[],
): readonly WaitingItem<Item>[] {
  const ids = new Set(newer.map(idOf))
  const both = [...newer, ...older.filter((waits) => !ids.has(idOf(waits)))]
  return both.sort((one, other) => Date.parse(one.item.created_at) - Date.parse(other.item.created_at))
}

const idOf = ({ work, item }: WaitingItem<Clarification | Approval>) => JSON.stringify([work.id, item.id])

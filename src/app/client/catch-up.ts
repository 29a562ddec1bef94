/**
 * A desk that was restarted checks every Work anew. Its first answers lack what waits in Work that it has not checked yet. What waited
 * before stays on the screen until the desk has caught up, because nothing says that it was resolved.
 */
import type { Attention, Approval } from "../../contract/resources.ts"
import type { Waiting, WaitingItem } from "../../contract/desk.ts"

/** A desk that has listed Work is given so long to check as much as it had checked before. */
const CATCH_UP_MS = 60_000

/** When a desk that had checked less than this answer says had listed Work. */
const listedAt = new WeakMap<Waiting, number>()

/**
 * The answer, and with it what the desk has probably not checked yet.
 *
 * @param whole the last answer of a desk that had checked every Work
 * @param answer a later one that has checked fewer
 * @param now in milliseconds
 */
export function keepUnchecked(whole: Waiting, answer: Waiting, now: number): Waiting {
  // While the list cannot be read the desk knows nothing, however long that lasts.
  if (answer.total > 0 && !listedAt.has(whole)) listedAt.set(whole, now)
  if (now - (listedAt.get(whole) ?? now) > CATCH_UP_MS) return answer
  return {
    ...answer,
    attention: join(answer.attention, whole.attention),
    approvals: join(answer.approvals, whole.approvals),
  }
}

/** Both lists in one, oldest first as the desk sends them. An item that both have is the newer list's. */
function join<Item extends Attention | Approval>(
  newer: readonly WaitingItem<Item>[],
  older: readonly WaitingItem<Item>[],
): readonly WaitingItem<Item>[] {
  const ids = new Set(newer.map(idOf))
  const both = [...newer, ...older.filter((waits) => !ids.has(idOf(waits)))]
  return both.sort((one, other) => Date.parse(one.item.created_at) - Date.parse(other.item.created_at))
}

const idOf = ({ work, item }: WaitingItem<Attention | Approval>) => JSON.stringify([work.id, item.id])

/** The items that were decided at this desk, so that no read which began earlier brings them back. */
import type { ListedItem } from "./read-resources.ts"

type Item = Pick<ListedItem, "kind" | "id">

export class DecidedItems {
  /** For each item: the number of the last request that began before the decision was answered. */
  readonly #lastBegun = new Map<string, number>()

  add(item: Item, workId: string, lastBegun: number): void {
    this.#lastBegun.set(keyOf(item, workId), lastBegun)
  }

  /** Whether an item was decided after a request began. */
  has(item: Item, workId: string, request: number): boolean {
    const lastBegun = this.#lastBegun.get(keyOf(item, workId))
    return lastBegun !== undefined && request <= lastBegun
  }

  /** Forgets the decisions that no request in flight can contradict. `oldestUnderWay` is the number of the oldest such request. */
  forget(oldestUnderWay: number): void {
    for (const [key, lastBegun] of this.#lastBegun) if (lastBegun < oldestUnderWay) this.#lastBegun.delete(key)
  }
}

const keyOf = ({ kind, id }: Item, workId: string) => JSON.stringify([kind, workId, id])

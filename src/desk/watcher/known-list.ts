/** What the watcher knows of the list of open Work, and the items that this list proves to have ended. */
import type { ListedItem } from "./read-resources.ts"
import type { MonotonicTime } from "./request-pace.ts"
import type { WatchState } from "./watch-state.ts"
import { isChecked, itemsOf, mayBeUnread } from "./watched-work.ts"

/**
 * What is known of the list of open Work since the watcher began. `unknown`: no round of the list has ended. `partly`: pages may be missing.
 * `lastRequestBefore`: the number of the last request before the last round. The requests of the round have greater numbers.
 */
export type KnownList =
  | { readonly level: "unknown" }
  | { readonly level: "partly"; readonly lastRequestBefore: number }
  | WholeList

/** What a whole list needs in order to prove that an item has ended. */
type ListedState = Pick<WatchState, "works" | "unwatched" | "unnamed" | "knownWhole">

/** The ids of an item, and its kind. */
type ItemIds = { readonly kind: ListedItem["kind"]; readonly workId: string; readonly itemId: string }

/** An item that is no longer pending. Only a whole list proves that, so only `WholeList` creates this object. */
class EndedItem<Item extends ItemIds = ItemIds> {
  readonly item: Item
  /** Makes the class nominal. */
  readonly #proof: WholeList

  constructor(item: Item, proof: WholeList) {
    this.item = item
    this.#proof = proof
  }

  /** When the round ended that proves this. */
  get provedAt(): MonotonicTime {
    return this.#proof.endedAt
  }
}

/** The list was read to its end since the watcher began. Valid until a round fails. Only `WatchState` creates this object. */
export class WholeList {
  readonly level = "whole"
  readonly lastRequestBefore: number
  readonly endedAt: MonotonicTime
  readonly #state: ListedState
  /** How many whole rounds there were since the watcher began. */
  readonly #rounds: number

  constructor(
    state: ListedState,
    round: { readonly lastRequestBefore: number; readonly endedAt: MonotonicTime; readonly rounds: number },
  ) {
    this.#state = state
    this.lastRequestBefore = round.lastRequestBefore
    this.endedAt = round.endedAt
    this.#rounds = round.rounds
  }

  /** Finds the items that are no longer pending. None, if a round has failed since. */
  findEnded<Item extends ItemIds>(items: Iterable<Item>): readonly EndedItem<Item>[] {
    if (this.#state.knownWhole() !== this) return []
    return [...items].filter((item) => this.#hasEnded(item)).map((item) => new EndedItem(item, this))
  }

  #hasEnded({ kind, workId, itemId }: ItemIds): boolean {
    const { works, unwatched, unnamed } = this.#state
    const watched = works.get(workId)
    // A Work that moves to another status while the pages are read may be missing in one round.
    if (watched === undefined) return unwatched + unnamed === 0 && this.#rounds >= 2
    const isKnown = kind === "approval" ? watched.areApprovalsKnown : watched.areClarificationsKnown
    const waits = mayBeUnread(watched, itemId) || itemsOf(watched).some(({ id }) => id === itemId)
    return isKnown && isChecked(watched) && !waits
  }
}

export type { EndedItem }

/** The last events of a stream, in memory for subscribers that join or come back. */
import type { Unit } from "./event-reader.ts"

const MAX_BYTES = 1_048_576
const MAX_EVENTS = 4_096

export class RecentEvents {
  /** The position that the upstream was asked for. */
  readonly #openedAfter: bigint | undefined
  /** The sequence of the last event. */
  #last: bigint | undefined
  /** Every event after this sequence is in memory or has not come yet. Undefined until the first event of a stream without a position. */
  #completeAfter: bigint | undefined
  #units: Unit[] = []
  #bytes = 0
  /** Whether every event since the stream was opened is in memory. */
  #isWhole = true

  constructor(openedAfter: bigint | undefined) {
    this.#openedAfter = openedAfter
    this.#completeAfter = openedAfter
  }

  get units(): readonly Unit[] {
    return this.#units
  }

  /** How far the stream has come: its last event, or the position at which it was opened. */
  get #reached(): bigint | undefined {
    return this.#last ?? this.#openedAfter
  }

  /** Whether another stream has come as far as this one. */
  isReachedBy(other: RecentEvents): boolean {
    return this.#last === undefined || this.#last <= (other.#reached ?? -1n)
  }

  /** Whether every event after a position is in memory or still to come. */
  covers(position: bigint | undefined): boolean {
    // Without a position, a subscriber needs every event that the upstream sends when no position is named.
    if (position === undefined) return this.#openedAfter === undefined && this.#isWhole
    return this.#completeAfter !== undefined && position >= this.#completeAfter
  }

  /** Whether the upstream sends an event again. */
  isReplay({ sequence }: Unit): boolean {
    return sequence !== undefined && this.#reached !== undefined && sequence <= this.#reached
  }

  /** Keeps an event, and forgets the oldest ones above the limits. A unit without a sequence isn't kept, because no position names it. */
  add(unit: Unit): void {
    const { sequence, bytes } = unit
    if (sequence === undefined) return
    this.#completeAfter ??= sequence - 1n
    this.#last = sequence
    this.#units.push(unit)
    this.#bytes += bytes.length
    while (this.#bytes > MAX_BYTES || this.#units.length > MAX_EVENTS) {
      const oldest = this.#units.shift()
      this.#bytes -= oldest?.bytes.length ?? 0
      this.#completeAfter = oldest?.sequence
      this.#isWhole = false
    }
  }
}

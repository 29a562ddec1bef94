/** How many deliveries are under way to each place of a channel (`PlacesOfChannel`), so that a place that doesn't answer delays no other. */
import type { Places } from "./channel.ts"

const MAX_PER_PLACE = 2

/** The places that one delivery has entered. */
export type EnteredPlaces = Places & { readonly isEmpty: boolean; readonly leaveAll: () => void }

/** The delivery of a channel without places. */
export const NO_PLACES: EnteredPlaces = {
  isEmpty: true,
  has: () => false,
  leave: () => undefined,
  leaveAll: () => undefined,
}

export class PlaceRoom {
  readonly #counts = new Map<string, number>()
  readonly #onLeft: () => void

  /** `onLeft`: called when a delivery has left a place before its end, so another delivery may enter it. */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft
  }

  /** The places that no further delivery may enter. */
  full(): readonly string[] {
    return [...this.#counts.keys()].filter((place) => !this.#hasRoom(place))
  }

  /** Counts a delivery in each of these places that has room. */
  enter(places: readonly string[]): EnteredPlaces {
    const entered = new Set(places.filter((place) => this.#hasRoom(place)))
    for (const place of entered) this.#count(place, 1)
    const leave = (place: string) => {
      if (entered.delete(place)) this.#count(place, -1)
    }
    return {
      isEmpty: entered.size === 0,
      has: (place) => entered.has(place),
      leave: (place) => {
        leave(place)
        this.#onLeft()
      },
      leaveAll: () => entered.forEach(leave),
    }
  }

  #hasRoom(place: string): boolean {
    return (this.#counts.get(place) ?? 0) < MAX_PER_PLACE
  }

  #count(place: string, change: 1 | -1): void {
    const count = (this.#counts.get(place) ?? 0) + change
    if (count > 0) this.#counts.set(place, count)
    else this.#counts.delete(place)
  }
}

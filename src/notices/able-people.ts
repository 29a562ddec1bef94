/** Who of the people who can be mailed may see and decide an item. The answer is found once for each kind of people (`Viewer.kind`), not for each person. */
import { mayDecideSeen, type Viewer } from "../people/visibility.ts"
import { NOBODY, type WorkPeople } from "../record/work-people.ts"
import type { ListedItem } from "../waiting/resources.ts"
import type { Views } from "../waiting/views.ts"
import type { WatchedWork } from "../waiting/watched-work.ts"
import type { ReachablePerson } from "./people-now.ts"

type Kind = {
  readonly anybody: Viewer
  readonly sees: (watched: WatchedWork) => boolean
  readonly numbers: readonly number[]
}

export class AblePeople {
  readonly #people: ReadonlyMap<string, ReachablePerson>
  readonly #views: Pick<Views, "of">
  readonly #workPeople: Pick<WorkPeople, "of"> | undefined
  readonly #kinds: Kind[] = []
  /** The answers of `#join`, by its parameters. Most items share an answer. */
  readonly #together = new Map<string, readonly number[]>()

  constructor(
    people: ReadonlyMap<string, ReachablePerson>,
    views: Pick<Views, "of">,
    workPeople: Pick<WorkPeople, "of"> | undefined,
  ) {
    this.#people = people
    this.#views = views
    this.#workPeople = workPeople
  }

  /** Sorts the people into kinds, before the first question. A generator, because all Works are searched for what a kind sees. */
  *findKinds(): Generator<void, void> {
    const kinds = Map.groupBy(this.#people.values(), ({ viewer }) => `${viewer.isAnswerer} ${viewer.kind}`)
    for (const [first, ...others] of kinds.values()) {
      if (first === undefined) continue
      // No person has an empty id, so only what holds for the whole kind counts.
      const anybody = { ...first.viewer, id: "" }
      const numbers = [first, ...others].map(({ person }) => person.number)
      this.#kinds.push({ anybody, sees: this.#views.of(anybody).sees, numbers })
      yield
    }
  }

  /** The numbers of the people who may see and decide an item. */
  of(watched: WatchedWork, item: ListedItem): readonly number[] {
    const kinds = this.#kinds.flatMap(({ anybody, sees }, index) =>
      sees(watched) && mayDecideSeen(anybody, NOBODY, item) ? [index] : [],
    )
    const { creators, deciders } = this.#peopleOf(watched)
    if (creators.size === 0 && deciders.size === 0) return this.#join(kinds, [], [])
    // A person with a part in the Work may differ from their kind: a decider sees the Work, a creator may be barred from deciding.
    const special = [...new Set([...creators.keys(), ...deciders])]
    const own = special.filter((id) => this.mayDecide(id, watched, item))
    return this.#join(kinds, special, own)
  }

  /** Whether one person may see and decide an item. */
  mayDecide(personId: string, watched: WatchedWork, item: ListedItem): boolean {
    const viewer = this.#people.get(personId)?.viewer
    const sees = viewer !== undefined && this.#views.of(viewer).sees(watched)
    return sees && mayDecideSeen(viewer, this.#peopleOf(watched), item)
  }

  #peopleOf({ work }: WatchedWork) {
    return this.#workPeople?.of(work.id) ?? NOBODY
  }

  /** The numbers of the people of some kinds. Of the people with a part of their own in the Work (`special`), only `own` are among them. */
  #join(kinds: readonly number[], special: readonly string[], own: readonly string[]): readonly number[] {
    const key = JSON.stringify([kinds, special, own])
    const before = this.#together.get(key)
    if (before !== undefined) return before
    const numberOf = (id: string) => this.#people.get(id)?.person.number ?? []
    const without = new Set(special.flatMap(numberOf))
    const shared = kinds.flatMap((kind) => this.#kinds[kind]?.numbers ?? [])
    const together = [...shared.filter((number) => !without.has(number)), ...own.flatMap(numberOf)]
    this.#together.set(key, together)
    return together
  }
}

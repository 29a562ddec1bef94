/**
 * Who may see and decide an item, of the people who can be mailed. People of one kind (`Viewer.kind`) share the answer, so that an item costs one
 * question for each kind and not for each person.
 */
import { needsCreator, rulesFor } from "../people/rules/rules.ts"
import { isApproverOf, type Viewer } from "../people/visibility.ts"
import type { ListedItem } from "../waiting/resources.ts"
import type { WatchedWork } from "../waiting/watch-state.ts"
import type { ReachablePerson } from "./people-now.ts"

/** What the audience needs to know about Works. */
export type Sight = {
  /** The Works that a viewer sees. */
  readonly viewOf: (viewer: Viewer) => { readonly sees: (watched: WatchedWork) => boolean }
  /** The people who created a Work at this desk, and those who decided an approval of it. */
  readonly peopleOf: (workId: string) => {
    readonly creators: ReadonlyMap<string, unknown>
    readonly deciders: ReadonlySet<string>
  }
}

type Kind = { readonly anybody: Viewer; readonly numbers: readonly number[] }

const NOBODY: readonly number[] = []

export class Audience {
  readonly #sight: Sight
  readonly #people: ReadonlyMap<string, ReachablePerson>
  readonly #kinds: readonly Kind[]
  /** The numbers of the people of some kinds together, without and with some persons. Most items share them. */
  readonly #together = new Map<string, readonly number[]>()

  /** `viewers` are reused between audiences, because what a viewer sees is kept by the viewer. */
  constructor(sight: Sight, people: ReadonlyMap<string, ReachablePerson>, viewers: Map<string, Viewer>) {
    this.#sight = sight
    this.#people = people
    const kinds = new Map<string, { anybody: Viewer; numbers: number[] }>()
    for (const { person, viewer } of people.values()) {
      const key = `${viewer.isAnswerer} ${viewer.kind}`
      const before = viewers.get(key)
      // No person has an empty id, so only what holds for the whole kind counts.
      const anybody = before?.access === viewer.access ? before : { ...viewer, id: "" }
      viewers.set(key, anybody)
      const kind = kinds.get(key) ?? { anybody, numbers: [] }
      kinds.set(key, kind)
      kind.numbers.push(person.number)
    }
    this.#kinds = [...kinds.values()]
  }

  /** The numbers of the people who may see and decide an item. */
  of(watched: WatchedWork, item: ListedItem): readonly number[] {
    const kinds = this.#kinds.flatMap(({ anybody }, index) => (this.#mayDecide(anybody, watched, item) ? [index] : []))
    const { creators, deciders } = this.#sight.peopleOf(watched.work.id)
    if (creators.size === 0 && deciders.size === 0) return this.#join(kinds, [], [])
    const special = [...new Set([...creators.keys(), ...deciders])]
    const own = special.filter((id) => this.mayDecide(id, watched, item))
    return this.#join(kinds, special, own)
  }

  /** Whether one person may see and decide an item. */
  mayDecide(personId: string, watched: WatchedWork, item: ListedItem): boolean {
    const found = this.#people.get(personId)
    if (found === undefined || !this.#mayDecide(found.viewer, watched, item)) return false
    const isCreator = this.#sight.peopleOf(watched.work.id).creators.has(personId)
    return !isCreator || item.kind === "clarification" || !needsCreator(rulesFor(found.viewer.access, item))
  }

  viewerOf(personId: string): Viewer | undefined {
    return this.#people.get(personId)?.viewer
  }

  /** Self-approval aside. */
  #mayDecide(viewer: Viewer, watched: WatchedWork, item: ListedItem): boolean {
    if (!(item.kind === "clarification" ? viewer.isAnswerer : isApproverOf(viewer, item))) return false
    return this.#sight.viewOf(viewer).sees(watched)
  }

  /** The people of some kinds, without those who have a part of their own in the Work (`special`), but with `own` of them. */
  #join(kinds: readonly number[], special: readonly string[], own: readonly string[]): readonly number[] {
    const key = JSON.stringify([kinds, special, own])
    const before = this.#together.get(key)
    if (before !== undefined) return before
    const numberOf = (id: string) => this.#people.get(id)?.person.number ?? []
    const without = new Set(special.flatMap(numberOf))
    const shared = kinds.flatMap((kind) => this.#kinds[kind]?.numbers ?? NOBODY)
    const together = [...shared.filter((number) => !without.has(number)), ...own.flatMap(numberOf)]
    this.#together.set(key, together)
    return together
  }
}

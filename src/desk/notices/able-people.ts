/** Who of the people who can be notified may see and decide an item. The answer is found once for each kind of people (`Viewer.kind`). */
import { mayDecideSeen, type Viewer } from "../people/visibility.ts"
import { NOBODY } from "../record/creators-and-deciders.ts"
import type { WorkPeople } from "../record/work-people.ts"
import type { ListedItem } from "../watcher/read-resources.ts"
import type { VisibleWorkCache } from "../watcher/visible-work.ts"
import type { WatchedWork } from "../watcher/watched-work.ts"
import { Turns } from "../../platform/turns.ts"
import type { Person } from "./people-now.ts"

/** An item as the watcher has it, with its Work. */
export type ListedIn = { readonly watched: WatchedWork; readonly listed: ListedItem }

export type AblePeopleSources = {
  readonly visibleWork: Pick<VisibleWorkCache, "of">
  /** Who created and decided what. Undefined in local mode. */
  readonly workPeople: Pick<WorkPeople, "of"> | undefined
}

/** Who created and decided a Work. Undefined: this is unread, so nobody is notified. */
export const peopleOf = ({ workPeople }: Pick<AblePeopleSources, "workPeople">, { work }: WatchedWork) =>
  workPeople === undefined ? NOBODY : workPeople.of(work.id)

/** Whether one person may see and decide an item. */
export function maySeeAndDecide(sources: AblePeopleSources, viewer: Viewer, { watched, listed }: ListedIn): boolean {
  const people = peopleOf(sources, watched)
  return people !== undefined && sources.visibleWork.of(viewer).sees(watched) && mayDecideSeen(viewer, people, listed)
}

/** The people who can be notified, and who of them may see and decide an item. */
export type AblePeople = {
  readonly all: ReadonlyMap<string, Person>
  /** The ids of the people. Items with the same people get the same list. */
  readonly of: (item: ListedIn) => readonly string[]
}

type Kind = {
  readonly anybody: Viewer
  readonly sees: (watched: WatchedWork) => boolean
  readonly ids: readonly string[]
}

/** Sorts the people into kinds. This lets other work run, because all Works are searched for what a kind sees. */
export async function sortPeople(people: ReadonlyMap<string, Person>, sources: AblePeopleSources): Promise<AblePeople> {
  const kinds: Kind[] = []
  const turns = new Turns()
  for (const members of Map.groupBy(people.values(), ({ viewer }) => `${viewer.isAnswerer} ${viewer.kind}`).values()) {
    const [first] = members
    if (first === undefined) continue
    // No person has an empty id, so only what is true for the whole kind counts.
    const anybody = { ...first.viewer, id: "" }
    kinds.push({ anybody, sees: sources.visibleWork.of(anybody).sees, ids: members.map(({ id }) => id) })
    if (turns.isOver()) await turns.next()
  }
  const lists = new Map<string, readonly string[]>()
  /** The people of some kinds. Of the people with a part of their own in the Work (`special`), only `able` are among them. */
  const join = (kindsAble: readonly number[], special: readonly string[], able: readonly string[]) => {
    const key = JSON.stringify([kindsAble, special, able])
    const before = lists.get(key)
    if (before !== undefined) return before
    const shared = kindsAble.flatMap((kind) => kinds[kind]?.ids ?? [])
    const list = [...shared.filter((id) => !special.includes(id)), ...able]
    lists.set(key, list)
    return list
  }
  const of = ({ watched, listed }: ListedIn): readonly string[] => {
    const parts = peopleOf(sources, watched)
    if (parts === undefined) return []
    const kindsAble = kinds.flatMap(({ anybody, sees }, index) =>
      sees(watched) && mayDecideSeen(anybody, NOBODY, listed) ? [index] : [],
    )
    const { creators, deciders } = parts
    if (creators.size === 0 && deciders.size === 0) return join(kindsAble, [], [])
    // A person with a part in the Work may differ from their kind: a decider sees the Work, a creator may be barred from deciding.
    const special = [...new Set([...creators.keys(), ...deciders])]
    const able = special.filter((id) => {
      const viewer = people.get(id)?.viewer
      return viewer !== undefined && maySeeAndDecide(sources, viewer, { watched, listed })
    })
    return join(kindsAble, special, able)
  }
  return { all: people, of }
}

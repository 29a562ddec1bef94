/** Makes the snapshots of `GET /desk/waiting`: what each person is shown of the pending items. People who are shown the same share a snapshot. */
import {
  type Content,
  Entries,
  type PersonalView,
  type Snapshot,
  makeSnapshot,
  type WriteDeskMembers,
} from "./snapshot.ts"
import type { ListedItem } from "./read-resources.ts"
import type { MonotonicTime } from "./request-pace.ts"
import { type Audience, personOf, type VisibleWork, type VisibleWorkCache } from "./visible-work.ts"
import type { WatchState } from "./watch-state.ts"
import type { WatchedWork } from "./watched-work.ts"

/**
 * The members that the desk adds to the entries of `GET /desk/waiting`. People of a kind (the same roles and teams) share a snapshot. A person gets a
 * snapshot of their own if they have own entries: items that they look at or have set aside (`ownItems`), and items that they need to act on while
 * their kind doesn't, or the other way round (`exceptionsToKind`).
 */
export type EntryMembers = {
  /** For each person, by id: the entries (`entryKey`) that have other members for this person than for everybody else. */
  ownItems(): ReadonlyMap<string, ReadonlySet<string>>
  /** The ids of the people for whom `isNeeded` may differ from the other people of their kind. */
  exceptionsToKind(watched: WatchedWork, item: ListedItem): readonly string[]
  /** The kind of a person, as a text. People of one kind get the same `isNeeded` for every entry that isn't their own. */
  kindOf(audience: Audience): string
  /** Whether the person may answer or approve the item now. `isOwn`: whether the entry is one of the person's own. */
  isNeeded(audience: Audience, watched: WatchedWork, item: ListedItem, isOwn: boolean): boolean
  /** JSON members that each begin with a comma, or an empty text. Without a person: what everybody else is shown. */
  ofEntry(personId: string | undefined, watched: WatchedWork, item: ListedItem): string
  /** The members of the whole answer, for everybody, written as `ofEntry` does. */
  ofAnswer(): string
}

/** What a person is shown. */
export type Shown = { readonly person: string; readonly visible: VisibleWork; readonly snapshot: Snapshot }

/** The pending items at one version of the state, and the snapshots of them. */
type Current = {
  readonly madeAt: MonotonicTime
  /** `version` of the state at that time. */
  readonly version: number
  readonly content: Content
  /** For each person, by id: the keys of their own entries (see `EntryMembers`). */
  readonly ownKeys: ReadonlyMap<string, ReadonlySet<string>>
  /** For each set of visible Work: the snapshots, each for a person with own entries or for a kind of people. */
  readonly snapshots: WeakMap<VisibleWork, Map<string, Snapshot>>
  /** What each person was shown of this content. Another access file or another sign-in makes another `Audience` for the same person. */
  readonly shownTo: Map<Audience, Shown>
}

export class PersonalSnapshots {
  readonly #state: WatchState
  readonly #visibleWork: VisibleWorkCache
  readonly #members: EntryMembers | undefined
  readonly #entries = new Entries()
  /** Undefined before the first `renew`. */
  #current: Current | undefined

  constructor(state: WatchState, visibleWork: VisibleWorkCache, members: EntryMembers | undefined) {
    this.#state = state
    this.#visibleWork = visibleWork
    this.#members = members
  }

  /** Whether nothing has changed since the content was made. */
  get isCurrent(): boolean {
    return this.#current?.version === this.#state.version
  }

  /** When the content was made. */
  get madeAt(): MonotonicTime {
    return this.#current?.madeAt ?? Number.NEGATIVE_INFINITY
  }

  /** Makes new content. */
  renew(now: MonotonicTime): Current {
    const content = this.#entries.contentOf(this.#state, this.#writeFor(undefined), this.#members?.ofAnswer())
    this.#current = {
      madeAt: now,
      version: this.#state.version,
      content,
      ownKeys: this.#ownKeysIn(content),
      snapshots: new WeakMap(),
      shownTo: new Map(),
    }
    return this.#current
  }

  /** What a person was shown of the content. Undefined if the person was shown nothing of it. */
  lastShownTo(audience: Audience): Shown | undefined {
    return this.#current?.shownTo.get(audience)
  }

  /** Shows the content to a person. */
  showTo(audience: Audience, now: MonotonicTime): Shown {
    const { content, ownKeys, snapshots, shownTo } = this.#current ?? this.renew(now)
    const visible = this.#visibleWork.of(audience)
    const person = personOf(audience)
    const keys = ownKeys.get(person)
    const sharedBy = keys === undefined ? `kind ${this.#members?.kindOf(audience) ?? ""}` : `person ${person}`
    const ofVisible = snapshots.get(visible) ?? new Map<string, Snapshot>()
    const view = this.#viewOf(audience, keys ?? NO_KEYS)
    const snapshot = ofVisible.get(sharedBy) ?? makeSnapshot(this.#state, content, visible, view)
    snapshots.set(visible, ofVisible.set(sharedBy, snapshot))
    const shown = { person, visible, snapshot }
    shownTo.set(audience, shown)
    return shown
  }

  #viewOf(audience: Audience, keys: ReadonlySet<string>): PersonalView | undefined {
    const members = this.#members
    return (
      members && {
        keys,
        writeDeskMembers: this.#writeFor(personOf(audience)),
        isNeeded: (watched, item, isOwn) => members.isNeeded(audience, watched, item, isOwn),
      }
    )
  }

  #ownKeysIn({ attention, approvals }: Content): ReadonlyMap<string, ReadonlySet<string>> {
    const members = this.#members
    if (members === undefined) return new Map()
    const own = new Map([...members.ownItems()].map(([personId, keys]) => [personId, new Set(keys)]))
    for (const { serialized } of [...attention, ...approvals]) {
      for (const personId of members.exceptionsToKind(serialized.watched, serialized.item)) {
        own.set(personId, (own.get(personId) ?? new Set()).add(serialized.key))
      }
    }
    return own
  }

  #writeFor(personId: string | undefined): WriteDeskMembers {
    return (watched, item) => this.#members?.ofEntry(personId, watched, item) ?? ""
  }
}

const NO_KEYS: ReadonlySet<string> = new Set()

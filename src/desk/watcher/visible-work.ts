/** Who sees which of the Works that the watcher has read. People of one kind share each answer, and people who see the same share one `VisibleWork`. */
import type { VisibilityReason } from "../../contract/desk-work.ts"
import type { Access } from "../people/access-file.ts"
import type { AskedApproval } from "../people/rules/rules.ts"
import { isForOverseersOnly, type Viewer, whySees, type WorkFacts } from "../people/visibility.ts"
import { NOBODY, type PeopleOfWork } from "../record/creators-and-deciders.ts"
import type { WorkPeople } from "../record/work-people.ts"
import type { DoneFacts, DoneWorkReads } from "./done-work-reads.ts"
import type { ListedWork } from "./read-resources.ts"
import type { WatchState } from "./watch-state.ts"
import { unreadItemsOf, type WatchedWork } from "./watched-work.ts"

/** The person whom an answer is for. In local mode there is one person, who sees everything. */
export type Audience = Viewer | "everything"

/** The id of the person whom an answer is for. */
export const personOf = (audience: Audience): string => (audience === "everything" ? "local" : audience.id)

/** The open Works that some people see. Until the next change, people who see the same Works share one object. */
export type VisibleWork = {
  readonly works: readonly WatchedWork[]
  readonly sees: (watched: WatchedWork) => boolean
  /** Whether these people see everything, including the open Works that are not watched. The desk doesn't know who else sees those. */
  readonly seesUnwatched: boolean
}

/** How many open Works there are for the people who see this. */
export function totalOf({ unwatched }: WatchState, { works, seesUnwatched }: VisibleWork): number {
  return works.length + (seesUnwatched ? unwatched : 0)
}

/** How many open Works that these people may know of can't be read. A Work without an id counts as private. */
export function unreadOf({ unnamed }: WatchState, { works, seesUnwatched }: VisibleWork): number {
  return works.filter(({ work }) => work.isUnread).length + (seesUnwatched ? unnamed : 0)
}

/** As `unreadOf`, with the items of the Works that the people see. */
export function unreadWithItemsOf(state: WatchState, visible: VisibleWork): number {
  return visible.works.reduce((sum, watched) => sum + unreadItemsOf(watched).length, unreadOf(state, visible))
}

export type VisibleWorkSources = {
  readonly state: WatchState
  readonly done: DoneWorkReads | undefined
  /** Undefined in local mode. */
  readonly people: WorkPeople | undefined
}

/** What people of one kind see: `open` Works, and for each `done` Work that was asked for, whether they see it and by which facts. */
type Kind = {
  readonly open: ReadonlySet<WatchedWork>
  readonly done: Map<string, { readonly facts: DoneFacts; readonly isSeen: boolean }>
}

/** Everything that was found out since the last change that may decide who sees a Work. */
type Found = {
  /** `visibilityVersion` of the state. */
  readonly version: number
  /** Whether the creator of a Work was uncertain, so that the next read of the store may change what was found. */
  isUnsettled: boolean
  readonly kinds: Map<Access, Map<string, Kind>>
  readonly visibleWork: VisibleWork[]
  /** The open Works that each person created or decided about. Undefined until somebody asks. */
  byPerson: ReadonlyMap<string, readonly { readonly watched: WatchedWork }[]> | undefined
  readonly ofPeople: WeakMap<Viewer, VisibleWork>
  everything: VisibleWork | undefined
}

export class VisibleWorkCache {
  readonly #sources: VisibleWorkSources
  #found = nothingFound(0)

  constructor(sources: VisibleWorkSources) {
    this.#sources = sources
    sources.people?.onRead((hasNews) => {
      if (hasNews || this.#found.isUnsettled) sources.state.change("visibility")
    })
  }

  /** The open Works that a person sees now. */
  of(audience: Audience): VisibleWork {
    const found = this.#present()
    if (audience === "everything") return (found.everything ??= this.#allOpen())
    const before = found.ofPeople.get(audience)
    if (before !== undefined) return before
    const visible = this.#visibleTo(audience)
    found.ofPeople.set(audience, visible)
    return visible
  }

  /** Whether a person sees a Work, open or done. A Work that the desk has not read is concealed from all but its creators, its deciders and overseers. */
  seesWork(audience: Audience, workId: string): boolean {
    if (audience === "everything") return true
    const { state, done } = this.#sources
    const open = state.works.get(workId)
    if (open !== undefined) return this.of(audience).sees(open)
    const facts = done?.factsOf(workId) ?? NOT_READ
    const isSeenBy = (viewer: Viewer) => whySees(viewer, this.#facts(workId, facts)) !== undefined
    const { creators, deciders } = this.#peopleOf(workId)
    if (creators.has(audience.id) || deciders.has(audience.id)) return isSeenBy(audience)
    const kind = this.#kindOf(audience)
    const before = kind.done.get(workId)
    if (before?.facts === facts) return before.isSeen
    const isSeen = isSeenBy({ ...audience, id: "" })
    kind.done.set(workId, { facts, isSeen })
    return isSeen
  }

  /** Reads who created and decided these Works, for `seesWork`. While the store is away, nobody sees an unread Work. */
  async readPeople(workIds: Iterable<string>): Promise<void> {
    await this.#sources.people?.refresh(workIds).catch(() => undefined)
  }

  /** Whether the desk has read the Work when it was done. */
  isDone(workId: string): boolean {
    const { state, done } = this.#sources
    return !state.works.has(workId) && done?.factsOf(workId) !== undefined
  }

  /** Whether the desk knows that there is or was a Work with this id. */
  hasHeardOf(workId: string): boolean {
    const { state, done } = this.#sources
    const { creators, deciders } = this.#peopleOf(workId)
    const isKnown = state.works.has(workId) || done?.factsOf(workId) !== undefined
    return isKnown || creators.size + deciders.size > 0
  }

  /** Why a person sees a Work that was just read with these approvals. `seenAt` is when the Work was read. */
  why(
    viewer: Viewer,
    work: Pick<ListedWork, "id" | "scope" | "colleague" | "createdAt">,
    pending: readonly AskedApproval[],
    seenAt: number,
  ): VisibilityReason | undefined {
    return whySees(viewer, this.#facts(work.id, work, pending, seenAt))
  }

  /** How many listed open Works the access file shows only to overseers, whatever their approvals and decisions. Undefined: not everything was read. */
  countForOverseersOnly(access: Access): number | undefined {
    const { state, people } = this.#sources
    const works = [...state.works.values()]
    const isUnread = ({ work }: WatchedWork) => people !== undefined && people.of(work.id) === undefined
    if (state.knownWhole().level !== "whole" || works.some(isUnread)) return undefined
    return works.filter((watched) => isForOverseersOnly(access, this.factsOf(watched))).length
  }

  /** What was found since the last change. */
  #present(): Found {
    const { visibilityVersion } = this.#sources.state
    if (this.#found.version !== visibilityVersion) this.#found = nothingFound(visibilityVersion)
    return this.#found
  }

  #allOpen(): VisibleWork {
    return { works: [...this.#sources.state.works.values()], sees: () => true, seesUnwatched: true }
  }

  #visibleTo(viewer: Viewer): VisibleWork {
    const { open } = this.#kindOf(viewer)
    this.#found.byPerson ??= this.#groupByPerson()
    const own = (this.#found.byPerson.get(viewer.id) ?? []).map(({ watched }) => watched)
    const more = own.filter((watched) => !open.has(watched) && whySees(viewer, this.factsOf(watched)) !== undefined)
    const seen = more.length === 0 ? open : new Set([...open, ...more])
    const seesUnwatched = viewer.hasRole && viewer.isOverseer
    const { visibleWork } = this.#found
    const isSame = (other: VisibleWork) =>
      other.seesUnwatched === seesUnwatched &&
      other.works.length === seen.size &&
      other.works.every((watched) => seen.has(watched))
    const before = visibleWork.find(isSame)
    if (before !== undefined) return before
    const visible: VisibleWork = { works: [...seen], sees: (watched) => seen.has(watched), seesUnwatched }
    visibleWork.push(visible)
    return visible
  }

  /** The open Works that each person created or decided about. */
  #groupByPerson() {
    const parts = this.#sources.state.works.values().flatMap((watched) => {
      const { creators, deciders } = this.#peopleOf(watched.work.id)
      return [...new Set([...creators.keys(), ...deciders])].map((personId) => ({ personId, watched }))
    })
    return Map.groupBy(parts, ({ personId }) => personId)
  }

  #peopleOf(workId: string): PeopleOfWork {
    return this.#sources.people?.of(workId) ?? NOBODY
  }

  #kindOf(viewer: Viewer): Kind {
    const { kinds: all } = this.#present()
    const kinds = all.get(viewer.access) ?? new Map<string, Kind>()
    all.set(viewer.access, kinds)
    const before = kinds.get(viewer.kind)
    if (before !== undefined) return before
    // No person has an empty id, so only what is true for the whole kind counts.
    const anybody = { ...viewer, id: "" }
    const works = [...this.#sources.state.works.values()]
    const open = new Set(works.filter((watched) => whySees(anybody, this.factsOf(watched)) !== undefined))
    const kind: Kind = { open, done: new Map() }
    kinds.set(viewer.kind, kind)
    return kind
  }

  /** What decides who sees an open Work. */
  factsOf({ work, approvals, firstSeenAt, seenInList }: WatchedWork): WorkFacts {
    return seenInList ? this.#facts(work.id, work, approvals, firstSeenAt) : this.#facts(work.id, NOT_READ)
  }

  /** The facts of a Work that was created at `createdAt` and that the desk has known since `knownAt`. Left out: both are long ago. */
  #facts(
    id: string,
    { scope, colleague, createdAt = LONG_AGO }: DoneFacts & { readonly createdAt?: number },
    pending: readonly AskedApproval[] = [],
    knownAt = LONG_AGO,
  ): WorkFacts {
    const { people } = this.#sources
    const isUnsettled = people?.isUnsettled(id, createdAt, knownAt) ?? false
    if (isUnsettled) this.#found.isUnsettled = true
    const { creators, deciders } = this.#peopleOf(id)
    return { scope, colleague, creators, deciders, pending, isUnsettled }
  }
}

/** A Work whose scope the desk has not read counts as private. */
const NOT_READ = { scope: "", colleague: "" }

const LONG_AGO = Number.NEGATIVE_INFINITY

const nothingFound = (version: number): Found => ({
  version,
  isUnsettled: false,
  kinds: new Map(),
  visibleWork: [],
  byPerson: undefined,
  ofPeople: new WeakMap(),
  everything: undefined,
})

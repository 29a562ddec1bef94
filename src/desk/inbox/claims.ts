/**
 * START HERE for what several people do with the same items: who looks, to whom an item is given, and which items a person has set aside. Nothing
 * here is a lock (`docs/team.md`). `members` gives the present state to `GET /desk/waiting`, and `claim-requests.ts` changes the state.
 */
import type { AssignedPerson, Assignment, NamedPerson } from "../../contract/desk-people.ts"
import type { WaitingApproval } from "../../contract/desk-work.ts"
import { entryKey } from "../../contract/waiting-change.ts"
import type { Access } from "../people/access-file.ts"
import type { Directory, KnownPerson } from "../people/directory.ts"
import { needsCreator, rulesFor } from "../people/rules/rules.ts"
import { mayDecide, mayDecideSeen, viewerOf, type WorkFacts } from "../people/visibility.ts"
import { contentHashOf } from "../record/gate/recorded-content.ts"
import type { DeskRecord } from "../record/desk-record.ts"
import type { Database } from "../store/database.ts"
import { NOBODY } from "../record/creators-and-deciders.ts"
import type { ListedItem, ListedWork } from "../watcher/read-resources.ts"
import { type Audience, personOf } from "../watcher/visible-work.ts"
import type { Change } from "../watcher/watch-state.ts"
import { AbsenceList } from "./absence-list.ts"
import { PresenceBoard } from "./presence.ts"
import { type Aside, type StoredAssignment, ClaimStore } from "./claim-store.ts"
import { decideBy, findEscalations } from "./rule-times.ts"

/** A pending item, with what decides who sees it and who may decide it. */
export type ClaimableItem = {
  readonly work: ListedWork
  readonly item: ListedItem
  /** What decides who sees the Work. A function, because few entries need the facts. */
  readonly facts: () => WorkFacts
  /** `created_at` of the first version that this desk has read, in milliseconds since 1970. */
  readonly firstCreatedAt: number
}

export type ClaimsSources = {
  readonly mode: "local" | "sign-in"
  readonly database: Database
  readonly directory: Directory
  readonly record: Pick<DeskRecord, "held" | "freezes" | "recordAction">
  readonly access: () => Access
  /** Whether the watcher reads. While it rests, nothing is read from the store. */
  readonly isWatched: () => boolean
  /** Called when an answer to `GET /desk/waiting` may differ. */
  readonly changed: (change: Change) => void
}

/** An assignment that is older counts as none for notices. The inbox of the app has the same rule for its order (docs/team.md). */
const ASSIGNMENT_COUNTS_MS = 24 * 3_600_000
/** How often the desk looks for changes that no request makes. */
const NOTE_EVERY_MS = 1_000

export class Claims {
  /** `claim-requests.ts` and `absence-requests.ts` use them, too. */
  readonly sources: ClaimsSources
  readonly presence: PresenceBoard
  readonly store: ClaimStore
  readonly absences: AbsenceList
  /** The earliest return of the set-aside items that `members` has written since `#noteChanges` last reported a return. */
  #nextReturnAt = Number.POSITIVE_INFINITY
  readonly #stops: readonly (() => void)[]
  #people: ReadonlyMap<string, KnownPerson> = new Map()
  /** The access file when `#noteChanges` last ran. */
  #access: Access
  readonly #neededKinds = new WeakMap<Access, WeakMap<ListedItem, Map<string, boolean>>>()
  /** Who was away when `#noteChanges` last ran. */
  #absent = ""

  constructor(sources: ClaimsSources) {
    const { database } = sources
    this.sources = sources
    this.#access = sources.access()
    this.presence = new PresenceBoard(database, () => sources.changed("presence"))
    const noteAction = () => sources.changed("action")
    this.store = new ClaimStore(database)
    this.absences = new AbsenceList(database)
    const { held, freezes } = sources.record
    const unsubscribes = [this.store, this.absences, held, freezes].map((copy) => copy.onChange(noteAction))
    const timer = setInterval(() => this.#noteChanges(), NOTE_EVERY_MS).unref()
    this.#stops = [
      () => clearInterval(timer),
      ...unsubscribes,
      ...[this.store, this.absences, this.presence].map(({ stop }) => stop),
    ]
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  /** Reads the store for the first answer. While the store is away, answers have no assignments and no asides. */
  async load(): Promise<void> {
    await Promise.allSettled([this.store.load(), ...(this.isLocal ? [] : [this.absences.load(), this.#readPeople()])])
  }

  get isLocal(): boolean {
    return this.sources.mode === "local"
  }

  /** The people who signed in lately and may see and decide an item. Somebody who has just signed in is among them. */
  async peopleFor(found: ClaimableItem): Promise<readonly KnownPerson[]> {
    await this.#readPeople(0)
    return [...this.#people.values()].filter((person) => this.mayDecide(person, found))
  }

  async #readPeople(maxAgeMs?: number): Promise<void> {
    const people = await this.sources.directory.recent(maxAgeMs)
    if (people === this.#people) return
    this.#people = people
    // An assignment counts only while its person may decide the item.
    this.sources.changed("news")
  }

  /** The people who are not notified of an item: they have set the item aside, or the desk keeps their approve. */
  notFor(found: ClaimableItem): readonly string[] {
    const asides = this.store.asides(found.work.id, found.item.id).filter((aside) => this.isSetAside(aside, found))
    const approvesGiven = this.#approvesOf(found)?.given ?? []
    return [...asides.map(({ personId }) => personId), ...approvesGiven.map(({ person }) => person.id)]
  }

  /** To whom an item is given, for notices: an assignment of the last 24 hours, while at least one of the people who have the item can be notified. */
  assignedTo(found: ClaimableItem): StoredAssignment | undefined {
    const stored = this.assignmentOf(found)
    if (stored === undefined || Date.now() - stored.at >= ASSIGNMENT_COUNTS_MS) return undefined
    const { to } = stored
    if ("person" in to) return this.#isReachable(to.person, found) ? stored : undefined
    const access = this.sources.access()
    const isReachableMember = (person: KnownPerson) =>
      viewerOf(person, access).teams.includes(to.team) &&
      this.#isReachable(person.id, found) &&
      this.mayDecide(person, found)
    return this.#people.values().some(isReachableMember) ? stored : undefined
  }

  /** Whether a person is here, or somebody stands in for them who may decide the item. */
  #isReachable(personId: string, found: ClaimableItem): boolean {
    return this.absences.of(personId) === undefined || this.standInOf(personId, found) !== undefined
  }

  /** For each person, by id: the items (`entryKey`) that the person looks at or has set aside. For these, `members` differs from everybody else's. */
  ownItems(): ReadonlyMap<string, ReadonlySet<string>> {
    const own = new Map<string, Set<string>>()
    for (const { personId, workId, itemId } of [...this.presence.all(), ...this.store.allAsides()]) {
      own.set(personId, (own.get(personId) ?? new Set()).add(entryKey(workId, itemId)))
    }
    return own
  }

  /** Whether a person may answer or approve an item now, has not approved it yet, and has not set it aside (docs/team.md, "Who an item needs"). */
  isNeeded(audience: Audience, found: ClaimableItem): boolean {
    // An item that is too large to read here is never approved or answered here.
    if (found.item.isTooLarge) return false
    const personId = personOf(audience)
    const aside = this.store.aside(personId, found.work.id, found.item.id)
    if (aside !== undefined && this.isSetAside(aside, found)) return false
    if (audience === "everything") return true
    const approves = this.#approvesOf(found)
    const hasApproved = approves?.given.some(({ person }) => person.id === personId) === true
    // When the rules change, for example, `given` may reach `needed` although nothing was sent. Then the next approve is sent, also from a person
    // who has approved before, so these people are needed again.
    if (hasApproved && approves.given.length < approves.needed) return false
    return mayDecideSeen(audience, found.facts(), found.item)
  }

  /**
   * The same as `isNeeded`, for everybody of the person's kind (`Viewer.kind`: the same roles, teams and rules that exclude them) who has no part in the
   * item: neither among `ownItems` nor among `exceptionsToKind`. The answer is kept with the item.
   */
  isKindNeeded(audience: Audience, item: ListedItem): boolean {
    if (item.isTooLarge) return false
    if (audience === "everything") return true
    if (item.kind === "clarification") return audience.isAnswerer
    const ofFile = this.#neededKinds.get(audience.access) ?? new WeakMap<ListedItem, Map<string, boolean>>()
    this.#neededKinds.set(audience.access, ofFile)
    const kinds = ofFile.get(item) ?? new Map<string, boolean>()
    ofFile.set(item, kinds)
    // No person has an empty id, so only what is true for the whole kind counts.
    const isNeeded = kinds.get(audience.kind) ?? mayDecideSeen({ ...audience, id: "" }, NOBODY, item)
    kinds.set(audience.kind, isNeeded)
    return isNeeded
  }

  /** The people for whom `isNeeded` may differ from `isKindNeeded`, beside `ownItems`: who has approved the item, and creators barred by a rule. */
  exceptionsToKind(found: ClaimableItem): readonly string[] {
    const { item } = found
    if (item.kind !== "approval" || this.isLocal) return []
    const approved = this.#approvesOf(found)?.given.map(({ person }) => person.id) ?? []
    const barred = needsCreator(rulesFor(this.sources.access(), item)) ? found.facts().creators.keys() : []
    return [...approved, ...barred]
  }

  /** JSON members that the desk adds to an entry of `GET /desk/waiting`. Without a person: for everybody without the item among their `ownItems`. */
  members(personId: string | undefined, found: ClaimableItem): string {
    const { work, item } = found
    const people = this.presence.of(work.id, item.id).filter(({ id: other }) => other !== personId)
    const assignment = this.assignmentOf(found)
    const aside = personId === undefined ? undefined : this.store.aside(personId, work.id, item.id)
    const returnAt = aside && this.#returnOf(aside, found)
    // No request comes when the time of an aside is over, so `#noteChanges` looks for the earliest return.
    this.#nextReturnAt = Math.min(this.#nextReturnAt, returnAt ?? Number.POSITIVE_INFINITY)
    const by = decideBy(this.sources.access(), found)
    const json = JSON.stringify({
      people: people.length === 0 ? undefined : people,
      assignment: assignment && this.toWire(assignment, found),
      ...(aside && (returnAt === undefined ? { back: true } : { aside: { until: new Date(aside.until) } })),
      decide_by: by === undefined ? undefined : new Date(by),
      approvals: this.#approvesOf(found),
    })
    return json === "{}" ? "" : `,${json.slice(1, -1)}`
  }

  /** What the desk adds to the whole answer of `GET /desk/waiting`, written as `members` does. */
  membersOfAnswer(): string {
    const { now } = this.sources.record.freezes
    return now.length === 0 ? "" : `,"freezes":${JSON.stringify(now)}`
  }

  /** How many approves the item needs, and who has given one. Undefined when one suffices. */
  #approvesOf({ work, item }: ClaimableItem): WaitingApproval["approvals"] {
    if (item.kind !== "approval" || this.isLocal) return undefined
    const { id: approvalId, json } = item
    const contentHash = () => contentHashOf(json)
    return this.sources.record.held.of({
      workId: work.id,
      approvalId,
      version: String(item.version),
      contentHash,
      asked: item,
    })
  }

  /** The stored assignment of an item, if it is valid (`validAssignment`). */
  assignmentOf(found: ClaimableItem): StoredAssignment | undefined {
    return this.validAssignment(this.store.assignment(found.work.id, found.item.id), found)
  }

  /** Returns the assignment if it names a team, or a person who may still decide the item, even on a long absence without a recent sign-in. */
  validAssignment(stored: StoredAssignment | undefined, found: ClaimableItem): StoredAssignment | undefined {
    if (stored === undefined || this.isLocal) return undefined
    if ("team" in stored.to) return stored
    const { person: id } = stored.to
    const person = this.#people.get(id) ?? (this.absences.of(id) && this.sources.directory.find(id))
    return person !== undefined && this.mayDecide(person, found) ? stored : undefined
  }

  /** Whether a person may see and decide an item. */
  mayDecide(person: Pick<KnownPerson, "id" | "identity">, { item, facts }: ClaimableItem): boolean {
    return mayDecide(viewerOf(person, this.sources.access()), facts(), item)
  }

  /** Whether an item is still set aside: not past its time, in the same version, and not escalated since. A hand-over ends the time. */
  isSetAside(aside: Aside, found: ClaimableItem): boolean {
    return this.#returnOf(aside, found) !== undefined
  }

  /** When an item that is set aside will be back: at its time, or when a rule escalates the item. Undefined: the item is back. */
  #returnOf({ version, until, setAt }: Aside, found: ClaimableItem): number | undefined {
    const now = Date.now()
    if (now >= until || String(found.item.version) !== version) return undefined
    const escalatedAt = findEscalations(this.sources.access(), found.item).map(({ at }) => at)
    if (escalatedAt.some((time) => time > setAt && time <= now)) return undefined
    return Math.min(until, ...escalatedAt.filter((time) => time > now))
  }

  /** Who stands in for an absent person, if the stand-in is here and may decide the item. Without an item, it may be any. */
  standInOf(absentId: string, found?: ClaimableItem): KnownPerson | undefined {
    const standIn = this.#people.get(this.absences.of(absentId)?.standIn ?? "")
    if (standIn === undefined || this.absences.of(standIn.id) !== undefined) return undefined
    return found === undefined || this.mayDecide(standIn, found) ? standIn : undefined
  }

  #named(id: string): NamedPerson {
    return { id, name: this.sources.directory.nameOf(id) }
  }

  /** A person to whom an item is or may be given, or (without an item) who may stand in, as the wire has them. */
  assigned(id: string, found?: ClaimableItem): AssignedPerson {
    const away = this.absences.of(id)
    if (away === undefined) return this.#named(id)
    const standIn = this.standInOf(id, found)
    const stand_in = standIn === undefined ? null : this.#named(standIn.id)
    return { ...this.#named(id), away: { until: new Date(away.until).toISOString(), stand_in } }
  }

  /** An assignment as the wire has it, with the names that people have now. */
  toWire({ to, by, at, note: text, etag }: StoredAssignment, found: ClaimableItem): Assignment {
    return {
      to: "person" in to ? { person: this.assigned(to.person, found) } : to,
      by: this.#named(by),
      at: new Date(at).toISOString(),
      ...(text === undefined ? {} : { note: text }),
      etag: `"${etag}"`,
    }
  }

  /** Notes what changes without a request: a tab that has left, an item that is back, another access file. */
  #noteChanges(): void {
    this.presence.forgetExpired()
    if (!this.sources.isWatched()) return
    if (!this.isLocal) this.#readPeople().catch(() => undefined)
    const access = this.sources.access()
    const isBack = Date.now() >= this.#nextReturnAt
    if (isBack) this.#nextReturnAt = Number.POSITIVE_INFINITY
    const absent = this.absences.absentIds().join(" ")
    if (isBack || access !== this.#access || absent !== this.#absent) this.sources.changed("news")
    this.#access = access
    this.#absent = absent
  }
}

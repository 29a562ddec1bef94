/**
 * START HERE for what several people do with the same items: who looks, to whom an item is given, and what a person has set aside. Nothing here is a
 * lock (`docs/team.md`). The proxy calls the four requests, and `members` adds what is known to an entry of
 * `GET /desk/waiting`.
 */
import * as v from "valibot"
import type {
  Aside as AsideAnswer,
  Assignees,
  AssignmentAnswer,
  Assignment,
  WaitingApproval,
} from "../../contract/desk.ts"
import type { Refusal } from "../../contract/refusal.ts"
import type { Access } from "../../people/access.ts"
import type { Directory, KnownPerson } from "../../people/directory.ts"
import { type ItemInQuestion, mayDecide } from "../../people/may-decide.ts"
import type { Session } from "../../people/people.ts"
import { rulesFor } from "../../people/rules/rules.ts"
import { viewerOf, type WorkFacts } from "../../people/visibility.ts"
import type { Deed, DeskRecord } from "../../record/desk-record.ts"
import { contentHashOf } from "../../record/content.ts"
import type { Database } from "../../store/database.ts"
import type { ListedItem, ListedWork } from "../resources.ts"
import { type Aside, Asides, isAway, type ItemNow } from "./asides.ts"
import {
  ASSIGNMENT_COUNTS_MS,
  Assignments,
  type NewAssignment,
  readAssignment,
  type StoredAssignment,
  writeAssignment,
} from "./assignments.ts"
import { decideBy, remindAt, type TimedApproval } from "./decide-by.ts"
import { PresenceBoard } from "./presence.ts"
import {
  asideRefused,
  assignmentStale,
  assigneeRefused,
  bodyInvalid,
  itemUnknown,
  mayNotDecide,
  notInLocalMode,
  preconditionMissing,
  versionNotPresent,
} from "./team-refusals.ts"
import { queryInvalid } from "../../contract/refusals.ts"
import { orRefusal } from "../../people/or-refusal.ts"

/** An item that waits, with what decides who sees it and who may decide it. */
export type TeamItem = {
  readonly work: ListedWork
  readonly item: ListedItem
  /** What decides who sees the Work. A function, because only a few entries need it. */
  readonly facts: () => WorkFacts
  /** `created_at` of the first version that this desk has read, in milliseconds since 1970. */
  readonly firstCreatedAt: number
}

export type TeamSources = {
  readonly mode: "local" | "sign-in"
  readonly database: Database
  readonly directory: Directory
  readonly record: Pick<DeskRecord, "storeDeed" | "held">
  readonly access: () => Access
  /** Finds an item that waits and that the person sees. Undefined for every other item. */
  readonly find: (session: Session, workId: string, itemId: string) => Promise<TeamItem | undefined>
  /** Whether somebody has asked within the last minute. Without, nothing is read from the store. */
  readonly isWatched: () => boolean
  /** Called when an answer to `GET /desk/waiting` may differ. `isDeed`: by what a person did, so the very next answer has it. */
  readonly changed: (isDeed: boolean) => void
}

const TICK_MS = 1_000
const WEEK_MS = 7 * 86_400_000
const URGENT_MS = 4 * 3_600_000
const NOTE_MAX = 280

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(1_000))
const presenceReport = v.strictObject({
  work: id,
  item: id,
  tab: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
  doing: v.picklist(["reading", "writing", "left"]),
})
const note = v.pipe(
  v.string(),
  v.check((text) => Array.from(text).length <= NOTE_MAX),
)
const assignmentChange = v.strictObject({
  work: id,
  item: id,
  to: v.nullable(v.union([v.strictObject({ person: id }), v.strictObject({ team: id })])),
  note: v.optional(note),
})
/** A moment of ISO 8601 with its offset. The seconds may be left out. */
const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/
const asideChange = v.strictObject({
  work: id,
  item: id,
  version: v.pipe(v.string(), v.regex(/^\d{1,19}$/)),
  until: v.nullable(v.pipe(v.string(), v.regex(ISO_INSTANT))),
})

export class Team {
  readonly #sources: TeamSources
  readonly #presence: PresenceBoard
  readonly #assignments: Assignments
  readonly #asides: Asides
  readonly #stops: readonly (() => void)[]
  #people: ReadonlyMap<string, KnownPerson> = new Map()
  /** The access file's content at the last tick. */
  #access: Access
  /** Each number grows with a change of what `members` gives. */
  readonly changes = { item: 0, presence: 0 }

  constructor(sources: TeamSources) {
    const { database } = sources
    this.#sources = sources
    this.#access = sources.access()
    this.#presence = new PresenceBoard(database, () => this.#change("presence"))
    const deed = () => this.#change("item", true)
    this.#assignments = new Assignments(database, deed)
    this.#asides = new Asides(database, deed)
    // At the end the store may be closed, and while it is away what was read before stays.
    const readAgain = () => void Promise.allSettled([this.#assignments.refresh(), this.#asides.refresh()])
    const unsubscribe = database.subscribe("team", readAgain)
    const forget = sources.record.held.onChange(deed)
    const timer = setInterval(() => this.#tick(), TICK_MS).unref()
    this.#stops = [() => clearInterval(timer), unsubscribe, forget, () => this.#presence.stop()]
  }

  #change(what: "item" | "presence", isDeed = false): void {
    this.changes[what]++
    this.#sources.changed(isDeed)
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  /** How many tabs show an item, for the metrics. */
  get looking(): number {
    return this.#presence.count
  }

  /** Reads the store for the first answer. While the store is away, answers are without what it knows. */
  async load(): Promise<void> {
    const loaded = [this.#asides.load(), ...(this.#isLocal ? [] : [this.#assignments.load(), this.#readPeople()])]
    await Promise.allSettled(loaded)
  }

  get #isLocal(): boolean {
    return this.#sources.mode === "local"
  }

  async #readPeople(maxAgeMs?: number): Promise<void> {
    const people = await this.#sources.directory.recent(maxAgeMs)
    if (people === this.#people) return
    this.#people = people
    // An assignment counts while its person may decide the item.
    this.#change("item")
  }

  /** `POST /desk/presence`. Undefined: done. An item that came back and is opened is not marked any more. */
  async report(session: Session, body: Buffer): Promise<Refusal | undefined> {
    const report = parse(presenceReport, body)
    if (report === undefined) return bodyInvalid("{work, item, tab, doing}, where doing is reading, writing or left")
    const { work: workId, item: itemId, tab, doing } = report
    const { id: personId, name } = session.person
    const shown = { personId, name, workId, itemId, tab, doing }
    if (doing === "left") {
      this.#presence.report(shown)
      return undefined
    }
    const found = await this.#sources.find(session, workId, itemId)
    if (found === undefined) return itemUnknown
    if (!this.#isLocal) this.#presence.report(shown)
    const aside = this.#asides.get(personId, workId, itemId)
    if (aside === undefined || isAway(aside, this.#itemNow(personId, found), Date.now())) return undefined
    return orRefusal(async () => this.#asides.remove(personId, workId, itemId).then(() => undefined))
  }

  /** `GET /desk/people?work=&item=`: to whom an item may be handed. */
  async assignees(session: Session, query: string): Promise<Assignees | Refusal> {
    const parameters = new URLSearchParams(query)
    const [workId, itemId] = [parameters.get("work") ?? "", parameters.get("item") ?? ""]
    if (workId === "" || itemId === "") return queryInvalid("work and item must both be given.")
    const found = await this.#sources.find(session, workId, itemId)
    if (found === undefined) return itemUnknown
    if (this.#isLocal) return { people: [], teams: [] }
    return orRefusal(async () => {
      // Somebody who has just signed in can be chosen.
      await this.#readPeople(0)
      const able = [...this.#people.values()].filter((person) => this.#mayDecide(person, found))
      const people = able.map(({ id: personId, name }) => ({ id: personId, name }))
      people.sort((one, other) => one.name.localeCompare(other.name))
      const access = this.#sources.access()
      const names = new Set(able.flatMap((person) => viewerOf(person, access).teams))
      const teams = (access.visibility?.teams ?? []).map(({ name }) => name).filter((name) => names.has(name))
      return { people, teams }
    })
  }

  /** `PUT /desk/assignment`. `ifMatch` is the header as it was sent. */
  async assign(
    session: Session,
    body: Buffer,
    ifMatch: string | undefined,
    requestId: string,
  ): Promise<AssignmentAnswer | Refusal> {
    const change = parse(assignmentChange, body)
    if (change === undefined) {
      return bodyInvalid(
        `{work, item, to, note}: to is {person}, {team} or null, and note has at most ${NOTE_MAX} characters`,
      )
    }
    if (this.#isLocal) return notInLocalMode
    const { work: workId, item: itemId, to, note: text } = change
    const found = await this.#sources.find(session, workId, itemId)
    if (found === undefined) return itemUnknown
    if (ifMatch === undefined) return preconditionMissing
    if (!this.#mayDecide({ id: session.person.id, identity: session.identity }, found)) return mayNotDecide
    const { database, record } = this.#sources
    return orRefusal(async () => {
      // Somebody who has just signed in can be chosen.
      await this.#readPeople(0)
      if (to !== null && !this.#canBeChosen(to, found)) return assigneeRefused
      const next: NewAssignment = { to, by: session.person.id, note: text === "" ? undefined : text }
      const deed = { operation: operationOf(to, session), workId, itemId, version: found.item.version, requestId }
      let isStale = false
      await record.storeDeed(session, deed, async (statements, sequence) => {
        const present = this.#present(await readAssignment(statements, workId, itemId), found)
        if (isSame(present, next)) return false
        isStale = bareEtag(ifMatch) !== (present?.etag ?? NO_ASSIGNMENT)
        if (!isStale) await writeAssignment(statements, workId, itemId, next, String(sequence))
        return !isStale
      })
      if (isStale) return assignmentStale
      await this.#assignments.refresh()
      database.publish("team", "").catch(() => undefined)
      const stored = this.#present(this.#assignments.get(workId, itemId), found)
      return { assignment: stored === undefined ? null : toWire(stored) }
    })
  }

  /** `PUT /desk/aside`. */
  async setAside(session: Session, body: Buffer): Promise<{ readonly aside: AsideAnswer | null } | Refusal> {
    const change = parse(asideChange, body)
    if (change === undefined)
      return bodyInvalid("{work, item, version, until}, where until is an ISO 8601 time or null")
    const { work: workId, item: itemId, version, until: text } = change
    const found = await this.#sources.find(session, workId, itemId)
    if (found === undefined) return itemUnknown
    if (BigInt(version) !== found.item.version) return versionNotPresent
    const personId = session.person.id
    return orRefusal(async () => {
      await this.#asides.load()
      if (text === null) {
        await this.#asides.remove(personId, workId, itemId)
        return { aside: null }
      }
      const now = Date.now()
      const until = Date.parse(text)
      const refusal = this.#refuseTime(until, now, found)
      if (refusal !== undefined) return refusal
      await this.#asides.set({ personId, workId, itemId, version: String(found.item.version), until, setAt: now })
      return { aside: { until: new Date(until).toISOString() } }
    })
  }

  #refuseTime(until: number, now: number, found: TeamItem): Refusal | undefined {
    if (Number.isNaN(until) || until <= now) return asideRefused("The time is past.")
    const { priority } = found.work
    const longest = priority === "urgent" ? URGENT_MS : WEEK_MS
    if (until - now > longest) {
      return asideRefused(priority === "urgent" ? "Urgent Work: at most 4 hours ahead." : "At most 7 days ahead.")
    }
    const by = this.decideBy(found)
    if (by !== undefined && by <= now) return asideRefused("The item should have been decided already.")
    if (by !== undefined && until > by) return asideRefused("The item is to be decided before that time.")
    return undefined
  }

  /** By when the rules want an item to be decided, in milliseconds since 1970. */
  decideBy(found: TeamItem): number | undefined {
    const approval = timed(found)
    return approval === undefined ? undefined : decideBy(this.#sources.access(), approval)
  }

  /** Whether a person has set an item aside and it has not come back. */
  isAside(personId: string, found: TeamItem): boolean {
    const aside = this.#asides.get(personId, found.work.id, found.item.id)
    return aside !== undefined && isAway(aside, this.#itemNow(personId, found), Date.now())
  }

  /** The people who are not told of an item: they have set it aside, or the desk keeps their approval of it. */
  notFor(found: TeamItem): readonly string[] {
    const aside = this.#asides.peopleOf(found.work.id, found.item.id).filter((person) => this.isAside(person, found))
    return [...aside, ...(this.#approvalsOf(found)?.given ?? []).map(({ person }) => person.id)]
  }

  /** When the rules want people to be reminded of an item, in milliseconds since 1970. */
  remindAt(found: TeamItem): number | undefined {
    const access = this.#sources.access()
    const hasReminder = access.rules.some(({ remindBefore }) => remindBefore !== undefined)
    const approval = hasReminder ? timed(found) : undefined
    return approval === undefined ? undefined : remindAt(access, approval)
  }

  /** To whom an item is given, for notices: an assignment of the last 24 hours. */
  assignedTo(found: TeamItem): StoredAssignment | undefined {
    const stored = this.#present(this.#assignments.get(found.work.id, found.item.id), found)
    return stored !== undefined && Date.now() - stored.at < ASSIGNMENT_COUNTS_MS ? stored : undefined
  }

  /** The same for people whose entries have the same members: empty for a person who looks at nothing and has set nothing aside. */
  keyOf(personId: string): string {
    return this.#asides.has(personId) || this.#presence.has(personId) ? personId : ""
  }

  /** What the desk adds to an entry of `GET /desk/waiting` for the people of a key: JSON members that each begin with a comma. */
  members(key: string, found: TeamItem): string {
    const { work, item } = found
    const people = this.#isLocal ? [] : this.#presence.of(work.id, item.id).filter(({ id: other }) => other !== key)
    const assignment = this.#isLocal ? undefined : this.#present(this.#assignments.get(work.id, item.id), found)
    const by = this.decideBy(found)
    return (
      (people.length === 0 ? "" : `,"people":${JSON.stringify(people)}`) +
      (assignment === undefined ? "" : `,"assignment":${JSON.stringify(toWire(assignment))}`) +
      this.#asideMembers(this.#asides.get(key, work.id, item.id), key, found) +
      (by === undefined ? "" : `,"decide_by":"${new Date(by).toISOString()}"`) +
      this.#approvalsMember(found)
    )
  }

  #approvalsMember(found: TeamItem): string {
    const approvals = this.#approvalsOf(found)
    return approvals === undefined ? "" : `,"approvals":${JSON.stringify(approvals)}`
  }

  /** How many approvals the item needs, and who has given one. Undefined when one suffices. */
  #approvalsOf({ work, item }: TeamItem): WaitingApproval["approvals"] {
    if (item.kind !== "approval" || this.#isLocal) return undefined
    const { id: approvalId, destination, colleague, json } = item
    const version = String(item.version)
    const contentHash = () => contentHashOf(json)
    return this.#sources.record.held.of({
      workId: work.id,
      approvalId,
      version,
      contentHash,
      destination,
      colleague,
    })
  }

  #asideMembers(aside: Aside | undefined, personId: string, found: TeamItem): string {
    if (aside === undefined) return ""
    if (!isAway(aside, this.#itemNow(personId, found), Date.now())) return `,"back":true`
    return `,"aside":${JSON.stringify({ until: new Date(aside.until).toISOString() })}`
  }

  /** An assignment that counts: its person, if it has one, may still decide the item. */
  #present(stored: StoredAssignment | undefined, found: TeamItem): StoredAssignment | undefined {
    if (stored === undefined || "team" in stored.to) return stored
    const person = this.#people.get(stored.to.person.id)
    return person !== undefined && this.#mayDecide(person, found) ? stored : undefined
  }

  #mayDecide(person: Pick<KnownPerson, "id" | "identity">, { item, facts }: TeamItem): boolean {
    return mayDecide(viewerOf(person, this.#sources.access()), facts(), inQuestion(item))
  }

  #canBeChosen(to: NonNullable<NewAssignment["to"]>, found: TeamItem): boolean {
    const able = [...this.#people.values()].filter((person) => this.#mayDecide(person, found))
    if ("person" in to) return able.some((person) => person.id === to.person)
    return able.some((person) => viewerOf(person, this.#sources.access()).teams.includes(to.team))
  }

  #itemNow(personId: string, found: TeamItem): ItemNow {
    const given = this.#present(this.#assignments.get(found.work.id, found.item.id), found)
    const isMine = given !== undefined && "person" in given.to && given.to.person.id === personId
    return {
      version: String(found.item.version),
      handedAt: isMine ? given.at : undefined,
      escalatedAt: escalatedAt(this.#sources.access(), found),
    }
  }

  /** Looks at what time alone changes: a tab that has left, an item that is back, other rules. */
  #tick(): void {
    this.#presence.forgetExpired()
    if (!this.#sources.isWatched()) return
    if (!this.#isLocal) void this.#readPeople().catch(() => undefined)
    const access = this.#sources.access()
    if (!this.#asides.isEmpty || access !== this.#access) this.#change("item")
    this.#access = access
  }
}

const NO_ASSIGNMENT = "none"

/** The ETag without its quotes: `"12"`, and `12` as a client copied it. */
const bareEtag = (header: string) => header.trim().replaceAll('"', "")

function isSame(present: StoredAssignment | undefined, next: NewAssignment): boolean {
  if (present === undefined || next.to === null) return present === undefined && next.to === null
  const isSameReceiver =
    "person" in next.to
      ? "person" in present.to && present.to.person.id === next.to.person
      : "team" in present.to && present.to.team === next.to.team
  return isSameReceiver && present.note === next.note
}

function operationOf(to: NewAssignment["to"], { person }: Session): Deed["operation"] {
  if (to === null) return "giveBackItem"
  return "person" in to && to.person === person.id ? "takeItem" : "handItem"
}

function toWire({ to, by, at, note: text, etag }: StoredAssignment): Assignment {
  return {
    to,
    by,
    at: new Date(at).toISOString(),
    ...(text === undefined ? {} : { note: text }),
    etag: `"${etag}"`,
  }
}

const inQuestion = (item: ListedItem): ItemInQuestion =>
  item.kind === "attention"
    ? { kind: "attention" }
    : { kind: "approval", destination: item.destination, colleague: item.colleague }

function timed({ item, firstCreatedAt }: TeamItem): TimedApproval | undefined {
  return item.kind === "approval"
    ? { colleague: item.colleague, destination: item.destination, firstCreatedAt }
    : undefined
}

/** When each rule that matches escalates an approval, in milliseconds since 1970. */
function escalatedAt(access: Access, { item }: TeamItem): readonly number[] {
  if (item.kind !== "approval") return []
  return rulesFor(access, item).flatMap(({ escalate }) =>
    escalate === undefined ? [] : item.createdAt + escalate.after,
  )
}

function parse<Schema extends v.GenericSchema>(schema: Schema, body: Buffer): v.InferOutput<Schema> | undefined {
  try {
    const found = v.safeParse(schema, JSON.parse(body.toString("utf8")))
    return found.success ? found.output : undefined
  } catch {
    return undefined
  }
}

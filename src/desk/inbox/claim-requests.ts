/** Answers the requests of a shared inbox (`docs/team.md`): who has an item open, to whom it may be handed, assigning it, and setting it aside. */
import { isDeepStrictEqual } from "node:util"
import * as v from "valibot"
import {
  type Aside as AsideAnswer,
  type Assignees,
  type AssignmentAnswer,
  longestAsideMs,
  NOTE_MAX_CHARACTERS,
} from "../../contract/desk-people.ts"
import { readQuery } from "../../platform/http/query-parameters.ts"
import { Refused } from "../../platform/http/send.ts"
import type { Session } from "../people/people-interface.ts"
import { needsChange } from "../../platform/http/tagged.ts"
import { viewerOf } from "../people/visibility.ts"
import { type Claims, type ClaimableItem } from "./claims.ts"
import {
  asideRefused,
  assignmentStale,
  assigneeRefused,
  mayNotDecide,
  notInLocalMode,
  preconditionMissing,
  versionNotPresent,
} from "./claim-refusals.ts"
import { id, instant, parse } from "./claim-body.ts"
import { decideBy } from "./rule-times.ts"
import { type NewAssignment, readAssignment, type StoredAssignment, writeAssignment } from "./claim-store.ts"

/** Finds a pending item that the person sees. @throws Refused, which does not reveal whether another item exists */
export type FindItem = (session: Session, workId: string, itemId: string) => Promise<ClaimableItem>

const itemParameters = v.object({ work: id, item: id })
const presenceReport = v.strictObject({
  work: id,
  item: id,
  tab: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
  doing: v.picklist(["reading", "writing", "left"]),
})
const note = v.pipe(
  v.string(),
  v.check((text) => Array.from(text).length <= NOTE_MAX_CHARACTERS),
)
const assignmentChange = v.strictObject({
  work: id,
  item: id,
  to: v.nullable(v.union([v.strictObject({ person: id }), v.strictObject({ team: id })])),
  note: v.optional(note),
})
const asideChange = v.strictObject({
  work: id,
  item: id,
  version: v.pipe(v.string(), v.regex(/^\d{1,19}$/)),
  until: v.nullable(instant),
})

const CHANGE_REFUSALS = { missing: preconditionMissing, stale: assignmentStale }

export class ClaimRequests {
  readonly #claims: Claims
  readonly #find: FindItem

  constructor(claims: Claims, find: FindItem) {
    this.#claims = claims
    this.#find = find
  }

  /** `POST /desk/presence`. It also removes the mark `back` of an item that was set aside, because the person has now opened the item. */
  async report(session: Session, body: Buffer): Promise<void> {
    const report = parse(presenceReport, body, "{work, item, tab, doing}, where doing is reading, writing or left")
    const { work: workId, item: itemId, tab, doing } = report
    const { id: personId, name } = session.person
    const shown = { personId, name, workId, itemId, tab, doing }
    if (doing === "left") return this.#claims.presence.report(shown)
    const found = await this.#find(session, workId, itemId)
    if (!this.#claims.isLocal) this.#claims.presence.report(shown)
    const aside = this.#claims.store.aside(personId, workId, itemId)
    if (aside === undefined || this.#claims.isSetAside(aside, found)) return
    await this.#claims.store.removeAside(personId, workId, itemId)
  }

  /** `GET /desk/people?work=&item=`: to whom an item may be handed. */
  async assignees(session: Session, query: string): Promise<Assignees> {
    const { work: workId, item: itemId } = readQuery(itemParameters, query)
    const found = await this.#find(session, workId, itemId)
    if (this.#claims.isLocal) return { people: [], teams: [] }
    const able = await this.#claims.peopleFor(found)
    const people = able.map(({ id: personId }) => this.#claims.assigned(personId, found))
    people.sort((one, other) => one.name.localeCompare(other.name))
    const access = this.#claims.sources.access()
    const names = new Set(able.flatMap((person) => viewerOf(person, access).teams))
    const teams = (access.visibility?.teams ?? []).map(({ name }) => name).filter((name) => names.has(name))
    return { people, teams }
  }

  /** `PUT /desk/assignment`. `ifMatch` is the header as it was sent. */
  async assign(
    session: Session,
    body: Buffer,
    ifMatch: string | undefined,
    requestId: string,
  ): Promise<AssignmentAnswer> {
    const expected = `{work, item, to, note}: to is {person}, {team} or null, and note has at most ${NOTE_MAX_CHARACTERS} characters`
    const change = parse(assignmentChange, body, expected)
    if (this.#claims.isLocal) throw new Refused(notInLocalMode)
    const { work: workId, item: itemId, to, note: text } = change
    const found = await this.#find(session, workId, itemId)
    const { person, identity } = session
    if (!this.#claims.mayDecide({ id: person.id, identity }, found)) throw new Refused(mayNotDecide)
    const canBeChosen = to === null || (await this.#canBeChosen(to, found))
    const next: NewAssignment = { to, by: person.id, note: text === "" ? undefined : text }
    const { version, title: summary } = found.item
    const about = { work_id: workId, item_id: itemId, version, summary, request_id: requestId }
    const action = { operation: operationOf(to, session), ...about }
    const { record, database } = this.#claims.sources
    await this.#claims.store.changeItem(workId, itemId, () =>
      record.recordAction(session, action, async (statements, sequence) => {
        const present = this.#claims.validAssignment(await readAssignment(statements, workId, itemId), found)
        const etag = `"${present?.etag ?? "none"}"`
        if (!needsChange(ifMatch, { etag, isApplied: isSame(present, next) }, CHANGE_REFUSALS)) return "unchanged"
        if (!canBeChosen) throw new Refused(assigneeRefused)
        await writeAssignment(statements, workId, itemId, next, String(sequence))
        return "stored"
      }),
    )
    const stored = this.#claims.validAssignment(await readAssignment(database, workId, itemId), found)
    return { assignment: stored === undefined ? null : this.#claims.toWire(stored, found) }
  }

  /** `PUT /desk/aside`. */
  async setAside(session: Session, body: Buffer): Promise<{ readonly aside: AsideAnswer | null }> {
    const expected = "{work, item, version, until}, where until is an ISO 8601 time or null"
    const change = parse(asideChange, body, expected)
    const { work: workId, item: itemId, version, until } = change
    const found = await this.#find(session, workId, itemId)
    if (BigInt(version) !== found.item.version) throw new Refused(versionNotPresent)
    const personId = session.person.id
    const { store } = this.#claims
    if (until === null) {
      await store.removeAside(personId, workId, itemId)
      return { aside: null }
    }
    const now = Date.now()
    const reason = this.#whyNotUntil(until, now, found)
    if (reason !== undefined) throw new Refused(asideRefused(reason))
    await store.setAside({ personId, workId, itemId, version: String(found.item.version), until, setAt: now })
    return { aside: { until: new Date(until).toISOString() } }
  }

  /** Why an item cannot be set aside until a time. Undefined: it can. */
  #whyNotUntil(until: number, now: number, found: ClaimableItem): string | undefined {
    if (until <= now) return "The time is in the past."
    const isUrgent = found.work.priority === "urgent"
    if (until - now > longestAsideMs(isUrgent))
      return isUrgent ? "For urgent Work, the limit is 4 hours." : "The limit is 7 days."
    const by = decideBy(this.#claims.sources.access(), found)
    if (by !== undefined && by <= now) return "Its deadline has passed."
    if (by !== undefined && until > by) return "Its deadline is earlier."
    return undefined
  }

  async #canBeChosen(to: NonNullable<NewAssignment["to"]>, found: ClaimableItem): Promise<boolean> {
    const able = await this.#claims.peopleFor(found)
    if ("person" in to) return able.some((person) => person.id === to.person)
    return able.some((person) => viewerOf(person, this.#claims.sources.access()).teams.includes(to.team))
  }
}

function isSame(present: StoredAssignment | undefined, { to, note: text }: NewAssignment): boolean {
  return isDeepStrictEqual(present?.to ?? null, to) && (to === null || present?.note === text)
}

function operationOf(to: NewAssignment["to"], { person }: Session): "takeItem" | "handItem" | "giveBackItem" {
  if (to === null) return "giveBackItem"
  return "person" in to && to.person === person.id ? "takeItem" : "handItem"
}

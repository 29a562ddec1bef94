/** Answers `GET` and `PUT /desk/away`, for oneself or (overseers, `?person=`) for somebody, and `GET /desk/people` without an item: who can stand in. */
import * as v from "valibot"
import { type Assignees, type Absence, ABSENCE_MAX_MS } from "../../contract/desk-people.ts"
import { readQuery } from "../../platform/http/query-parameters.ts"
import { Refused } from "../../platform/http/send.ts"
import { needsChange } from "../../platform/http/tagged.ts"
import { rolesOf } from "../people/access-file.ts"
import { overseersOnly } from "../people/people-refusals.ts"
import type { Session } from "../people/people-interface.ts"
import { viewerOfSession } from "../people/visibility.ts"
import { readAbsence, type StoredAbsence, writeAbsence } from "./absence-list.ts"
import type { Claims } from "./claims.ts"
import {
  absencePreconditionMissing,
  absenceRefused,
  absenceStale,
  notInLocalMode,
  personUnknown,
} from "./claim-refusals.ts"
import { id, instant, parse } from "./claim-body.ts"

/** What `/desk/away` answers, with its ETag. */
export type AbsenceAnswer = { readonly away: Absence | null; readonly etag: string }

const parameters = v.object({ person: v.optional(id) })
// Other members are ignored, so that a client can send back the answer to its GET.
const absenceChange = v.nullable(v.object({ from: instant, until: instant, stand_in: v.nullable(id) }))
const EXPECTED = "null, or {from, until, stand_in}: two ISO 8601 times, and the id of a person or null"

const CHANGE_REFUSALS = { missing: absencePreconditionMissing, stale: absenceStale }

export class AbsenceRequests {
  readonly #claims: Claims

  constructor(claims: Claims) {
    this.#claims = claims
  }

  /** `GET /desk/away`. @throws Refused */
  async read(session: Session, query: string): Promise<AbsenceAnswer> {
    const personId = await this.#personOf(session, query)
    return toAnswer(await readAbsence(this.#claims.sources.database, personId))
  }

  /** `PUT /desk/away`. `ifMatch` is the header as it was sent. @throws Refused */
  async change(
    session: Session,
    query: string,
    body: Buffer,
    ifMatch: string | undefined,
    requestId: string,
  ): Promise<AbsenceAnswer> {
    const personId = await this.#personOf(session, query)
    const change = parse(absenceChange, body, EXPECTED)
    const away = change === null ? undefined : { ...change, standIn: change.stand_in ?? undefined }
    if (away !== undefined) {
      const reason = await this.#whyNot(personId, away)
      if (reason !== undefined) throw new Refused(absenceRefused(reason))
    }
    const iso = (moment: number | undefined) => (moment === undefined ? null : new Date(moment).toISOString())
    const action = {
      operation: "setAway" as const,
      about: personId,
      stand_in: away?.standIn ?? null,
      from: iso(away?.from),
      until: iso(away?.until),
      request_id: requestId,
    }
    const { record, database } = this.#claims.sources
    await this.#claims.absences.change(() =>
      record.recordAction(session, action, async (statements, sequence) => {
        const before = await readAbsence(statements, personId)
        const { etag } = toAnswer(before)
        if (!needsChange(ifMatch, { etag, isApplied: isSameAbsence(before, away) }, CHANGE_REFUSALS)) return "unchanged"
        await writeAbsence(statements, personId, away, String(sequence))
        return "stored"
      }),
    )
    return toAnswer(await readAbsence(database, personId))
  }

  /** `GET /desk/people` without an item: everybody who has a role and signed in lately. */
  async possibleStandIns(): Promise<Assignees> {
    const { access, directory } = this.#claims.sources
    if (this.#claims.isLocal) return { people: [], teams: [] }
    const recent = await directory.recent(0)
    await this.#claims.load()
    const able = [...recent.values()].filter(({ identity }) => rolesOf(access(), identity).length > 0)
    const people = able.map(({ id: personId }) => this.#claims.assigned(personId))
    return { people: people.sort((one, other) => one.name.localeCompare(other.name)), teams: [] }
  }

  /** Whose absence a request is about. @throws Refused */
  async #personOf(session: Session, query: string): Promise<string> {
    const { person = session.person.id } = readQuery(parameters, query)
    if (this.#claims.isLocal) throw new Refused(notInLocalMode)
    if (person === session.person.id) return person
    const { access, directory } = this.#claims.sources
    if (!viewerOfSession(session, access()).isOverseer) throw new Refused(overseersOnly(access().contact))
    // Somebody who is away for long has not signed in lately.
    await directory.recent(0)
    if (directory.find(person) === undefined) throw new Refused(personUnknown)
    return person
  }

  /** Why an absence cannot be stored. Undefined: the absence is valid. */
  async #whyNot(personId: string, { from, until, standIn }: NewAbsence): Promise<string | undefined> {
    if (until <= Date.now()) return "The end is in the past."
    if (until <= from) return "The end must be after the start."
    if (until - from > ABSENCE_MAX_MS) return "An absence can last at most 90 days."
    if (standIn === undefined) return undefined
    if (standIn === personId) return "A person can't stand in for themselves."
    const person = (await this.#claims.sources.directory.recent(0)).get(standIn)
    const mayEnter = person !== undefined && rolesOf(this.#claims.sources.access(), person.identity).length > 0
    return mayEnter ? undefined : "The stand-in must have a role here."
  }
}

type NewAbsence = Pick<StoredAbsence, "from" | "until" | "standIn">

function isSameAbsence(before: StoredAbsence | undefined, away: NewAbsence | undefined): boolean {
  return before?.from === away?.from && before?.until === away?.until && before?.standIn === away?.standIn
}

function toAnswer(stored: StoredAbsence | undefined): AbsenceAnswer {
  if (stored === undefined) return { away: null, etag: `"none"` }
  const { from, until, standIn = null, etag } = stored
  const away = { from: new Date(from).toISOString(), until: new Date(until).toISOString(), stand_in: standIn }
  return { away, etag: `"${etag}"` }
}

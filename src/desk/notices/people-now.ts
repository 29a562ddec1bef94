/**
 * Reads who can be notified now, with their choice and their last use of the desk: people of the present identity provider who signed in, or came
 * back from an absence, within the last 30 days. People who are away are included, because somebody may stand in for them.
 */
import * as v from "valibot"
import type { NoticeChoice } from "../../contract/desk-people.ts"
import type { Log } from "../../platform/log.ts"
import type { Access } from "../people/access-file.ts"
import { isSameIssuer, PERSON_COLUMNS, personRow, RECENT_MS, toPerson } from "../people/directory.ts"
import { isPlainAddress } from "../people/plain-address.ts"
import { type Viewer, viewerOf } from "../people/visibility.ts"
import type { Reader } from "../store/database.ts"
import { optional, select } from "../store/tables.ts"
import { Turns } from "../../platform/turns.ts"
import { choiceMembers, toChoice } from "./choices.ts"
import { isStopped } from "./last-mail.ts"

/** A person who can be notified. */
export type Person = {
  readonly id: string
  /** Where mail goes. Undefined: no mail can go to the person now. */
  readonly address: string | undefined
  readonly choice: NoticeChoice
  /** When the person last used the desk: a sign-in, a touch or a mutation. */
  readonly usedAt: number
  readonly viewer: Viewer
  /** Items that are new since then are pushed to the person's devices. Undefined: nothing is pushed to the person now. */
  readonly pushFrom: number | undefined
  /** Set while the person is away, with who stands in: somebody who can be notified, and is not away, too. */
  readonly away: { readonly standIn: Person | undefined } | undefined
  /**
   * When the person's last absence ended; 0 without one, and while they are away. Everything from before is in one digest, at the time that the
   * person chose, even if it is urgent.
   */
  readonly backAt: number
  /** For whom the person stands in now. */
  readonly standsInFor: readonly Person[]
}

export type PeopleNow = {
  readonly people: ReadonlyMap<string, Person>
  /** When anybody last chose a mail again after `off`. From then on they count as not notified of any pending item. */
  readonly chosenAgainAt: number
}

/** The newest rows of the record that are searched for a person's last action. */
const RECENT_ROWS = 2_000

const PEOPLE = `SELECT ${PERSON_COLUMNS}, choice.*, away.until_at AS away_until, away.stand_in, last.at AS mailed_at, last.refusals,
    (SELECT MAX(touched_at) FROM session WHERE session.person_id = person.id) AS touched_at,
    (SELECT MAX(record.at) FROM record WHERE record.person_id = person.id
       AND record.sequence > (SELECT COALESCE(MAX(sequence), 0) FROM record) - ${RECENT_ROWS}) AS acted_at,
    (SELECT COUNT(*) FROM push_device WHERE push_device.person_id = person.id) AS devices
  FROM person LEFT JOIN notice_choice AS choice ON choice.person_id = person.id
    LEFT JOIN notice_delivery_state AS last ON last.person_id = person.id
    LEFT JOIN away ON away.person_id = person.id AND away.from_at <= ?
  WHERE (signed_in_at > ? OR away.until_at > ?)`

/** SQL: one person, their stand-in, and those for whom they stand in, because each absence changes who is notified. */
const WITH_STAND_IN = ` AND (person.id = ? OR away.stand_in = ? OR person.id = (SELECT stand_in FROM away WHERE person_id = ?))`

const count = optional(v.number())
const rowNow = v.object({
  ...personRow.entries,
  ...choiceMembers,
  awayUntil: optional(v.number()),
  standIn: optional(v.string()),
  mailedAt: count,
  refusals: count,
  touchedAt: count,
  actedAt: count,
  devices: v.number(),
})

export type PeopleSources = {
  readonly database: Reader
  readonly access: () => Access
  /** OIDC_ISSUER: who signed in at another provider is not notified. Undefined in local mode, where nobody signs in. */
  readonly issuer: string | undefined
  readonly log: Log
}

/** Reads everybody, or one person, as they are at the moment `now`. @throws StoreUnavailableError */
export type ReadPeople = (personId?: string, now?: number) => Promise<PeopleNow>

export function createReadPeople({ database, access, issuer, log }: PeopleSources): ReadPeople {
  /** Whose addresses the log has named. */
  const warned = new Set<string>()

  /** The address as a mail can carry it. */
  function addressOf(id: string, address: string | undefined): string | undefined {
    if (address === undefined || isPlainAddress(address)) return address
    const key = JSON.stringify([id, address])
    if (!warned.has(key)) log.warn({ person: id }, "a person's address can't be used for mail")
    warned.add(key)
    return undefined
  }

  return async (personId, now = Date.now()) => {
    const values = [now, now - RECENT_MS, now - RECENT_MS]
    const rows = await (personId === undefined
      ? select(database, rowNow, PEOPLE, ...values)
      : select(database, rowNow, PEOPLE + WITH_STAND_IN, ...values, personId, personId, personId))
    const people = new Map<string, Person & { away: Person["away"]; readonly standsInFor: Person[] }>()
    let lastChosenAgainAt = 0
    const rules = access()
    const turns = new Turns()
    for (const row of rows) {
      if (turns.isOver()) await turns.next()
      const { id, identity, signedInAt } = toPerson(row)
      if (issuer === undefined || !isSameIssuer(identity.issuer, issuer)) continue
      const { choice, chosenAgainAt, ...stored } = toChoice(row)
      lastChosenAgainAt = Math.max(lastChosenAgainAt, chosenAgainAt)
      const { mailedAt = 0, refusals = 0, touchedAt = 0, actedAt = 0 } = row
      const { awayUntil = 0 } = row
      const away = awayUntil > now ? { standIn: undefined } : undefined
      const backAt = away === undefined ? awayUntil : 0
      // Nobody signs in while they are away.
      const isRecent = Math.max(signedInAt, backAt) > now - RECENT_MS
      const hasMail = isRecent && !isStopped(refusals, mailedAt, signedInAt)
      const address = hasMail ? addressOf(id, identity.email) : undefined
      const usedAt = Math.max(signedInAt, touchedAt, actedAt)
      const pushFrom = isRecent && choice.push === true && row.devices > 0 ? stored.pushFrom : undefined
      const viewer = viewerOf({ id, identity }, rules)
      people.set(id, { id, address, choice, usedAt, viewer, pushFrom, away, backAt, standsInFor: [] })
    }
    for (const { id, standIn: standInId = "" } of rows) {
      const [person, standIn] = [people.get(id), people.get(standInId)]
      if (person?.away === undefined || standIn === undefined || standIn.away !== undefined) continue
      person.away = { standIn }
      standIn.standsInFor.push(person)
    }
    return { people, chosenAgainAt: lastChosenAgainAt }
  }
}

/**
 * Reads who can be notified now, with their choice and their last use of the desk: people of the present identity provider who signed in, or came
 * back from an absence, within the last 30 days. People who are away are included, because somebody may stand in for them.
 */
import * as v from "valibot"
import type { NoticeChoice } from "../../contract/desk-people.ts"
import type { Log } from "../../platform/log.ts"
import type { Access } from "../people/access-file.ts"
import { isSameIssuer, type KnownPerson, PERSON_COLUMNS, personRow, RECENT_MS, toPerson } from "../people/directory.ts"
import { isPlainAddress } from "../people/plain-address.ts"
import { type Viewer, viewerOf } from "../people/visibility.ts"
import type { Reader } from "../store/database.ts"
import { optional, select } from "../store/tables.ts"
import { Turns } from "../../platform/turns.ts"
import { choiceMembers, type StoredChoice, toChoice } from "./choices.ts"
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
  /** When the last absence ended; 0 without one, or during one. Everything from before, even if urgent, waits for the next digest. */
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

export function createReadPeople(sources: PeopleSources): ReadPeople {
  const { database, access, issuer } = sources
  const addressOf = createAddressOf(sources.log)
  return async (personId, now = Date.now()) => {
    const values = [now, now - RECENT_MS, now - RECENT_MS]
    const rows = await (personId === undefined
      ? select(database, rowNow, PEOPLE, ...values)
      : select(database, rowNow, PEOPLE + WITH_STAND_IN, ...values, personId, personId, personId))
    const people = new Map<string, LinkedPerson>()
    let lastChosenAgainAt = 0
    const rules = access()
    const turns = new Turns()
    for (const row of rows) {
      if (turns.isOver()) await turns.next()
      const stored = toPerson(row)
      if (issuer === undefined || !isSameIssuer(stored.identity.issuer, issuer)) continue
      const choice = toChoice(row)
      lastChosenAgainAt = Math.max(lastChosenAgainAt, choice.chosenAgainAt)
      people.set(stored.id, toPersonNow(row, stored, choice, { rules, addressOf, now }))
    }
    linkStandIns(rows, people)
    return { people, chosenAgainAt: lastChosenAgainAt }
  }
}

type RowNow = v.InferOutput<typeof rowNow>

/** A person whose stand-in, and those for whom they stand in, are set once everybody was read. */
type LinkedPerson = Omit<Person, "away" | "standsInFor"> & { away: Person["away"]; readonly standsInFor: Person[] }

type AddressOf = (id: string, address: string | undefined) => string | undefined

/** Returns a person's address if a mail can carry it. The log names a person with an invalid address once. */
function createAddressOf(log: Log): AddressOf {
  const warned = new Set<string>()
  return (id, address) => {
    if (address === undefined || isPlainAddress(address)) return address
    const key = JSON.stringify([id, address])
    if (!warned.has(key)) log.warn({ person: id }, "a person's address can't be used for mail")
    warned.add(key)
    return undefined
  }
}

function toPersonNow(
  { mailedAt = 0, refusals = 0, touchedAt = 0, actedAt = 0, awayUntil = 0, devices }: RowNow,
  { id, identity, signedInAt }: KnownPerson,
  { choice, pushFrom }: StoredChoice,
  { rules, addressOf, now }: { readonly rules: Access; readonly addressOf: AddressOf; readonly now: number },
): LinkedPerson {
  const isAway = awayUntil > now
  const backAt = isAway ? 0 : awayUntil
  // Nobody signs in while they are away.
  const isRecent = Math.max(signedInAt, backAt) > now - RECENT_MS
  const getsMail = isRecent && !isStopped(refusals, mailedAt, signedInAt)
  const getsPushes = isRecent && choice.push === true && devices > 0
  return {
    id,
    address: getsMail ? addressOf(id, identity.email) : undefined,
    choice,
    usedAt: Math.max(signedInAt, touchedAt, actedAt),
    viewer: viewerOf({ id, identity }, rules),
    pushFrom: getsPushes ? pushFrom : undefined,
    away: isAway ? { standIn: undefined } : undefined,
    backAt,
    standsInFor: [],
  }
}

/** Links each person who is away and their stand-in, unless the stand-in is away or can't be notified. */
function linkStandIns(rows: readonly RowNow[], people: ReadonlyMap<string, LinkedPerson>): void {
  for (const { id, standIn: standInId = "" } of rows) {
    const [person, standIn] = [people.get(id), people.get(standInId)]
    if (person?.away === undefined || standIn === undefined || standIn.away !== undefined) continue
    person.away = { standIn }
    standIn.standsInFor.push(person)
  }
}

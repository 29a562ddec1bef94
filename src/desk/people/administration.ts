/** What `npm run people` reads and changes in the store: people, sessions, and everything that identifies a person. */
import * as v from "valibot"
import type { Database, Reader } from "../store/database.ts"
import { optional, select } from "../store/tables.ts"
import { type KnownPerson, PERSON_COLUMNS, personRow, readPeople, toPerson } from "./directory.ts"
import { readSessions, type SessionLimits, type StoredSession } from "./session-rows.ts"

/** `lastSeenAt` is the last input or sign-in, in milliseconds since 1970. */
export type ListedPerson = KnownPerson & { readonly lastSeenAt: number }

const listedRow = v.object({ ...personRow.entries, touchedAt: optional(v.number()) })

/** Everybody who has signed in and was not forgotten, by name. */
export async function listPeople(store: Reader): Promise<readonly ListedPerson[]> {
  const sql = `SELECT ${PERSON_COLUMNS}, (SELECT max(touched_at) FROM session WHERE person_id = person.id) AS touched_at
    FROM person ORDER BY name, id`
  const rows = await select(store, listedRow, sql)
  return rows.map((row) => ({ ...toPerson(row), lastSeenAt: Math.max(row.signedInAt, row.touchedAt ?? 0) }))
}

/** A person by their id. */
export async function findPerson(store: Reader, id: string): Promise<ListedPerson | undefined> {
  return (await listPeople(store)).find((person) => person.id === id)
}

/** The open sessions, the newest first. */
export function listSessions(store: Reader, limits: SessionLimits): Promise<readonly StoredSession[]> {
  return readSessions(store, limits, "ORDER BY began_at DESC")
}

const isKnown = async (store: Reader, id: string) => (await readPeople(store, "WHERE id = ?", id)).length === 1

/** Ends all sessions of a person, and removes their devices of push. Returns their number; undefined when nobody has this id. */
export async function endSessions(database: Database, id: string): Promise<number | undefined> {
  return database.transaction("sessions", async (statements) => {
    if (!(await isKnown(statements, id))) return undefined
    await statements.write("DELETE FROM push_device WHERE person_id = ?", id)
    return (await statements.write("DELETE FROM session WHERE person_id = ? RETURNING id", id)).length
  })
}

/**
 * Removes what the store has of a person. What names the person by the id alone and is about something else stays: rows of the record, who created
 * and decided Work, approves that the desk holds, and items that the person gave to somebody else, with the note for that colleague.
 */
const FORGET_PERSON = [
  "DELETE FROM session WHERE person_id = ?",
  "DELETE FROM push_device WHERE person_id = ?",
  "DELETE FROM saved_views WHERE person_id = ?",
  "DELETE FROM notice_choice WHERE person_id = ?",
  "DELETE FROM notice_delivery_state WHERE person_id = ?",
  "DELETE FROM notice WHERE recipient = ?",
  "DELETE FROM notice_delivery WHERE recipient = ?",
  "DELETE FROM own_notice WHERE recipient = ?",
  "DELETE FROM aside WHERE person_id = ?",
  "DELETE FROM seen_work WHERE person_id = ?",
  "DELETE FROM seen_since WHERE person_id = ?",
  "DELETE FROM assignment WHERE person_id = ?",
  "DELETE FROM away WHERE person_id = ?",
  "UPDATE away SET stand_in = NULL WHERE stand_in = ?",
  "DELETE FROM person WHERE id = ?",
]

/** Forgets a person: who signs in again is a new person. Returns false when nobody has this id. */
export async function forgetPerson(database: Database, id: string): Promise<boolean> {
  return database.transaction("sessions", async (statements) => {
    if (!(await isKnown(statements, id))) return false
    for (const sql of FORGET_PERSON) await statements.write(sql, id)
    return true
  })
}

/** What `npm run people` reads and changes in the store: people, sessions, and everything that tells who a person is. */
import type { Database, Reader } from "../store/database.ts"
import type { Identity } from "./access.ts"
import { PERSON_COLUMNS, toPerson } from "./directory.ts"
import type { SessionLimits } from "./session-store.ts"

export type ListedPerson = {
  readonly id: string
  readonly name: string
  readonly identity: Identity
  /** The last input or sign-in, in milliseconds since 1970. */
  readonly lastSeenAt: number
}

/** Everybody who has signed in and was not forgotten, by name. */
export async function listPeople({ read }: Reader): Promise<readonly ListedPerson[]> {
  const rows = await read(
    `SELECT ${PERSON_COLUMNS}, (SELECT max(touched_at) FROM session WHERE person_id = person.id) AS touched_at
     FROM person ORDER BY name, id`,
  )
  return rows.map(({ touched_at, ...row }) => {
    const { signedInAt, ...person } = toPerson(row)
    return { ...person, lastSeenAt: Math.max(signedInAt, Number(touched_at ?? 0)) }
  })
}

/** A person by their id. Undefined when nobody has it. */
export async function findPerson({ read }: Reader, id: string): Promise<ListedPerson | undefined> {
  return (await listPeople({ read })).find((person) => person.id === id)
}

export type OpenSession = {
  readonly personId: string
  readonly name: string
  /** Milliseconds since 1970. */
  readonly beganAt: number
  readonly lastSeenAt: number
  readonly endsAt: number
  /** When the person proved who they are. Undefined when the provider did not say. */
  readonly authenticatedAt: number | undefined
}

/** The open sessions, the newest first. */
export async function listSessions(
  { read }: Reader,
  { idleMs, maxMs }: SessionLimits,
): Promise<readonly OpenSession[]> {
  const now = Date.now()
  const rows = await read(
    `SELECT person_id, name, began_at, touched_at, auth_time FROM session JOIN person ON person.id = person_id
     WHERE touched_at > ? AND began_at > ? ORDER BY began_at DESC`,
    now - idleMs,
    now - maxMs,
  )
  return rows.map((row) => {
    const [beganAt, lastSeenAt] = [Number(row["began_at"]), Number(row["touched_at"])]
    return {
      personId: String(row["person_id"]),
      name: String(row["name"]),
      beganAt,
      lastSeenAt,
      endsAt: Math.min(lastSeenAt + idleMs, beganAt + maxMs),
      authenticatedAt: row["auth_time"] === null ? undefined : Number(row["auth_time"]) * 1_000,
    }
  })
}

const isKnown = async ({ read }: Reader, id: string) =>
  (await read("SELECT id FROM person WHERE id = ?", id)).length === 1

/** Ends all sessions of a person. Gives their number; undefined when nobody has this id. */
export async function endSessions(database: Database, id: string): Promise<number | undefined> {
  return database.transaction("sessions", async (statements) => {
    if (!(await isKnown(statements, id))) return undefined
    return (await statements.write("DELETE FROM session WHERE person_id = ? RETURNING id", id)).length
  })
}

/** What the store has of a person besides rows that hold the id alone, such as those of the record. */
const OF_A_PERSON = [
  "DELETE FROM session WHERE person_id = ?",
  "DELETE FROM saved_views WHERE person_id = ?",
  "DELETE FROM notice_choice WHERE person_id = ?",
  "DELETE FROM notice_delivery_state WHERE person_id = ?",
  "DELETE FROM notice_delivery WHERE recipient = ? AND settled_at IS NULL",
  "DELETE FROM aside WHERE person_id = ?",
  "DELETE FROM assignment WHERE person_id = ?",
  "DELETE FROM person WHERE id = ?",
]

/** Forgets a person: who signs in again is a new person. Gives false when nobody has this id. */
export async function forgetPerson(database: Database, id: string): Promise<boolean> {
  return database.transaction("sessions", async (statements) => {
    if (!(await isKnown(statements, id))) return false
    for (const sql of OF_A_PERSON) await statements.write(sql, id)
    return true
  })
}

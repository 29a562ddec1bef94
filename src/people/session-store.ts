/** Stores sessions and people. Times are milliseconds since 1970, except `authTime`, which is in seconds as in the ID token. */
import * as v from "valibot"
import type { Identity } from "./access.ts"
import { newSecret } from "./cookies.ts"
import { PERSON_COLUMNS, toPerson } from "./directory.ts"
import type { LogoutToken } from "./provider/logout-token.ts"
import type { Database, Row, Statements } from "../store/database.ts"

export type StoredSession = {
  /** The SHA-256 of the cookie's value. */
  readonly id: string
  readonly personId: string
  readonly name: string
  readonly identity: Identity
  /** When the person proved who they are. Undefined when the provider did not say. */
  readonly authenticatedAt: number | undefined
  /** The earlier of two ends: SESSION_IDLE after the person's last input, and SESSION_MAX after the sign-in. */
  readonly endsAt: number
}

/** The session that a sign-in has led to. */
export type NewSession = {
  readonly name: string
  readonly identity: Identity
  /** The provider's id of its own session, for Back-Channel Logout. */
  readonly sid: string | undefined
  readonly authTime: number | undefined
}

export type SessionLimits = { readonly idleMs: number; readonly maxMs: number }

const SELECT = `SELECT session.id AS session_id, auth_time, began_at, touched_at, ${PERSON_COLUMNS}
  FROM session JOIN person ON person.id = session.person_id`

export class SessionStore {
  readonly #database: Database
  readonly #limits: SessionLimits

  constructor(database: Database, limits: SessionLimits) {
    this.#database = database
    this.#limits = limits
  }

  /** Stores a session and its person, and removes the browser's older sessions. @returns the person's id */
  async begin(id: string, begun: NewSession, olderIds: readonly string[]): Promise<string> {
    const now = Date.now()
    return this.#database.transaction("sessions", async (statements) => {
      const personId = await storePerson(statements, begun, now)
      await statements.write(
        "INSERT INTO session (id, person_id, sid, auth_time, began_at, touched_at) VALUES (?, ?, ?, ?, ?, ?)",
        id,
        personId,
        begun.sid ?? null,
        begun.authTime ?? null,
        now,
        now,
      )
      for (const older of olderIds) await statements.write("DELETE FROM session WHERE id = ?", older)
      return personId
    })
  }

  /** Gives the sessions with these ids that have not ended. */
  async read(ids: readonly string[]): Promise<readonly StoredSession[]> {
    const rows = await this.#database.read(`${SELECT} WHERE session.id IN (${ids.map(() => "?").join(", ")})`, ...ids)
    return rows.map((row) => toSession(row, this.#limits)).filter(({ endsAt }) => Date.now() < endsAt)
  }

  /** Moves the idle end. @returns whether the session had not ended */
  async touch(id: string): Promise<boolean> {
    const now = Date.now()
    const { idleMs, maxMs } = this.#limits
    const touched = await this.#database.write(
      "UPDATE session SET touched_at = ? WHERE id = ? AND touched_at > ? AND began_at > ? RETURNING id",
      now,
      id,
      now - idleMs,
      now - maxMs,
    )
    return touched.length === 1
  }

  async count(): Promise<number> {
    const now = Date.now()
    const { idleMs, maxMs } = this.#limits
    const open = "SELECT count(*) AS count FROM session WHERE touched_at > ? AND began_at > ?"
    const [row] = await this.#database.read(open, now - idleMs, now - maxMs)
    return Number(row?.["count"])
  }

  async end(id: string): Promise<void> {
    await this.#database.write("DELETE FROM session WHERE id = ?", id)
  }

  /**
   * Removes the sessions that a logout token names: those of its `sid`, or else those of its `sub`.
   * @returns the ids of the sessions; undefined when a token with this `jti` was used before
   */
  async endByProvider({ issuer, jti, expiresAt, sid, subject }: LogoutToken): Promise<readonly string[] | undefined> {
    return this.#database.transaction("sessions", async ({ write }) => {
      const used = await write(
        "INSERT INTO used_logout_token (jti, expires_at) VALUES (?, ?) ON CONFLICT (jti) DO NOTHING RETURNING jti",
        jti,
        expiresAt,
      )
      if (used.length === 0) return undefined
      const [column, value] = sid === undefined ? ["subject", subject ?? null] : ["sid", sid]
      const ended = await write(
        `DELETE FROM session WHERE id IN (SELECT session.id FROM session JOIN person ON person.id = session.person_id
           WHERE issuer = ? AND ${column} = ?) RETURNING id`,
        issuer,
        value,
      )
      return ended.map(({ id }) => String(id))
    })
  }

  /** Removes sessions and pending sign-ins that have ended, and logout tokens that have expired. */
  async prune(): Promise<void> {
    const now = Date.now()
    const { idleMs, maxMs } = this.#limits
    const { write } = this.#database
    await write("DELETE FROM session WHERE touched_at <= ? OR began_at <= ?", now - idleMs, now - maxMs)
    await write("DELETE FROM sign_in WHERE expires_at <= ?", now)
    await write("DELETE FROM used_logout_token WHERE expires_at <= ?", now)
  }
}

async function storePerson({ write }: Statements, { name, identity }: NewSession, now: number): Promise<string> {
  const { issuer, subject, email, groups } = identity
  const [person] = await write(
    `INSERT INTO person (id, issuer, subject, name, email, member_groups, signed_in_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (issuer, subject) DO UPDATE SET name = excluded.name, email = excluded.email,
       member_groups = excluded.member_groups, signed_in_at = excluded.signed_in_at
     RETURNING id`,
    newSecret(),
    issuer,
    subject,
    name,
    email ?? null,
    JSON.stringify(groups),
    now,
  )
  return String(person?.["id"])
}

const sessionRow = v.object({
  session_id: v.string(),
  auth_time: v.nullable(v.number()),
  began_at: v.number(),
  touched_at: v.number(),
})

function toSession(row: Row, { idleMs, maxMs }: SessionLimits): StoredSession {
  const { session_id: id, auth_time, began_at, touched_at } = v.parse(sessionRow, row)
  const { id: personId, name, identity } = toPerson(row)
  return {
    id,
    personId,
    name,
    identity,
    authenticatedAt: auth_time === null ? undefined : auth_time * 1_000,
    endsAt: Math.min(touched_at + idleMs, began_at + maxMs),
  }
}

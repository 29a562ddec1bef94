/** Reads sessions from the store, with their people. Times are in milliseconds since 1970. */
import type { Reader, Row, Value } from "../store/database.ts"
import type { Identity } from "./access.ts"
import { PERSON_COLUMNS, toPerson } from "./directory.ts"

export type StoredSession = {
  /** The SHA-256 of the cookie's value. */
  readonly id: string
  readonly personId: string
  readonly name: string
  readonly identity: Identity
  /** When the person proved who they are. Undefined when the provider did not say. */
  readonly authenticatedAt: number | undefined
  readonly beganAt: number
  /** The person's last input, or the sign-in. */
  readonly lastSeenAt: number
  /** The earlier of two ends: SESSION_IDLE after the person's last input, and SESSION_MAX after the sign-in. */
  readonly endsAt: number
}

export type SessionLimits = { readonly idleMs: number; readonly maxMs: number }

/** Reads the sessions that have not ended, of those that `condition` chooses in SQL. */
export async function readSessions(
  { read }: Reader,
  limits: SessionLimits,
  condition: string,
  ...values: readonly Value[]
): Promise<readonly StoredSession[]> {
  const rows = await read(
    `SELECT session.id AS session_id, auth_time, began_at, touched_at, ${PERSON_COLUMNS}
     FROM session JOIN person ON person.id = session.person_id ${condition}`,
    ...values,
  )
  return rows.map((row) => toSession(row, limits)).filter(({ endsAt }) => Date.now() < endsAt)
}

function toSession(row: Row, { idleMs, maxMs }: SessionLimits): StoredSession {
  const { id: personId, name, identity } = toPerson(row)
  const [beganAt, lastSeenAt, authTime] = [Number(row["began_at"]), Number(row["touched_at"]), row["auth_time"]]
  return {
    id: String(row["session_id"]),
    personId,
    name,
    identity,
    authenticatedAt: typeof authTime === "number" ? authTime * 1_000 : undefined,
    beganAt,
    lastSeenAt,
    endsAt: Math.min(lastSeenAt + idleMs, beganAt + maxMs),
  }
}

/** Reads sessions from the store, with their people. Times are in milliseconds since 1970. */
import * as v from "valibot"
import type { Reader, Value } from "../store/database.ts"
import { optional, select } from "../store/tables.ts"
import type { Identity } from "./access-file.ts"
import { type GroupsClaim, isSameIssuer, PERSON_COLUMNS, personRow, toPerson } from "./directory.ts"

export type StoredSession = {
  /** The SHA-256 of the cookie's value. */
  readonly id: string
  readonly personId: string
  readonly name: string
  readonly identity: Identity
  readonly groupsClaim?: GroupsClaim | undefined
  /** When the person proved who they are. Undefined when the provider did not say. */
  readonly authenticatedAt: number | undefined
  readonly beganAt: number
  readonly lastSeenAt: number
  /** SESSION_IDLE after the person's last input or the sign-in, and at most SESSION_MAX after the sign-in. */
  readonly endsAt: number
}

/** Which sessions are open: `issuer` is OIDC_ISSUER, and nobody stays signed in with another provider. */
export type SessionLimits = { readonly issuer: string; readonly idleMs: number; readonly maxMs: number }

const sessionRow = v.object({
  ...personRow.entries,
  sessionId: v.string(),
  authTime: optional(v.number()),
  beganAt: v.number(),
  touchedAt: v.number(),
})

/** Reads the sessions that have not ended, of those that `condition` chooses in SQL. */
export async function readSessions(
  store: Reader,
  limits: SessionLimits,
  condition: string,
  ...values: readonly Value[]
): Promise<readonly StoredSession[]> {
  const sql = `SELECT session.id AS session_id, auth_time, began_at, touched_at, ${PERSON_COLUMNS}
    FROM session JOIN person ON person.id = session.person_id ${condition}`
  const rows = await select(store, sessionRow, sql, ...values)
  return rows
    .map((row) => toSession(row, limits))
    .filter(({ identity, endsAt }) => Date.now() < endsAt && isSameIssuer(identity.issuer, limits.issuer))
}

function toSession(row: v.InferOutput<typeof sessionRow>, { idleMs, maxMs }: SessionLimits): StoredSession {
  const { id: personId, name, identity, groupsClaim } = toPerson(row)
  const { sessionId: id, authTime, beganAt, touchedAt: lastSeenAt } = row
  const endsAt = Math.min(lastSeenAt + idleMs, beganAt + maxMs)
  const authenticatedAt = authTime === undefined ? undefined : authTime * 1_000
  return { id, personId, name, identity, groupsClaim, authenticatedAt, beganAt, lastSeenAt, endsAt }
}

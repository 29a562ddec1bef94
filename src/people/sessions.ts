/** The sessions in the store, what this process remembers of them for two seconds, and who wants to hear of their end. */
import * as v from "valibot"
import type { Identity } from "./access.ts"
import { hashSecret, newSecret } from "./cookies.ts"
import type { Database, Row } from "./store/database.ts"

export type StoredSession = {
  /** The SHA-256 of the cookie's value. */
  readonly id: string
  readonly personId: string
  readonly name: string
  readonly identity: Identity
  /** Milliseconds since 1970, as all times here; undefined where the provider did not say. */
  readonly authenticatedAt: number | undefined
  /** The earlier of the idle end, as of the person's last input, and the end by the maximum. */
  readonly endsAt: number
}

/** What a sign-in has found out. */
export type NewSession = {
  readonly name: string
  readonly identity: Identity
  /** The provider's name for its own session, for Back-Channel Logout. */
  readonly sid: string | undefined
  /** In seconds since 1970. */
  readonly authTime: number | undefined
}

export type SessionLimits = { readonly idleMs: number; readonly maxMs: number }

/** How long an answer of the store is good: a session that another replica ended is refused here after that time. */
const REMEMBERED_MS = 2_000
const LOOK_MS = 500
const PRUNE_MS = 600_000
/** Sessions that one statement asks for. */
const CHUNK = 200

const SELECT = `SELECT session.id, person_id, auth_time, began_at, touched_at, name, issuer, subject, email, member_groups
  FROM session JOIN person ON person.id = session.person_id`

type Remembered = { readonly session: StoredSession; readonly readAt: number }

export class Sessions {
  readonly #database: Database
  readonly #limits: SessionLimits
  readonly #remembered = new Map<string, Remembered>()
  /** Sessions that this process has ended, and when: a read that began earlier must not bring them back. */
  readonly #ended = new Map<string, number>()
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #timers: readonly NodeJS.Timeout[]
  #looking = false
  #lookedAt = 0

  constructor(database: Database, limits: SessionLimits) {
    this.#database = database
    this.#limits = limits
    this.#timers = [setInterval(() => void this.#look(), LOOK_MS), setInterval(() => void this.#prune(), PRUNE_MS)]
    for (const timer of this.#timers) timer.unref()
  }

  /** Begins a session and gives the cookie's value. What the provider says now counts for all sessions of the person. */
  async begin(signedIn: NewSession, olderId: string | undefined): Promise<{ value: string; personId: string }> {
    const value = newSecret()
    const { name, identity, sid, authTime } = signedIn
    const now = Date.now()
    const personId = await this.#database.transaction("sessions", async ({ write }) => {
      const [person] = await write(
        `INSERT INTO person (id, issuer, subject, name, email, member_groups, signed_in_at) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (issuer, subject) DO UPDATE SET name = excluded.name, email = excluded.email,
           member_groups = excluded.member_groups, signed_in_at = excluded.signed_in_at
         RETURNING id`,
        newSecret(),
        identity.issuer,
        identity.subject,
        name,
        identity.email ?? null,
        JSON.stringify(identity.groups),
        now,
      )
      const personId = String(person?.["id"])
      await write(
        "INSERT INTO session (id, person_id, sid, auth_time, began_at, touched_at) VALUES (?, ?, ?, ?, ?, ?)",
        hashSecret(value),
        personId,
        sid ?? null,
        authTime ?? null,
        now,
        now,
      )
      if (olderId !== undefined) await write("DELETE FROM session WHERE id = ?", olderId)
      return personId
    })
    if (olderId !== undefined) this.#forget([olderId])
    for (const [id, { session }] of this.#remembered) if (session.personId === personId) this.#remembered.delete(id)
    return { value, personId }
  }

  /** The session of a cookie's value, if there is one that has not ended. */
  async find(value: string): Promise<StoredSession | undefined> {
    const id = hashSecret(value)
    const now = Date.now()
    const remembered = this.#remembered.get(id)
    if (remembered !== undefined && now < remembered.readAt + REMEMBERED_MS && now < remembered.session.endsAt) {
      return remembered.session
    }
    const [found] = await this.#read([id])
    return found
  }

  /** Moves the idle end, because the person has typed or clicked. @returns whether the session was still there */
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
    this.#remembered.delete(id)
    return touched.length === 1
  }

  /** Ends one session. */
  async end(id: string): Promise<void> {
    await this.#database.write("DELETE FROM session WHERE id = ?", id)
    this.#forget([id])
  }

  /**
   * Ends the sessions that a logout token names: those of its `sid`, or, without one, of its `sub`.
   * @returns false where a token with this `jti` was used before; then nothing ends
   */
  async endByProvider(token: {
    readonly issuer: string
    readonly jti: string
    readonly expiresAt: number
    readonly sid: string | undefined
    readonly subject: string | undefined
  }): Promise<boolean> {
    const { issuer, jti, expiresAt, sid, subject } = token
    const ended = await this.#database.transaction("sessions", async ({ write }) => {
      const used = await write(
        "INSERT INTO used_logout_token (jti, expires_at) VALUES (?, ?) ON CONFLICT (jti) DO NOTHING RETURNING jti",
        jti,
        expiresAt,
      )
      if (used.length === 0) return undefined
      return sid === undefined
        ? write(
            "DELETE FROM session WHERE person_id IN (SELECT id FROM person WHERE issuer = ? AND subject = ?) RETURNING id",
            issuer,
            subject ?? null,
          )
        : write(
            "DELETE FROM session WHERE sid = ? AND person_id IN (SELECT id FROM person WHERE issuer = ?) RETURNING id",
            sid,
            issuer,
          )
    })
    if (ended === undefined) return false
    this.#forget(ended.map(({ id }) => String(id)))
    return true
  }

  /** Calls `ended` once when the session has ended. @returns a function that takes the listener away */
  onEnd(id: string, ended: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set()
    this.#listeners.set(id, listeners)
    listeners.add(ended)
    return () => {
      listeners.delete(ended)
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id)
    }
  }

  /** The sessions that somebody listens to, as this process remembers them. */
  listenedTo(): readonly StoredSession[] {
    return [...this.#listeners.keys()].flatMap((id) => this.#remembered.get(id)?.session ?? [])
  }

  /** Tells everybody who listens to a session that it is over for them. */
  tellEnded(id: string): void {
    const listeners = this.#listeners.get(id) ?? []
    this.#listeners.delete(id)
    for (const ended of listeners) ended()
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #read(ids: readonly string[]): Promise<readonly StoredSession[]> {
    const readAt = Date.now()
    const rows = await this.#database.read(`${SELECT} WHERE session.id IN (${ids.map(() => "?").join(", ")})`, ...ids)
    for (const id of ids) this.#remembered.delete(id)
    const found = rows.map((row) => toSession(row, this.#limits))
    const open = found.filter(({ id, endsAt }) => Date.now() < endsAt && !this.#ended.has(id))
    for (const session of open) this.#remembered.set(session.id, { session, readAt })
    return open
  }

  #forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.#remembered.delete(id)
      this.#ended.set(id, Date.now())
      this.tellEnded(id)
    }
  }

  /** Looks for sessions whose time is over, and asks the store for those that another replica may have ended. */
  async #look(): Promise<void> {
    if (this.#looking || this.#listeners.size === 0) return
    this.#looking = true
    const now = Date.now()
    const isTurn = now >= this.#lookedAt + REMEMBERED_MS
    if (isTurn) this.#lookedAt = now
    const isOver = (id: string) => now >= (this.#remembered.get(id)?.session.endsAt ?? 0)
    const doubtful = [...this.#listeners.keys()].filter((id) => isTurn || isOver(id))
    for (let begin = 0; begin < doubtful.length; begin += CHUNK) {
      const ids = doubtful.slice(begin, begin + CHUNK)
      const over = ids.filter(isOver)
      try {
        const open = new Set((await this.#read(ids)).map(({ id }) => id))
        for (const id of ids) if (!open.has(id)) this.tellEnded(id)
      } catch {
        // The store is away: what is known counts. The others are looked at again in half a second.
        for (const id of over) this.tellEnded(id)
      }
    }
    this.#looking = false
  }

  /** Removes what is over from the store and from memory. */
  async #prune(): Promise<void> {
    const now = Date.now()
    for (const [id, { readAt }] of this.#remembered) if (readAt + PRUNE_MS < now) this.#remembered.delete(id)
    for (const [id, endedAt] of this.#ended) if (endedAt + PRUNE_MS < now) this.#ended.delete(id)
    try {
      await this.#database.write(
        "DELETE FROM session WHERE touched_at <= ? OR began_at <= ?",
        now - this.#limits.idleMs,
        now - this.#limits.maxMs,
      )
      await this.#database.write("DELETE FROM sign_in WHERE expires_at <= ?", now)
      await this.#database.write("DELETE FROM used_logout_token WHERE expires_at <= ?", now)
    } catch {
      // The store is away: the next time will do.
    }
  }
}

const sessionRow = v.object({
  id: v.string(),
  person_id: v.string(),
  auth_time: v.nullable(v.number()),
  began_at: v.number(),
  touched_at: v.number(),
  name: v.string(),
  issuer: v.string(),
  subject: v.string(),
  email: v.nullable(v.string()),
  member_groups: v.pipe(v.string(), v.parseJson(), v.array(v.string())),
})

function toSession(row: Row, { idleMs, maxMs }: SessionLimits): StoredSession {
  const { id, person_id, auth_time, began_at, touched_at, name, issuer, subject, email, member_groups } = v.parse(
    sessionRow,
    row,
  )
  return {
    id,
    personId: person_id,
    name,
    identity: { issuer, subject, groups: member_groups, ...(email === null ? {} : { email }) },
    authenticatedAt: auth_time === null ? undefined : auth_time * 1_000,
    endsAt: Math.min(touched_at + idleMs, began_at + maxMs),
  }
}

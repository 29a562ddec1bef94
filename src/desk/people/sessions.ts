/**
 * The sessions of people who have signed in: in the store, in a cache of two seconds, and with listeners for the end of a session. A listener
 * learns within 1 s that this desk has ended the session, that its time is over, or that the person has lost every role, and within 5 s that
 * another desk has ended the session. Times are in milliseconds since 1970, except `authTime`, which is in seconds as in the ID token.
 */
import type { Database, Reader, Statements } from "../store/database.ts"
import { inChunks, insert, placesFor } from "../store/tables.ts"
import type { Identity } from "./access-file.ts"
import { hashSecret, newSecret } from "./cookies.ts"
import { type SignedIn, storePerson } from "./directory.ts"
import type { LogoutToken } from "./provider/logout-token.ts"
import { readSessions, type SessionLimits, type StoredSession } from "./session-rows.ts"
import { inBackground } from "../../platform/background.ts"

/** The session that a sign-in has led to. */
export type NewSession = SignedIn & {
  /** The provider's id of its own session, for Back-Channel Logout. */
  readonly sid: string | undefined
  readonly authTime: number | undefined
}

const CACHED_MS = 2_000
const CHECK_MS = 500
const PRUNE_MS = 600_000
const SESSIONS_PER_STATEMENT = 200

export class Sessions {
  readonly #database: Database
  readonly #limits: SessionLimits
  readonly #hasRole: (identity: Identity) => boolean
  /** The store is asked again after `freshUntil`, a moment of `performance.now()`: the end of the session, or CACHED_MS after the read. */
  readonly #cached = new Map<string, { readonly session: StoredSession; readonly freshUntil: number }>()
  /** Grows when this process has ended a session. */
  #endings = 0
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #timers: readonly NodeJS.Timeout[]
  #isChecking = false

  /** `hasRole` says whether a person has a role by the access file of now. */
  constructor(database: Database, limits: SessionLimits, hasRole: (identity: Identity) => boolean) {
    this.#database = database
    this.#limits = limits
    this.#hasRole = hasRole
    this.#timers = [
      setInterval(() => inBackground(() => this.#check()), CHECK_MS),
      setInterval(() => inBackground(() => this.#prune()), PRUNE_MS),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /**
   * Begins a session and ends the browser's older ones. The browser's devices of push belong to the new session from now on; those of another
   * person go. `browserId` is the hash of its cookie of push. @returns the value of the cookie, and the person's id
   */
  async begin(
    begun: NewSession,
    olderIds: readonly string[],
    browserId?: string,
  ): Promise<{ value: string; personId: string }> {
    const value = newSecret()
    const now = Date.now()
    const personId = await this.#database.transaction("sessions", async (statements) => {
      const stored = await storePerson(statements, begun, now)
      const { sid, authTime } = begun
      const row = { id: hashSecret(value), personId: stored, sid, authTime, beganAt: now, touchedAt: now }
      await insert(statements, "session", row)
      for (const older of olderIds) await statements.write("DELETE FROM session WHERE id = ?", older)
      await moveDevices(statements, row, [...olderIds, ...(browserId === undefined ? [] : [browserId])])
      return stored
    })
    this.#forget(olderIds)
    // The person's other sessions get the name and the groups of this sign-in.
    for (const [id, { session }] of this.#cached) if (session.personId === personId) this.#cached.delete(id)
    return { value, personId }
  }

  /** Finds a session that has not ended. Its id is the hash of the cookie's value. */
  async find(id: string): Promise<StoredSession | undefined> {
    const cached = this.#cached.get(id)
    if (cached !== undefined && performance.now() < cached.freshUntil) return cached.session
    const [found] = await this.#read([id])
    return found
  }

  /** Reads a session that has not ended, within a transaction. */
  async readAgain(store: Reader, id: string): Promise<StoredSession | undefined> {
    return (await readSessions(store, this.#limits, "WHERE session.id = ?", id))[0]
  }

  /** Moves the idle end, because the person has typed or clicked. @returns whether the session had not ended */
  async touch(id: string): Promise<boolean> {
    const { now, touchedAfter, beganAfter } = this.#bounds()
    const touched = await this.#database.write(
      "UPDATE session SET touched_at = ? WHERE id = ? AND touched_at > ? AND began_at > ? RETURNING id",
      now,
      id,
      touchedAfter,
      beganAfter,
    )
    this.#cached.delete(id)
    return touched.length === 1
  }

  /** Ends a session that its person signs out of, with the devices of push that belong to it. */
  async end(id: string): Promise<void> {
    await this.#database.transaction("sessions", async ({ write }) => {
      await write("DELETE FROM session WHERE id = ?", id)
      await write("DELETE FROM push_device WHERE session_id = ?", id)
    })
    this.#forget([id])
  }

  /** Ends the sessions of a logout token's `sid`, or else of its `sub`. @returns false when its `jti` was used before: then none ends */
  async endByProvider({ issuer, jti, expiresAt, sid, subject }: LogoutToken): Promise<boolean> {
    const ended = await this.#database.transaction("sessions", async ({ write }) => {
      const used = await write(
        "INSERT INTO used_logout_token (jti, expires_at) VALUES (?, ?) ON CONFLICT (jti) DO NOTHING RETURNING jti",
        jti,
        expiresAt,
      )
      if (used.length === 0) return undefined
      const [column, value] = sid === undefined ? ["subject", subject ?? null] : ["sid", sid]
      const named = `SELECT session.id FROM session JOIN person ON person.id = session.person_id WHERE issuer = ? AND ${column} = ?`
      await write(`DELETE FROM push_device WHERE session_id IN (${named})`, issuer, value)
      if (sid === undefined) {
        // A device may belong to a session whose time is over.
        const person = "SELECT id FROM person WHERE issuer = ? AND subject = ?"
        await write(`DELETE FROM push_device WHERE person_id IN (${person})`, issuer, value)
      }
      return write(`DELETE FROM session WHERE id IN (${named}) RETURNING id`, issuer, value)
    })
    this.#forget((ended ?? []).map(({ id }) => String(id)))
    return ended !== undefined
  }

  /** How many sessions are open, at all desks. */
  async count(): Promise<number> {
    return (await readSessions(this.#database, this.#limits, "")).length
  }

  /** Calls `ended` once when the session has ended. @returns a function that removes the listener */
  onEnd(id: string, ended: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set()
    this.#listeners.set(id, listeners)
    listeners.add(ended)
    return () => {
      listeners.delete(ended)
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id)
    }
  }

  /** The session as it was last read. A session with a listener is read every two seconds. */
  cached(id: string): StoredSession | undefined {
    return this.#cached.get(id)?.session
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  /** A session is open while it was touched after `touchedAfter` and began after `beganAfter`. */
  #bounds(): { readonly now: number; readonly touchedAfter: number; readonly beganAfter: number } {
    const now = Date.now()
    return { now, touchedAfter: now - this.#limits.idleMs, beganAfter: now - this.#limits.maxMs }
  }

  async #read(ids: readonly string[]): Promise<readonly StoredSession[]> {
    const endings = this.#endings
    const readAt = performance.now()
    const condition = `WHERE session.id IN (${placesFor(ids)})`
    const open = await readSessions(this.#database, this.#limits, condition, ...ids)
    // A read that began before the end of a session must not bring the session back.
    if (endings !== this.#endings) return this.#read(ids)
    for (const id of ids) this.#cached.delete(id)
    for (const session of open) {
      const leftMs = session.endsAt - Date.now()
      this.#cached.set(session.id, { session, freshUntil: readAt + Math.min(CACHED_MS, leftMs) })
    }
    return open
  }

  #forget(ids: readonly string[]): void {
    this.#endings++
    for (const id of ids) {
      this.#cached.delete(id)
      this.#notifyEnded(id)
    }
  }

  #notifyEnded(id: string): void {
    const listeners = this.#listeners.get(id) ?? []
    this.#listeners.delete(id)
    for (const ended of listeners) ended()
  }

  async #check(): Promise<void> {
    this.#notifyWithoutRole()
    if (this.#isChecking) return
    this.#isChecking = true
    await this.#notifyEndedInStore()
    this.#isChecking = false
  }

  #notifyWithoutRole(): void {
    for (const id of this.#listeners.keys()) {
      const session = this.cached(id)
      if (session !== undefined && !this.#hasRole(session.identity)) this.#notifyEnded(id)
    }
  }

  /** Reads the sessions whose cached answer is too old or missing, and notifies the listeners of sessions that have ended. */
  async #notifyEndedInStore(): Promise<void> {
    const stale = [...this.#listeners.keys()].filter(
      (id) => performance.now() >= (this.#cached.get(id)?.freshUntil ?? 0),
    )
    for (const ids of inChunks(stale, SESSIONS_PER_STATEMENT)) {
      const asked = ids.map((id) => ({ id, endsAt: this.#cached.get(id)?.session.endsAt }))
      const open = await this.#read(ids).catch(() => undefined)
      const ended = endedSessions(asked, open, Date.now())
      for (const id of ended) this.#notifyEnded(id)
    }
  }

  /** Removes sessions and pending sign-ins that have ended, and logout tokens that have expired. */
  async #prune(): Promise<void> {
    const { now, touchedAfter, beganAfter } = this.#bounds()
    const unusedSince = performance.now() - PRUNE_MS
    for (const [id, { freshUntil }] of this.#cached) if (freshUntil < unusedSince) this.#cached.delete(id)
    const { write } = this.#database
    try {
      await write("DELETE FROM session WHERE touched_at <= ? OR began_at <= ?", touchedAfter, beganAfter)
      await write("DELETE FROM sign_in WHERE expires_at <= ?", now)
      await write("DELETE FROM used_logout_token WHERE expires_at <= ?", now)
    } catch {
      // The store is away. The next run removes what is left.
    }
  }
}

/** Gives the devices of a browser, by its older sessions and its cookie, to a new session of the same person, and removes those of other people. */
async function moveDevices(
  { write }: Statements,
  { id, personId }: { readonly id: string; readonly personId: string },
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) {
    const isTheirs = "(session_id = ? OR browser_id = ?)"
    await write(`DELETE FROM push_device WHERE ${isTheirs} AND person_id <> ?`, key, key, personId)
    await write(`UPDATE push_device SET session_id = ? WHERE ${isTheirs}`, id, key, key)
  }
}

/** A session that has a listener. Undefined `endsAt`: the end is not known. */
export type ListenedSession = { readonly id: string; readonly endsAt: number | undefined }

/** Which of these sessions have ended: those that `open` lacks, or while the store is away (undefined), those whose known end is over. */
export function endedSessions(
  asked: readonly ListenedSession[],
  open: readonly { readonly id: string }[] | undefined,
  now: number,
): readonly string[] {
  const isEnded = ({ id, endsAt = Infinity }: ListenedSession) =>
    open === undefined ? now >= endsAt : !open.some((session) => session.id === id)
  return asked.filter(isEnded).map(({ id }) => id)
}

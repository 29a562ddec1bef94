/** The sessions of this process: a cache of two seconds before the store, and listeners for the end of a session. */
import { hashSecret, newSecret } from "./cookies.ts"
import type { LogoutToken } from "./provider/logout-token.ts"
import type { NewSession, SessionStore, StoredSession } from "./session-store.ts"

/** How long an answer of the store is cached. A session that another desk ended is refused here after this time. */
const CACHED_MS = 2_000
const CHECK_MS = 500
const PRUNE_MS = 600_000
const SESSIONS_PER_STATEMENT = 200

type Cached = { readonly session: StoredSession; readonly readAt: number }

export class Sessions {
  readonly #store: SessionStore
  readonly #cached = new Map<string, Cached>()
  /** The sessions that this process has ended, and when. A read that began earlier must not bring a session back. */
  readonly #ended = new Map<string, number>()
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #timers: readonly NodeJS.Timeout[]
  #isChecking = false
  /** When the store was last asked about every session that has a listener. */
  #roundAt = 0

  constructor(store: SessionStore) {
    this.#store = store
    this.#timers = [setInterval(() => void this.#check(), CHECK_MS), setInterval(() => void this.#prune(), PRUNE_MS)]
    for (const timer of this.#timers) timer.unref()
  }

  /**
   * Begins a session and ends the browser's older sessions. The person's name and groups change for all sessions of the person.
   * @returns the value of the cookie, and the person's id
   */
  async begin(begun: NewSession, olderIds: readonly string[]): Promise<{ value: string; personId: string }> {
    const value = newSecret()
    const personId = await this.#store.begin(hashSecret(value), begun, olderIds)
    this.#forget(olderIds)
    for (const [id, { session }] of this.#cached) if (session.personId === personId) this.#cached.delete(id)
    return { value, personId }
  }

  /** Finds the session by the cookie's value. Undefined when there is none or it has ended. */
  async find(value: string): Promise<StoredSession | undefined> {
    const id = hashSecret(value)
    const cached = this.#cached.get(id)
    const now = Date.now()
    if (cached !== undefined && now < cached.readAt + CACHED_MS && now < cached.session.endsAt) {
      return cached.session
    }
    const [found] = await this.#read([id])
    return found
  }

  /** Moves the idle end, because the person has typed or clicked. @returns whether the session had not ended */
  async touch(id: string): Promise<boolean> {
    const wasThere = await this.#store.touch(id)
    this.#cached.delete(id)
    return wasThere
  }

  async end(id: string): Promise<void> {
    await this.#store.end(id)
    this.#forget([id])
  }

  /** Ends the sessions that a logout token names. @returns false when the token was used before: then no session ends */
  async endByProvider(token: LogoutToken): Promise<boolean> {
    const ended = await this.#store.endByProvider(token)
    this.#forget(ended ?? [])
    return ended !== undefined
  }

  /** How many sessions are open, at all desks. */
  count(): Promise<number> {
    return this.#store.count()
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

  /** The session as it was last read. It is read every two seconds while it has a listener. */
  cached(id: string): StoredSession | undefined {
    return this.#cached.get(id)?.session
  }

  /** The cached sessions that have a listener. */
  listenedTo(): readonly StoredSession[] {
    return [...this.#listeners.keys()].flatMap((id) => this.#cached.get(id)?.session ?? [])
  }

  /** Calls and removes the listeners of a session. */
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
    const open = (await this.#store.read(ids)).filter(({ id }) => !this.#ended.has(id))
    for (const id of ids) this.#cached.delete(id)
    for (const session of open) this.#cached.set(session.id, { session, readAt })
    return open
  }

  #forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.#cached.delete(id)
      this.#ended.set(id, Date.now())
      this.tellEnded(id)
    }
  }

  /** Tells the listeners of sessions that have ended. */
  async #check(): Promise<void> {
    if (this.#isChecking || this.#listeners.size === 0) return
    this.#isChecking = true
    const now = Date.now()
    const isRound = now >= this.#roundAt + CACHED_MS
    if (isRound) this.#roundAt = now
    const listened = [...this.#listeners.keys()].map((id) => ({ id, endsAt: this.#cached.get(id)?.session.endsAt }))
    const doubtful = sessionsToAsk(listened, isRound, now)
    for (let begin = 0; begin < doubtful.length; begin += SESSIONS_PER_STATEMENT) {
      const asked = doubtful.slice(begin, begin + SESSIONS_PER_STATEMENT)
      const open = await this.#read(asked.map(({ id }) => id)).catch(() => undefined)
      for (const id of endedSessions(asked, open, now)) this.tellEnded(id)
    }
    this.#isChecking = false
  }

  async #prune(): Promise<void> {
    const before = Date.now() - PRUNE_MS
    for (const [id, { readAt }] of this.#cached) if (readAt < before) this.#cached.delete(id)
    for (const [id, endedAt] of this.#ended) if (endedAt < before) this.#ended.delete(id)
    // When the store is away, the next run prunes it.
    await this.#store.prune().catch(() => undefined)
  }
}

/** A session that has a listener. Undefined `endsAt`: its end is not known. */
export type ListenedSession = { readonly id: string; readonly endsAt: number | undefined }

/**
 * The sessions to ask the store about: in a round all, because another desk may have ended or prolonged one, and between two rounds those whose
 * known end is over, and those that were never read.
 */
export function sessionsToAsk(
  listened: readonly ListenedSession[],
  isRound: boolean,
  now: number,
): readonly ListenedSession[] {
  return isRound ? listened : listened.filter(({ endsAt = 0 }) => now >= endsAt)
}

/** The ids of the sessions that have ended: `open` does not have them, or, while the store is away (undefined), their known end is over. */
export function endedSessions(
  asked: readonly ListenedSession[],
  open: readonly { readonly id: string }[] | undefined,
  now: number,
): readonly string[] {
  const isEnded = ({ id, endsAt = Infinity }: ListenedSession) =>
    open === undefined ? now >= endsAt : !open.some((session) => session.id === id)
  return asked.filter(isEnded).map(({ id }) => id)
}

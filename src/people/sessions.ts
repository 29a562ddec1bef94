/** The sessions as this process knows them: what it remembers for two seconds, and who wants to hear of an end. */
import { hashSecret, newSecret } from "./cookies.ts"
import type { LogoutToken } from "./provider/logout-token.ts"
import type { NewSession, SessionStore, StoredSession } from "./session-store.ts"

/** How long an answer of the store is good: a session that another replica ended is refused here after that time. */
const REMEMBERED_MS = 2_000
const LOOK_MS = 500
const PRUNE_MS = 600_000
/** Sessions that one statement asks for. */
const CHUNK = 200

type Remembered = { readonly session: StoredSession; readonly readAt: number }

export class Sessions {
  readonly #store: SessionStore
  readonly #remembered = new Map<string, Remembered>()
  /** Sessions that this process has ended, and when: a read that began earlier must not bring them back. */
  readonly #ended = new Map<string, number>()
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #timers: readonly NodeJS.Timeout[]
  #isLooking = false
  #lookedAt = 0

  constructor(store: SessionStore) {
    this.#store = store
    this.#timers = [setInterval(() => void this.#look(), LOOK_MS), setInterval(() => void this.#prune(), PRUNE_MS)]
    for (const timer of this.#timers) timer.unref()
  }

  /** Begins a session. What the provider says now counts for all sessions of the person. @returns the cookie's value */
  async begin(begun: NewSession, olderId: string | undefined): Promise<{ value: string; personId: string }> {
    const value = newSecret()
    const personId = await this.#store.begin(hashSecret(value), begun, olderId)
    if (olderId !== undefined) this.#forget([olderId])
    for (const [id, { session }] of this.#remembered) if (session.personId === personId) this.#remembered.delete(id)
    return { value, personId }
  }

  /** The session of a cookie's value, if there is one that has not ended. */
  async find(value: string): Promise<StoredSession | undefined> {
    const id = hashSecret(value)
    const remembered = this.#remembered.get(id)
    const now = Date.now()
    if (remembered !== undefined && now < remembered.readAt + REMEMBERED_MS && now < remembered.session.endsAt) {
      return remembered.session
    }
    const [found] = await this.#read([id])
    return found
  }

  /** Moves the idle end, because the person has typed or clicked. @returns whether the session was still there */
  async touch(id: string): Promise<boolean> {
    const wasThere = await this.#store.touch(id)
    this.#remembered.delete(id)
    return wasThere
  }

  async end(id: string): Promise<void> {
    await this.#store.end(id)
    this.#forget([id])
  }

  /** Ends the sessions that a logout token names. @returns false where the token was used before: then nothing ends */
  async endByProvider(token: LogoutToken): Promise<boolean> {
    const ended = await this.#store.endByProvider(token)
    this.#forget(ended ?? [])
    return ended !== undefined
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
    const open = (await this.#store.read(ids)).filter(({ id }) => !this.#ended.has(id))
    for (const id of ids) this.#remembered.delete(id)
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
    if (this.#isLooking || this.#listeners.size === 0) return
    this.#isLooking = true
    const now = Date.now()
    const isTurn = now >= this.#lookedAt + REMEMBERED_MS
    if (isTurn) this.#lookedAt = now
    const endOf = (id: string) => this.#remembered.get(id)?.session.endsAt
    const doubtful = [...this.#listeners.keys()].filter((id) => isTurn || now >= (endOf(id) ?? 0))
    for (let begin = 0; begin < doubtful.length; begin += CHUNK) {
      const ids = doubtful.slice(begin, begin + CHUNK)
      const over = ids.filter((id) => now >= (endOf(id) ?? Infinity))
      try {
        const open = new Set((await this.#read(ids)).map(({ id }) => id))
        for (const id of ids) if (!open.has(id)) this.tellEnded(id)
      } catch {
        // The store is away: what is known counts. The others are looked at again in half a second.
        for (const id of over) this.tellEnded(id)
      }
    }
    this.#isLooking = false
  }

  async #prune(): Promise<void> {
    const before = Date.now() - PRUNE_MS
    for (const [id, { readAt }] of this.#remembered) if (readAt < before) this.#remembered.delete(id)
    for (const [id, endedAt] of this.#ended) if (endedAt < before) this.#ended.delete(id)
    // A store that is away is pruned the next time.
    await this.#store.prune().catch(() => undefined)
  }
}

/** Counts the desks that share the store, so that each desk opens its part of the streams that UPSTREAM_STREAMS allows. */
import { randomUUID } from "node:crypto"
import type { Database } from "./store/database.ts"

const BEAT_MS = 2_000
/** Three beats may be lost. */
const GONE_MS = 7_000

export class DesksAlive {
  readonly #database: Database
  readonly #id = randomUUID()
  /** When the last message of each other desk came. */
  readonly #lastMessages = new Map<string, number>()
  readonly #unsubscribe: () => void
  readonly #timer: NodeJS.Timeout

  constructor(database: Database) {
    this.#database = database
    this.#unsubscribe = database.subscribe("desks", (message) => this.#onMessage(message))
    this.#timer = setInterval(() => this.#announce("here"), BEAT_MS)
    this.#timer.unref()
    this.#announce("here")
  }

  /** How many desks are alive, this one included. */
  count(): number {
    const oldest = performance.now() - GONE_MS
    for (const [id, heardAt] of this.#lastMessages) if (heardAt < oldest) this.#lastMessages.delete(id)
    return this.#lastMessages.size + 1
  }

  /** This desk's part of a number for all desks, at least one. */
  partOf(total: number): number {
    return Math.max(1, Math.floor(total / this.count()))
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#unsubscribe()
    this.#announce("gone")
  }

  #onMessage(message: string | undefined): void {
    const [id, state] = message?.split(" ") ?? []
    if (id === undefined || state === undefined) return
    const isNew = !this.#lastMessages.has(id)
    if (state === "gone") return void this.#lastMessages.delete(id)
    this.#lastMessages.set(id, performance.now())
    // A desk that has just started learns of the others at once.
    if (isNew) this.#announce("here")
  }

  /** Notifies the other desks. A lost message does no harm, because the next beat follows. */
  #announce(state: "here" | "gone"): void {
    if (this.#database.isShared) this.#database.publish("desks", `${this.#id} ${state}`).catch(() => undefined)
  }
}

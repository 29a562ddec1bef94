/** Messages between the desks of one PostgreSQL, by LISTEN and NOTIFY on a separate connection. */
import { randomUUID } from "node:crypto"
import type { Client, Pool } from "pg"
import * as v from "valibot"
import type { Topic } from "./database.ts"
import { DeskClient } from "./postgres-client.ts"
import { inBackground } from "../../platform/background.ts"

const RECONNECT_MS = 1_000
/** How often the connection is tested, because a connection that a network has dropped reports nothing. */
const PING_MS = 5_000
const ANSWER_MS = 4_000

/** Each schema has its own channel, as it has its own tables. A channel's name has at most 63 bytes. */
const CHANNEL = "'workdesk_' || md5(current_schema())"

const payload = v.pipe(v.string(), v.parseJson(), v.tuple([v.string(), v.string(), v.string()]))

/** Gets undefined when messages may have been missed. */
type Listener = (message: string | undefined) => void

export class PostgresMessages {
  readonly #url: () => string
  readonly #pool: Pool
  /** Distinguishes this process's messages from those of others. */
  readonly #sender = randomUUID()
  readonly #listeners = new Map<Topic, Set<Listener>>()
  #client: Client | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(url: () => string, pool: Pool) {
    this.#url = url
    this.#pool = pool
  }

  async publish(topic: Topic, message: string): Promise<void> {
    await this.#pool.query(`SELECT pg_notify(${CHANNEL}, $1)`, [JSON.stringify([this.#sender, topic, message])])
  }

  /** The first listener opens the connection. */
  subscribe(topic: Topic, listener: Listener): () => void {
    if (this.#listeners.size === 0) inBackground(() => this.#connect())
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(ignore)
  }

  async #connect(): Promise<void> {
    const client = new DeskClient(this.#url, { connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS })
    this.#client = client
    client.on("error", () => this.#reconnect(client)).on("end", () => this.#reconnect(client))
    client.on("notification", ({ payload: text }) => this.#onMessage(text))
    try {
      await client.connect()
      const { rows } = await client.query<{ channel: string }>(`SELECT ${CHANNEL} AS channel`)
      await client.query(`LISTEN ${rows[0]?.channel}`)
      // What other desks sent while there was no connection is lost.
      for (const listeners of this.#listeners.values()) for (const listener of listeners) listener(undefined)
      this.#schedule(PING_MS, () => this.#ping(client))
    } catch {
      this.#reconnect(client)
    }
  }

  async #ping(client: Client): Promise<void> {
    try {
      await client.query("SELECT 1")
      this.#schedule(PING_MS, () => this.#ping(client))
    } catch {
      this.#reconnect(client)
    }
  }

  #reconnect(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    clearTimeout(this.#timer)
    void client.end().catch(ignore)
    this.#schedule(RECONNECT_MS, () => this.#connect())
  }

  #schedule(milliseconds: number, action: () => Promise<void>): void {
    if (!this.#isStopped) this.#timer = setTimeout(() => inBackground(action), milliseconds).unref()
  }

  #onMessage(text: string | undefined): void {
    const read = v.safeParse(payload, text)
    if (!read.success) return
    const [sender, topic, message] = read.output
    if (sender === this.#sender) return
    for (const [name, listeners] of this.#listeners)
      if (name === topic) for (const listener of listeners) listener(message)
  }
}

const ignore = () => undefined

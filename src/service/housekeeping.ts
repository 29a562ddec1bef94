import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ConfigurationError } from "../contract/configuration-error.ts"
import { removeOldAnswers } from "./admission/idempotency.ts"
import type { ServiceContext } from "./context.ts"
import { letterOf } from "./execution/outbox.ts"
import { text } from "./store/rows.ts"
import type { Store } from "./store/store.ts"

const DAY_MS = 86_400_000
const INTERVAL_MS = 3_600_000
const MOST_DAYS = 36_500

// Requests are served between two batches.
const WORKS_IN_A_BATCH = 10
const UPLOADS_IN_A_BATCH = 50
const KEYS_IN_A_BATCH = 500
const PAGES_IN_A_BATCH = 500

/** The name of a letter's file. Other files in the folder are a person's. */
const LETTER = /^action_[0-9a-f]{24}\.txt$/

const TABLES_OF_WORK = ["event", "step", "attention", "approval", "artifact", "upload"]

/**
 * Reads RETENTION_DAYS. Undefined when the variable is unset or empty: then Work is kept for ever.
 * @throws ConfigurationError when the value is not a whole number of days, 1 to 36,500
 */
export function readRetentionDays(value: string | undefined): number | undefined {
  if (value === undefined || value === "") return undefined
  const days = /^\d{1,6}$/.test(value) ? Number(value) : 0
  if (days < 1 || days > MOST_DAYS)
    throw new ConfigurationError(`RETENTION_DAYS must be a number of days, 1 to ${MOST_DAYS}`)
  return days
}

/** Removes old Work, unused uploads and old idempotency records each hour, and makes the database file smaller. */
export class Housekeeping {
  readonly #context: ServiceContext
  readonly #outbox: string | undefined
  readonly #retentionDays: number | undefined
  readonly #timer: NodeJS.Timeout
  #working: Promise<void> = Promise.resolve()
  #closed = false

  /** `outbox` is the folder of the letters' files. Without `retentionDays` no Work is removed. */
  constructor(context: ServiceContext, outbox: string | undefined, retentionDays: number | undefined) {
    this.#context = context
    this.#outbox = outbox
    this.#retentionDays = retentionDays
    this.#timer = setInterval(() => this.run(), INTERVAL_MS)
    this.run()
  }

  /** Starts a round in the background. A round that fails, for instance because the disk is full, is tried again in an hour. */
  run(): void {
    this.#working = this.#after(this.#working)
  }

  async #after(earlier: Promise<void>): Promise<void> {
    await earlier
    try {
      await this.#clean()
    } catch (error) {
      this.#context.log.error({}, `Housekeeping failed: ${String(error)}`)
    }
  }

  /** Waits for the batch in progress. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#working
  }

  async #clean(): Promise<void> {
    const { store } = this.#context
    await this.#repeat(() => removeOldAnswers(store, KEYS_IN_A_BATCH))
    await this.#repeat(() => removeUnusedUploads(store))
    const days = this.#retentionDays
    if (days !== undefined) {
      await this.#repeat(() => removeWork(store, Date.now() - days * DAY_MS))
      if (this.#outbox !== undefined) this.#removeLetters(this.#outbox)
    }
    while (!this.#closed && (await store.shrink(PAGES_IN_A_BATCH)));
  }

  /** Calls `removeBatch` until it removes nothing. */
  async #repeat(removeBatch: () => number): Promise<void> {
    while (!this.#closed && (await this.#context.store.effect(removeBatch)) > 0);
  }

  /** Removes the letters of removed Work. A file that cannot be removed is tried again in the next round. */
  #removeLetters(outbox: string): void {
    const { store, log } = this.#context
    const sent = new Set(store.all("SELECT action_id FROM approval WHERE sent_at IS NOT NULL").map(letterOf))
    for (const name of readdirSync(outbox)) {
      if (sent.has(name) || !LETTER.test(name)) continue
      try {
        rmSync(join(outbox, name), { force: true })
      } catch (error) {
        log.error({}, `The letter ${name} of a removed Work could not be removed: ${String(error)}`)
      }
    }
  }
}

/** Removes some of the Work that was done or paused before `time`, with all its rows. Gives how many Works it removed. */
function removeWork(store: Store, time: number): number {
  const works = store.all(
    `SELECT id FROM work WHERE status IN ('done', 'paused') AND updated_at < ? ORDER BY updated_at LIMIT ?`,
    time,
    WORKS_IN_A_BATCH,
  )
  for (const work of works) {
    for (const table of TABLES_OF_WORK) store.run(`DELETE FROM ${table} WHERE work_id = ?`, text(work, "id"))
    store.run("DELETE FROM work WHERE id = ?", text(work, "id"))
  }
  return works.length
}

/** Removes uploads that no Work uses, a day after they expired. Until then their status is `expired`. Gives how many it removed. */
function removeUnusedUploads(store: Store): number {
  return store.run(
    `DELETE FROM upload WHERE id IN
       (SELECT id FROM upload WHERE work_id IS NULL AND expires_at < ? ORDER BY expires_at LIMIT ?)`,
    Date.now() - DAY_MS,
    UPLOADS_IN_A_BATCH,
  )
}

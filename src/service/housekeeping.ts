import { setTimeout as sleep } from "node:timers/promises"
import { ConfigurationError } from "../platform/configuration-error.ts"
import { removeOldAnswers } from "./admission/idempotency.ts"
import type { ServiceContext } from "./context.ts"
import type { LetterOutbox } from "./execution/letter-outbox.ts"
import { text } from "./store/rows.ts"
import type { Store } from "./store/store.ts"

const DAY_MS = 86_400_000
const INTERVAL_MS = 3_600_000
const DAYS_MAX = 36_500

// Each batch is one transaction, in which no request is served. So the batches are small.
const WORKS_IN_A_BATCH = 10
const UPLOADS_IN_A_BATCH = 50
const KEYS_IN_A_BATCH = 500
const PAGES_IN_A_BATCH = 500

const TABLES_OF_WORK = ["event", "step", "attention", "approval", "artifact", "upload"]

/**
 * Removes old Work, unused uploads and old idempotency records now and each hour, and makes the database file smaller. A round that fails, for
 * instance because the disk is full, is tried again in an hour. Without `retentionDays` no Work is removed.
 * @returns a function that ends this after the batch in progress
 */
export function startHousekeeping(
  { store, log }: ServiceContext,
  outbox: LetterOutbox,
  retentionDays: number | undefined,
): () => Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  /** Calls `removeBatch` until it removes nothing. */
  const repeat = async (removeBatch: () => number) => {
    while (!signal.aborted && (await store.effect(removeBatch)) > 0);
  }
  const clean = async () => {
    await repeat(() => removeOldAnswers(store, KEYS_IN_A_BATCH))
    await repeat(() => removeUnusedUploads(store))
    if (retentionDays !== undefined) {
      await repeat(() => removeWork(store, Date.now() - retentionDays * DAY_MS))
      outbox.removeLettersOfRemovedWork()
    }
    while (!signal.aborted && (await store.shrink(PAGES_IN_A_BATCH)));
  }
  const cleanEachHour = async () => {
    while (!signal.aborted) {
      await clean().catch((error: unknown) => log.error({}, `Housekeeping failed: ${String(error)}`))
      await sleep(INTERVAL_MS, undefined, { signal }).catch(() => {})
    }
  }
  const finished = cleanEachHour()
  return async () => {
    ending.abort()
    await finished
  }
}

/** Removes a batch of the Work that is done or paused and has not changed since `before`, with all its rows. Gives how many Works it removed. */
function removeWork(store: Store, before: number): number {
  const works = store.all(
    `SELECT id FROM work WHERE status IN ('done', 'paused') AND updated_at < ? ORDER BY updated_at LIMIT ?`,
    before,
    WORKS_IN_A_BATCH,
  )
  for (const work of works) {
    for (const table of TABLES_OF_WORK) store.run(`DELETE FROM ${table} WHERE work_id = ?`, text(work, "id"))
    store.run("DELETE FROM work WHERE id = ?", text(work, "id"))
  }
  return works.length
}

/** Removes a batch of uploads that no Work uses, a day after they expired. Until then a client still reads `expired`. Gives how many it removed. */
function removeUnusedUploads(store: Store): number {
  return store.run(
    `DELETE FROM upload WHERE id IN
       (SELECT id FROM upload WHERE work_id IS NULL AND expires_at < ? ORDER BY expires_at LIMIT ?)`,
    Date.now() - DAY_MS,
    UPLOADS_IN_A_BATCH,
  )
}

/**
 * Reads RETENTION_DAYS. Undefined when the variable is unset or empty: then Work is kept for ever.
 * @throws ConfigurationError when the value is not a whole number of days, 1 to 36,500
 */
export function readRetentionDays(value: string | undefined): number | undefined {
  if (value === undefined || value === "") return undefined
  const days = /^\d{1,6}$/.test(value) ? Number(value) : 0
  if (days < 1 || days > DAYS_MAX)
    throw new ConfigurationError(`RETENTION_DAYS must be a number of days, 1 to ${DAYS_MAX}`)
  return days
}

/** Removes old Work, unused uploads and old idempotency records, and makes the file of the store smaller. */
import { setTimeout as sleep } from "node:timers/promises"
import { type Environment, readNumber } from "../platform/environment.ts"
import { removeOldAnswers } from "./admission/idempotency.ts"
import type { ServiceContext } from "./context.ts"
import type { LetterOutbox } from "./execution/letter-outbox.ts"
import { text } from "./store/sqlite-row.ts"
import type { Store } from "./store/store.ts"

const DAY_MS = 86_400_000
const INTERVAL_MS = 3_600_000
const DAYS_MAX = 36_500

/** For how long one transaction removes rows. No request is served meanwhile. */
const TURN_MS = 15
const UPLOADS_AT_ONCE = 10
const KEYS_AT_ONCE = 100
const PAGES_AT_ONCE = 500

/** The tables with the rows of a Work, the key of a row within the Work, and how many rows are removed at once: few where rows are large. */
const ROWS_OF_WORK = [
  ["event", "sequence", 200],
  ["step", "number", 200],
  ["attention", "number", 20],
  ["approval", "number", 20],
  ["artifact", "number", 10],
  ["upload", "id", 10],
] as const

/** Cleans up now and each hour. Without `retentionDays` no Work is removed. @returns a function that ends this after the batch in progress */
export function startHousekeeping(
  { store, log }: ServiceContext,
  outbox: LetterOutbox,
  retentionDays: number | undefined,
): () => Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  /** Calls `removeFew` until it removes nothing. */
  const repeat = async (removeFew: () => number) => {
    while (!signal.aborted && (await store.effect(() => removeForATurn(removeFew))));
  }
  const clean = async () => {
    await repeat(() => removeOldAnswers(store, KEYS_AT_ONCE))
    await repeat(() => removeUnusedUploads(store))
    if (retentionDays !== undefined) {
      await repeat(() => removeSomeOfWork(store, Date.now() - retentionDays * DAY_MS))
      outbox.removeLettersOfRemovedWork()
    }
    while (!signal.aborted && (await store.shrink(PAGES_AT_ONCE)));
  }
  const cleanEachHour = async () => {
    while (!signal.aborted) {
      await clean().catch((error: unknown) => log.error({}, `The cleanup failed: ${String(error)}`))
      await sleep(INTERVAL_MS, undefined, { signal }).catch(() => {})
    }
  }
  const finished = cleanEachHour()
  return async () => {
    ending.abort()
    await finished
  }
}

/** Calls `removeFew` until the turn is over or it removes nothing. Returns whether there may be more to remove. */
function removeForATurn(removeFew: () => number): boolean {
  const end = performance.now() + TURN_MS
  while (performance.now() < end) if (removeFew() === 0) return false
  return true
}

/** Removes some rows of a Work that is done or paused and has not changed since `before`, and at last the Work. Returns how many. */
function removeSomeOfWork(store: Store, before: number): number {
  const work = store.get(
    "SELECT id FROM work WHERE status IN ('done', 'paused') AND updated_at < ? ORDER BY updated_at LIMIT 1",
    before,
  )
  if (work === undefined) return 0
  const id = text(work, "id")
  for (const [table, key, atOnce] of ROWS_OF_WORK) {
    const some = `SELECT ${key} FROM ${table} WHERE work_id = ?1 LIMIT ${atOnce}`
    const removed = store.run(`DELETE FROM ${table} WHERE work_id = ?1 AND ${key} IN (${some})`, id)
    if (removed < atOnce) continue
    // There may be more rows. Nobody sees a Work without an account, so nobody sees half of one if the process ends before the next transaction.
    store.run("UPDATE work SET account = '' WHERE id = ? AND account <> ''", id)
    return removed
  }
  return store.run("DELETE FROM work WHERE id = ?", id)
}

/** Removes some uploads that no Work uses, a day after they expired: until then a client reads `expired`. */
function removeUnusedUploads(store: Store): number {
  return store.run(
    `DELETE FROM upload WHERE id IN
       (SELECT id FROM upload WHERE work_id IS NULL AND expires_at < ? ORDER BY expires_at LIMIT ?)`,
    Date.now() - DAY_MS,
    UPLOADS_AT_ONCE,
  )
}

/** Reads RETENTION_DAYS. Undefined when the variable is unset or empty: then Work is kept for ever. @throws ConfigurationError */
export function readRetentionDays(env: Environment): number | undefined {
  return readNumber(env, "RETENTION_DAYS", 1, DAYS_MAX)
}

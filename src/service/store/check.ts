import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"

/** A larger database is checked after the start, because the check of a large database takes long. */
export const MOST_BYTES_CHECKED_AT_START = 64 * 1024 * 1024

const BUSY_TIMEOUT_MS = 1000

/** Checks the whole database. Gives a description of the damage, or undefined. */
export function findDamage(path: string): string | undefined {
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  try {
    return damageIn(database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"])
  } finally {
    database.close()
  }
}

/** Checks the whole database in a worker thread, so that requests are served meanwhile. Gives undefined when `signal` ends the check. */
export async function findDamageInBackground(path: string, signal: AbortSignal): Promise<string | undefined> {
  const worker = new Worker(new URL("check-worker.ts", import.meta.url), { workerData: path })
  worker.unref()
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  signal.addEventListener("abort", () => resolve(undefined))
  worker.once("message", (result) => resolve(damageIn(result)))
  worker.once("error", (error) => resolve(error instanceof Error ? error.message : String(error)))
  const damage = await promise
  await worker.terminate()
  return damage
}

function damageIn(result: unknown): string | undefined {
  return result === "ok" ? undefined : String(result)
}

import { DatabaseSync } from "node:sqlite"
import { Piscina } from "piscina"

/** A larger database is checked after the start, because the check of a large database takes long. */
export const CHECKED_AT_START_MAX_BYTES = 64 * 1024 * 1024

/** The longest wait for a file that another program, such as a backup, has locked. All requests wait meanwhile: node:sqlite is synchronous. */
export const BUSY_TIMEOUT_MS = 1000

// SQLite's result codes for a damaged file. Any other, such as a locked file, says nothing about damage.
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/** Checks the whole database. Gives a description of the damage, or undefined. @throws Error when the file cannot be read */
export function findDamage(path: string): string | undefined {
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    const result = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]
    return result === "ok" ? undefined : String(result)
  } catch (error) {
    if (isDamage(error)) return error.message
    throw error
  }
}

/** Whether SQLite says that a file is damaged, and not that it cannot be read now. */
export function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error && "errcode" in error && typeof error.errcode === "number")) return false
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(error.errcode & 0xff)
}

/**
 * Checks the whole database in a worker thread, so that requests are served meanwhile.
 * @throws Error when the file cannot be read, or `signal` ends the check
 */
export async function findDamageInBackground(path: string, signal: AbortSignal): Promise<string | undefined> {
  const threads = new Piscina<string, string | undefined>({
    filename: import.meta.filename,
    name: findDamage.name,
    env: {},
  })
  try {
    return await threads.run(path, { signal })
  } finally {
    await threads.destroy()
  }
}

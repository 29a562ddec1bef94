/** What the desk's store and the embedded service share about SQLite and the folders of its files. */
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite"
import { pathToFileURL } from "node:url"

/** The result code of a file that is locked. */
export const SQLITE_BUSY = 5

// The permission bits of the group and of all other users.
const OTHERS = 0o077

/** The primary result code of an error of SQLite: the low byte of its extended code. Undefined for any other error. */
export function sqliteResultOf(error: unknown): number | undefined {
  if (!(error instanceof Error && "errcode" in error && typeof error.errcode === "number")) return undefined
  return error.errcode & 0xff
}

/** Locks an empty file by SQLite's lock, which even SIGKILL releases. @returns undefined if another process has the lock */
export function lockFile(path: string): Disposable | undefined {
  const lock = new DatabaseSync(path)
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    return { [Symbol.dispose]: () => lock.close() }
  } catch (error) {
    lock.close()
    if (sqliteResultOf(error) === SQLITE_BUSY) return undefined
    throw error
  }
}

/** Opens a database to read it once. Leaves no new files beside the database, unless another process uses it. */
export function openWithoutTrace(path: string, options: Omit<DatabaseSyncOptions, "readOnly"> = {}): DatabaseSync {
  const url = pathToFileURL(path)
  // Without a WAL file all rows are in the database's own file. SQLite would create a WAL file, even for reading.
  if (!existsSync(`${path}-wal`)) url.searchParams.set("immutable", "1")
  return new DatabaseSync(url, { ...options, readOnly: true })
}

/** Makes a folder and its parents. Removes the permissions of other users, also from a folder that existed. */
export function makePrivateFolder(folder: string): void {
  makeFolder(folder)
  // Windows has no such permission bits. A folder inherits the access rights of its parent.
  if (process.platform === "win32" || (statSync(folder).mode & OTHERS) === 0) return
  chmodSync(folder, 0o700)
}

/** `mkdirSync` with `recursive` never returns below /proc, where no folder can be made (Node 26.10). */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
  const parent = dirname(resolve(folder))
  if (parent !== folder) makeFolder(parent)
  mkdirSync(folder, { mode: 0o700 })
}

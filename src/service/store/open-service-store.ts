/** Opens the store of the service, and keeps other processes out of its folder. */
import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { lockFile, makePrivateFolder, openWithoutTrace, sqliteResultOf } from "../../platform/sqlite-files.ts"
import { renameDurably, syncPath } from "./durable-file.ts"
import { migrations } from "./service-schema.ts"
import { Store } from "./store.ts"

const FILE = "service.db"

/** A data folder that cannot be used. The message is one line for the person who starts the service. */
export class DataFolderError extends Error {}

export type OpenStore = {
  readonly store: Store
  close(): void
}

/** The longest wait for a file that another program, such as a backup, has locked. All requests wait meanwhile: node:sqlite is synchronous. */
const BUSY_TIMEOUT_MS = 1000

// Result codes of SQLite for a damaged file.
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26
// The number that `PRAGMA auto_vacuum` gives for INCREMENTAL. Only such a database can shrink later.
const INCREMENTAL = 2
const LOG_MAX_BYTES = 4 * 1024 * 1024

/**
 * Opens the store in `folder`, and makes the folder if it does not exist. `:memory:` stores nothing.
 * @throws DataFolderError when another process uses the folder, or the database is corrupt or of a newer program. The database stays as it is.
 */
export function openStore(folder: string): OpenStore {
  if (folder === ":memory:") {
    const database = new DatabaseSync(":memory:")
    migrate(database)
    const store = new Store(database)
    return { store, close: () => store.close() }
  }
  try {
    makePrivateFolder(folder)
    makePrivateFolder(outboxIn(folder))
    using opening = new DisposableStack()
    opening.use(lockFolder(folder))
    const store = new Store(openFile(folder))
    // From here on only `close` releases the lock.
    const lock = opening.move()
    return {
      store,
      close() {
        store.close()
        lock.dispose()
      },
    }
  } catch (cause) {
    throw cause instanceof DataFolderError ? cause : folderFault(cause)
  }
}

/** The path of the folder that holds the letters that were sent. */
export function outboxIn(dataFolder: string): string {
  return join(dataFolder, "outbox")
}

/** Converts an error to a DataFolderError. Its message holds no path, because messages of the start show no value of the environment. */
export function folderFault(cause: unknown): DataFolderError {
  const isOfSystem = cause instanceof Error && "syscall" in cause && "code" in cause
  const reason = isOfSystem ? `the folder cannot be used: ${String(cause.code)}` : `${FILE}: ${messageOf(cause)}`
  return new DataFolderError(reason, { cause })
}

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

/** @throws DataFolderError when another process has the folder */
function lockFolder(folder: string): Disposable {
  const lock = lockFile(join(folder, "service.lock"))
  if (lock === undefined) throw new DataFolderError("the folder is in use by another process")
  return lock
}

function openFile(folder: string): DatabaseSync {
  const path = join(folder, FILE)
  if (sizeOf(path) === undefined) create(path)
  check(path)
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${LOG_MAX_BYTES}`)
  migrate(database)
  return database
}

/** Makes a database under another name, and renames the file when it is on the disk. So an empty or incomplete file is always damage. */
function create(path: string): void {
  if ((sizeOf(`${path}-wal`) ?? 0) > 0)
    throw new DataFolderError(`${FILE} is missing, but its log exists: nothing was changed`)
  const draft = `${path}.new`
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(draft + suffix, { force: true })
  const database = new DatabaseSync(draft)
  migrate(database)
  database.close()
  syncPath(draft)
  renameDurably(draft, path)
}

/** Checks the database of `folder`, if there is one, and changes nothing. @throws DataFolderError when it is corrupt or of a newer program */
export function checkDataFolder(folder: string): void {
  const path = join(folder, FILE)
  if (sizeOf(path) !== undefined) check(path)
}

/** Checks the whole file read-only, because a connection that may write would change a damaged file. 150 MB take 0.1 to 0.3 s. */
function check(path: string): void {
  const refuse = (reason: string, cause?: unknown) =>
    new DataFolderError(`${FILE} ${reason}: nothing was changed`, { cause })
  // SQLite takes an empty file for a new database.
  if (sizeOf(path) === 0) throw refuse("is corrupt")
  try {
    using database = openWithoutTrace(path, { timeout: BUSY_TIMEOUT_MS })
    const result = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]
    if (result !== "ok") throw refuse("is corrupt", result)
    if (versionOf(database) > migrations.length) throw refuse("was written by a newer version of Workdesk")
  } catch (cause) {
    const result = sqliteResultOf(cause)
    // Any other result, such as that of a locked file, says nothing about damage.
    throw result === SQLITE_CORRUPT || result === SQLITE_NOTADB ? refuse("is corrupt", cause) : cause
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"])
}

function migrate(database: DatabaseSync): void {
  const isNew = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]) === 0
  if (isNew) database.exec("PRAGMA auto_vacuum = INCREMENTAL")
  const version = versionOf(database)
  for (const [index, statements] of migrations.entries()) {
    if (index >= version) database.exec(`BEGIN; ${statements}; PRAGMA user_version = ${index + 1}; COMMIT`)
  }
  // A database of the first schema cannot shrink. VACUUM rewrites the file once, so that it can.
  const canShrink = Number(database.prepare("PRAGMA auto_vacuum").get()?.["auto_vacuum"]) === INCREMENTAL
  if (!canShrink) database.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size
}

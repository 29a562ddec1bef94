/** The desk's store on SQLite: one file that one desk uses. */
import { chmodSync, closeSync, openSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite"
import { setTimeout as delay } from "node:timers/promises"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import {
  lockFile,
  makePrivateFolder,
  openWithoutTrace,
  SQLITE_BUSY,
  sqliteResultOf,
} from "../../platform/sqlite-files.ts"
import {
  type Database,
  type Lock,
  type OnStoreCall,
  type ReadOnlyDatabase,
  type Row,
  type Statements,
  storable,
  StoreUnavailableError,
  UNSYNCED_LOCKS,
  type Value,
} from "./database.ts"
import { EventLoopShare } from "./event-loop-share.ts"
import { FairQueue } from "./fair-queue.ts"
import { migrate } from "./desk-schema.ts"
import { measureCalls, type MeasureCall } from "./measured-calls.ts"
import { refuseUnfinishedRestore } from "./unfinished-restore.ts"

/** The desk's folder in DATA_DIR. */
const DESK_FOLDER = "desk"
const DESK_FILE = "desk.db"

/** The path of the store's file. */
export function sqliteFileIn(dataFolder: string): string {
  return join(dataFolder, DESK_FOLDER, DESK_FILE)
}

// How long a change waits for a file that another process has locked, from when it was asked for, and how often it tries.
const BUSY_MS = 3_000
const BUSY_RETRY_MS = 5
// How long the last checkpoint waits for the reads of another process. Without it the next checkpoint does its work.
const CLOSE_BUSY_MS = 1_000
// How long a change tries at least. Its deadline may have passed while it waited for earlier changes of this process.
const TRY_MIN_MS = 100

const SQLITE_ERROR = 1
const SQLITE_SCHEMA = 17
const SQLITE_CONSTRAINT = 19
const SQLITE_MISUSE = 21

/** Opens the store in DATA_DIR: one connection makes one change after the other, and another reads committed rows. @throws ConfigurationError */
export async function openSqlite(dataFolder: string, onCall?: OnStoreCall): Promise<Database> {
  refuseUnfinishedRestore(dataFolder)
  const path = sqliteFileIn(dataFolder)
  try {
    makePrivateFolder(dirname(path))
    // SQLite gives its WAL file the mode of this file.
    closeSync(openSync(path, "a", 0o600))
    chmodSync(path, 0o600)
    const database = new SqliteDatabase(path, measureCalls(onCall))
    try {
      await database.prepare()
      return database
    } catch (error) {
      await database.close()
      throw error
    }
  } catch (error) {
    throw toConfigurationError(error)
  }
}

/** Locks the store for one desk, because desks with SQLite send each other no messages. Commands need no lock. @throws ConfigurationError if it is taken */
export function lockSqlite(dataFolder: string): Disposable {
  refuseUnfinishedRestore(dataFolder)
  const path = join(dirname(sqliteFileIn(dataFolder)), "desk.lock")
  try {
    makePrivateFolder(dirname(path))
    const lock = lockFile(path)
    if (lock !== undefined) return lock
  } catch (error) {
    throw toConfigurationError(error)
  }
  throw new ConfigurationError("DATA_DIR is in use by another desk: several desks need DESK_DATABASE_URL")
}

/** Opens the store in DATA_DIR for reading. A desk may use it at the same time. Changes nothing, not even tables of an older version. */
export function connectSqliteForReading(dataFolder: string): ReadOnlyDatabase {
  return readingWith(new DatabaseSync(sqliteFileIn(dataFolder), { readOnly: true }))
}

/** Opens the store in DATA_DIR for one short look that leaves no files behind. */
export function connectSqliteForCheck(dataFolder: string): ReadOnlyDatabase {
  return readingWith(openWithoutTrace(sqliteFileIn(dataFolder)))
}

function readingWith(database: DatabaseSync): ReadOnlyDatabase {
  const connection = new Connection(database)
  return { read: async (sql, ...values) => connection.run(sql, values), close: async () => connection.close() }
}

/** The error that ends the start. It names no path, because it must show no value of the environment. */
export function toConfigurationError(error: unknown): ConfigurationError {
  if (error instanceof ConfigurationError) return error
  const isOfSystem = error instanceof Error && "syscall" in error && "code" in error
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const reason = isOfSystem
    ? `can't be written: ${String(error.code)}`
    : `can't be used: ${DESK_FILE}: ${cause instanceof Error ? cause.message : String(cause)}`
  return new ConfigurationError(`DATA_DIR ${reason}`, { cause: error })
}

class SqliteDatabase implements Database {
  readonly isShared = false
  readonly #writer: Connection
  readonly #reader: Connection
  readonly #queue = new FairQueue(1)
  readonly #eventLoop = new EventLoopShare()
  readonly #measure: MeasureCall
  #changes = 0

  constructor(path: string, measure: MeasureCall) {
    this.#measure = measure
    this.#writer = new Connection(new DatabaseSync(path))
    this.#reader = new Connection(new DatabaseSync(path))
  }

  async prepare(): Promise<void> {
    // SQLite's own busy time-out blocks the process. The time-out is on only here, before the first request, because two desks may start at once.
    this.#writer.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 0`)
    // What is deleted is overwritten in the file, so that a forgotten person's address cannot be read there.
    this.#writer.exec("PRAGMA fullfsync = ON; PRAGMA secure_delete = ON")
    const [check] = this.#writer.run("PRAGMA quick_check(1)", [])
    if (check?.["quick_check"] !== "ok") throw new Error("the file is corrupt, and was left unchanged")
    await this.#change((statements) =>
      migrate(statements, (sql) => Promise.resolve(this.#writer.exec(sql)), "DATA_DIR"),
    )
  }

  readonly read = async (sql: string, ...values: readonly Value[]): Promise<readonly Row[]> =>
    this.#measure("read", () => this.#eventLoop.run(() => this.#reader.run(sql, values)))

  readonly write = async (sql: string, ...values: readonly Value[]): Promise<readonly Row[]> =>
    this.#measure("write", () => this.#change((statements) => statements.write(sql, ...values)))

  /** SQLite has one lock for all changes. The name of the lock says only whether the change is synced. */
  async transaction<Result>(lock: Lock, work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.#measure("transaction", () => this.#change(work, !UNSYNCED_LOCKS.has(lock)))
  }

  /** Only one desk uses a file, so there is nobody to notify. */
  readonly publish = (): Promise<void> => Promise.resolve()

  readonly subscribe = (): (() => void) => () => undefined

  readonly changes = (): number => this.#changes

  async close(): Promise<void> {
    await this.#queue.finished()
    this.#reader.close()
    // Old pages stay in the WAL file until a checkpoint: after `npm run people -- forget` a desk may have the store open for long.
    this.#writer.exec(`PRAGMA busy_timeout = ${CLOSE_BUSY_MS}; PRAGMA wal_checkpoint(TRUNCATE)`)
    this.#writer.close()
  }

  /** Makes one change at a time: the callers take turns. */
  #change<Result>(work: (statements: Statements) => Promise<Result>, isSynced = true): Promise<Result> {
    // The deadline counts from here, so that the last of many waiting changes waits hardly longer than the first.
    const deadline = performance.now() + BUSY_MS
    return this.#queue.add(() => {
      // Inside a transaction SQLite ignores this setting.
      this.#writer.exec(`PRAGMA synchronous = ${isSynced ? "FULL" : "NORMAL"}`)
      return this.#inTransaction(work, deadline)
    })
  }

  async #inTransaction<Result>(work: (statements: Statements) => Promise<Result>, deadline: number): Promise<Result> {
    const run = (sql: string, ...values: readonly Value[]) =>
      this.#eventLoop.runFirst(() => this.#writer.run(sql, values))
    await this.#begin(deadline)
    try {
      const result = await work({ read: run, write: run })
      this.#changes++
      this.#writer.exec("COMMIT")
      return result
    } catch (error) {
      // SQLite has already rolled back after some errors, such as a full disk.
      if (this.#writer.isTransaction) this.#writer.exec("ROLLBACK")
      throw error
    }
  }

  /** Begins the transaction, and waits for another process's change. A busy time-out of SQLite would block every request of this process. */
  async #begin(deadline: number): Promise<void> {
    const lastTryAt = Math.max(deadline, performance.now() + TRY_MIN_MS)
    for (;;) {
      try {
        return this.#writer.exec("BEGIN IMMEDIATE")
      } catch (error) {
        if (!isBusy(error) || performance.now() > lastTryAt) throw error
      }
      await delay(BUSY_RETRY_MS)
    }
  }
}

/** One connection with its prepared statements. It throws StoreUnavailableError for a file that is locked, full or unreadable. */
class Connection {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction
  }

  exec(sql: string): void {
    attempt(() => this.#database.exec(sql))
  }

  run(sql: string, values: readonly Value[]): readonly Row[] {
    return attempt(() => {
      const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql)
      this.#prepared.set(sql, statement)
      return statement.all(...values.map(storable)).map(toRow)
    })
  }

  close(): void {
    this.#database.close()
  }
}

function toRow(columns: Readonly<Record<string, SQLOutputValue>>): Row {
  const row: Record<string, Value> = {}
  for (const [name, value] of Object.entries(columns)) {
    if (typeof value === "bigint" || value instanceof Uint8Array)
      throw new TypeError(`${name} is neither text nor number`)
    row[name] = value
  }
  return row
}

/** Runs a statement. @throws StoreUnavailableError unless the statement itself is wrong */
function attempt<Result>(action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    if (isWrongStatement(error)) throw error
    const reason = sqliteResultOf(error) === SQLITE_BUSY ? "timeout" : "refused"
    throw new StoreUnavailableError(`SQLite: ${sqliteResultOf(error)}`, reason, { cause: error })
  }
}

/** Whether the statement itself is wrong, so that another try would not help. */
function isWrongStatement(error: unknown): boolean {
  const code = sqliteResultOf(error)
  return code === undefined || [SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_CONSTRAINT, SQLITE_MISUSE].includes(code)
}

function isBusy(error: unknown): boolean {
  return error instanceof StoreUnavailableError && sqliteResultOf(error.cause) === SQLITE_BUSY
}

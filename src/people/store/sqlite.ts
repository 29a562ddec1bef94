import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite"
import { setTimeout as delay } from "node:timers/promises"
import { ConfigurationError } from "../../contract/configuration.ts"
import {
  type Database,
  type Lock,
  type ReadOnlyDatabase,
  type Row,
  type Statements,
  storable,
  StoreUnavailableError,
  type Value,
} from "./database.ts"
import { migrate, refuseNewer } from "./schema.ts"

/** The desk's own folder within DATA_DIR, and the file in it. */
export const DESK_FOLDER = "desk"
const DESK_FILE = "desk.db"

/** Where the file of the store is. */
export function sqliteFileIn(dataFolder: string): string {
  return join(dataFolder, DESK_FOLDER, DESK_FILE)
}

// How long a change waits for a file that another process has locked, and how often it looks.
const BUSY_MS = 1_000
const BUSY_LOOK_MS = 5
// The least that each change waits when its turn comes.
const TURN_MS = 100

const SQLITE_BUSY = 5
const SQLITE_SCHEMA = 17
const SQLITE_CONSTRAINT = 19
const SQLITE_MISUSE = 21

/**
 * Opens the store in DATA_DIR, which is made if need be. Changes go through one connection, one after the other; reads go through a second
 * one, so that they see only what is committed.
 * @throws ConfigurationError when the folder cannot be written, or the file in it is corrupt or newer than this program
 */
export async function openSqlite(dataFolder: string): Promise<Database> {
  const path = sqliteFileIn(dataFolder)
  try {
    makeFolder(dirname(path))
    chmodSync(dirname(path), 0o700)
    // SQLite gives its log the mode of the file.
    closeSync(openSync(path, "a", 0o600))
    chmodSync(path, 0o600)
    const database = new SqliteDatabase(path)
    try {
      await database.prepare()
      return database
    } catch (error) {
      await database.close()
      throw error
    }
  } catch (error) {
    throw refused(error)
  }
}

/**
 * Opens the store in DATA_DIR to read only, while a desk may be at work on it. Changes nothing, not even the tables of an older version.
 * @throws ConfigurationError when there is no store, or the file is corrupt or newer than this program
 */
export async function openSqliteForReading(dataFolder: string): Promise<ReadOnlyDatabase> {
  try {
    const connection = new Connection(sqliteFileIn(dataFolder), true)
    const read = async (sql: string, ...values: readonly Value[]) => connection.run(sql, values)
    try {
      await refuseNewer({ read }, "DATA_DIR")
    } catch (error) {
      connection.close()
      throw error
    }
    return { read, close: async () => connection.close() }
  } catch (error) {
    throw refused(error)
  }
}

/** The reason without the path, because a message of the start shows no value of the environment. */
function refused(error: unknown): ConfigurationError {
  if (error instanceof ConfigurationError) return error
  const isOfSystem = error instanceof Error && "syscall" in error && "code" in error
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const reason = isOfSystem
    ? `cannot be written: ${String(error.code)}`
    : `cannot be used: ${DESK_FILE}: ${cause instanceof Error ? cause.message : String(cause)}`
  return new ConfigurationError(`DATA_DIR ${reason}`, { cause: error })
}

/** Makes the folder and its parents. Node's own `recursive` never returns below a parent that takes no folder, such as /proc (26.10). */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
  const parent = dirname(resolve(folder))
  if (parent !== folder) makeFolder(parent)
  mkdirSync(folder, { mode: 0o700 })
}

class SqliteDatabase implements Database {
  readonly #writer: Connection
  readonly #reader: Connection
  #last: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    this.#writer = new Connection(path)
    this.#reader = new Connection(path)
  }

  async prepare(): Promise<void> {
    // Only now, while there is no request to hold up, SQLite itself waits for another process that starts on the same file.
    this.#writer.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 0`)
    this.#writer.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
    const [check] = this.#writer.run("PRAGMA quick_check(1)", [])
    if (check?.["quick_check"] !== "ok") throw new Error("the file is corrupt, and is left as it is")
    await this.transaction("schema", (statements) =>
      migrate(statements, (sql) => Promise.resolve(this.#writer.exec(sql)), "DATA_DIR"),
    )
  }

  readonly read = async (sql: string, ...values: readonly Value[]): Promise<readonly Row[]> =>
    this.#reader.run(sql, values)

  readonly write = async (sql: string, ...values: readonly Value[]): Promise<readonly Row[]> =>
    this.#inTurn((statements) => statements.write(sql, ...values))

  /** Every lock is SQLite's one for writing. */
  async transaction<Result>(_: Lock, work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.#inTurn(work)
  }

  async close(): Promise<void> {
    await this.#last
    this.#reader.close()
    this.#writer.close()
  }

  #inTurn<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    // Counted from here: of many who wait in turn for a locked file, the last one waits hardly longer than the first.
    const deadline = performance.now() + BUSY_MS
    const turn = this.#last.then(() => this.#alone(work, deadline))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #alone<Result>(work: (statements: Statements) => Promise<Result>, deadline: number): Promise<Result> {
    const run = async (sql: string, ...values: readonly Value[]) => this.#writer.run(sql, values)
    await this.#begin(deadline)
    try {
      const result = await work({ read: run, write: run })
      this.#writer.exec("COMMIT")
      return result
    } catch (error) {
      // SQLite has already rolled back after some errors, such as a full disk.
      if (this.#writer.isTransaction) this.#writer.exec("ROLLBACK")
      throw error
    }
  }

  /** Waits for another process's change without holding up this one: a busy time-out of SQLite would block every request. */
  async #begin(deadline: number): Promise<void> {
    const last = Math.max(deadline, performance.now() + TURN_MS)
    for (;;) {
      try {
        return this.#writer.exec("BEGIN IMMEDIATE")
      } catch (error) {
        if (!isBusy(error) || performance.now() > last) throw error
      }
      await delay(BUSY_LOOK_MS)
    }
  }
}

/** One connection with its prepared statements; its errors are the store's. */
class Connection {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(path: string, readOnly = false) {
    this.#database = new DatabaseSync(path, { readOnly })
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

function attempt<Result>(action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    if (isOurFault(error)) throw error
    const reason = errorCode(error) === SQLITE_BUSY ? "timeout" : "refused"
    throw new StoreUnavailableError(`SQLite: ${errorCode(error)}`, reason, { cause: error })
  }
}

/** A statement that is wrong in itself: trying again would not help. */
function isOurFault(error: unknown): boolean {
  const code = errorCode(error)
  return code === undefined || [1, SQLITE_SCHEMA, SQLITE_CONSTRAINT, SQLITE_MISUSE].includes(code)
}

function isBusy(error: unknown): boolean {
  return error instanceof StoreUnavailableError && errorCode(error.cause) === SQLITE_BUSY
}

/** SQLite's primary result code. */
function errorCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & 0xff
    : undefined
}

import { DatabaseSync } from "node:sqlite"
import type { SQLInputValue, StatementSync } from "node:sqlite"
import { integer } from "./rows.ts"
import type { Row } from "./rows.ts"

/**
 * The transaction of an effect. `afterCommit` registers an action that runs when the commit is on the disk, and not when the commit fails.
 */
export type Transaction = { afterCommit(action: () => void): void }

/** `run` gives the error of an action that failed, and throws nothing. After the commit `settle` hands over the action's value or error. */
type WaitingEffect = { run(): { readonly error: unknown } | undefined; settle(): void; lose(error: unknown): void }

/**
 * The database of the service. `get` and `all` read. All writing happens in an `effect`.
 *
 * node:sqlite is synchronous, so effects run one after the other. Two requests with the same Idempotency-Key cannot both find it unused.
 */
export class Store {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #waiting: WaitingEffect[] = []
  #scheduled = false

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Reads the first row, if there is one. */
  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values)
  }

  /** Reads all rows. */
  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values)
  }

  /** Runs a statement that writes. Only for use within an effect. Gives the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes)
  }

  /** Inserts a row. The members of `values` are its columns. Only for use within an effect. */
  insert(table: string, values: Readonly<Record<string, SQLInputValue>>): void {
    const columns = Object.keys(values)
    const places = columns.map(() => "?").join(", ")
    this.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...Object.values(values))
  }

  /**
   * Runs `action` in a transaction. Resolves with the action's value when the transaction is on the disk (`synchronous=FULL`: one fsync).
   * When the action throws, all its writes are rolled back and the promise rejects.
   *
   * All effects of one turn of the event loop share a commit, and each has a savepoint of its own. So fifty parallel effects cost one
   * fsync.
   */
  effect<Value>(action: (transaction: Transaction) => Value): Promise<Value> {
    if (!this.#database.isOpen) return Promise.reject(new Error("the store is closed"))
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const afterCommit: (() => void)[] = []
    let settle = () => {}
    this.#waiting.push({
      run: () => {
        try {
          const value = action({ afterCommit: (action) => afterCommit.push(action) })
          settle = () => {
            for (const action of afterCommit) action()
            resolve(value)
          }
          return undefined
        } catch (error) {
          settle = () => reject(error)
          return { error }
        }
      },
      settle: () => settle(),
      lose: reject,
    })
    if (!this.#scheduled) {
      this.#scheduled = true
      setImmediate(() => this.#flush())
    }
    return promise
  }

  /**
   * Makes the file smaller by at most `pages` unused pages. Gives whether more unused pages are left. The write-ahead log is written into
   * the file, because SQLite cannot shrink the file before. The log itself shrinks with the last pages. Neither waits for another program
   * that reads the database, such as a backup: the next round does what was left.
   */
  async shrink(pages: number): Promise<boolean> {
    await this.effect(() => this.all(`PRAGMA incremental_vacuum(${pages})`))
    if (!this.#database.isOpen) return false
    const isMore = integer(this.get("PRAGMA freelist_count") ?? {}, "freelist_count") > 0
    this.all("PRAGMA wal_checkpoint(PASSIVE)")
    if (!isMore) this.#truncateLog()
    return isMore
  }

  #truncateLog(): void {
    const timeout = integer(this.get("PRAGMA busy_timeout") ?? {}, "timeout")
    this.#database.exec("PRAGMA busy_timeout = 0")
    this.all("PRAGMA wal_checkpoint(TRUNCATE)")
    this.#database.exec(`PRAGMA busy_timeout = ${timeout}`)
  }

  /** Runs the effects that still wait, and closes the file. */
  close(): void {
    this.#flush()
    this.#database.close()
  }

  #flush(): void {
    this.#scheduled = false
    const group = this.#waiting.splice(0)
    if (group.length === 0) return
    try {
      this.run("BEGIN IMMEDIATE")
      for (const waiting of group) this.#runAlone(waiting)
      this.run("COMMIT")
    } catch (error) {
      // Nothing of the group is on the disk, for instance because the disk is full. The next effect begins a new transaction.
      if (this.#database.isTransaction) this.run("ROLLBACK")
      for (const waiting of group) waiting.lose(error)
      return
    }
    // A refusal may rest on an earlier effect of the group, so it also waits for the commit.
    for (const waiting of group) waiting.settle()
  }

  /** Runs one effect of the group in its savepoint. @throws Error when the transaction as a whole is lost */
  #runAlone(waiting: WaitingEffect): void {
    this.run("SAVEPOINT effect")
    const failure = waiting.run()
    // Errors such as SQLITE_FULL roll back the whole transaction, including the savepoint.
    if (failure !== undefined && !this.#database.isTransaction) throw failure.error
    if (failure !== undefined) this.run("ROLLBACK TO effect")
    this.run("RELEASE effect")
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    statement.setReadBigInts(true)
    this.#statements.set(sql, statement)
    return statement
  }
}

// SQLITE_BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN and NOTADB. Any other result, such as a violated constraint, is an error in
// this program.
const STORAGE_RESULTS: ReadonlySet<unknown> = new Set([5, 6, 8, 10, 11, 13, 14, 26])
const STORAGE_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS"])

/** Whether the error comes from a full, failing or locked file. The same request may succeed later. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false
  if (error.code !== "ERR_SQLITE_ERROR") return STORAGE_CODES.has(error.code)
  // The low byte of SQLite's extended result code is the primary result code.
  return "errcode" in error && typeof error.errcode === "number" && STORAGE_RESULTS.has(error.errcode & 0xff)
}

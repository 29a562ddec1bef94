import { DatabaseSync } from "node:sqlite"
import type { SQLInputValue, StatementSync } from "node:sqlite"
import { integer } from "./rows.ts"
import type { Row } from "./rows.ts"

/**
 * The transaction of an effect. `afterCommit` registers an action that runs when the commit is on the disk, and not when the commit fails.
 */
export type Transaction = { afterCommit(action: () => void): void }

type WaitingEffect = { run(): void; confirm(): void; fail(error: unknown): void }

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
        const value = action({ afterCommit: (action) => afterCommit.push(action) })
        settle = () => resolve(value)
      },
      confirm: () => {
        for (const action of afterCommit) action()
        settle()
      },
      fail: reject,
    })
    if (!this.#scheduled) {
      this.#scheduled = true
      setImmediate(() => this.#flush())
    }
    return promise
  }

  /**
   * Makes the file smaller by at most `pages` unused pages. Gives whether more unused pages are left. The write-ahead log is written into
   * the file first, because SQLite cannot shrink the file before.
   */
  async shrink(pages: number): Promise<boolean> {
    await this.effect(() => this.all(`PRAGMA incremental_vacuum(${pages})`))
    if (!this.#database.isOpen) return false
    this.all("PRAGMA wal_checkpoint(TRUNCATE)")
    return integer(this.get("PRAGMA freelist_count") ?? {}, "freelist_count") > 0
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
    const done: WaitingEffect[] = []
    try {
      this.run("BEGIN IMMEDIATE")
      for (const waiting of group) if (this.#runAlone(waiting)) done.push(waiting)
      this.run("COMMIT")
    } catch (error) {
      // Nothing of the group is on the disk, for instance because the disk is full. The next effect begins a new transaction.
      if (this.#database.isTransaction) this.run("ROLLBACK")
      for (const waiting of group) waiting.fail(error)
      return
    }
    for (const waiting of done) waiting.confirm()
  }

  /** Runs one effect of the group in its savepoint. Throws only when the transaction as a whole is lost. */
  #runAlone(waiting: WaitingEffect): boolean {
    this.run("SAVEPOINT effect")
    try {
      waiting.run()
    } catch (error) {
      // Errors such as SQLITE_FULL roll back the whole transaction, including the savepoint.
      if (!this.#database.isTransaction) throw error
      this.run("ROLLBACK TO effect")
      this.run("RELEASE effect")
      waiting.fail(error)
      return false
    }
    this.run("RELEASE effect")
    return true
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

// SQLITE_BUSY, LOCKED, READONLY, IOERR, FULL and CANTOPEN. Any other result, such as a violated constraint, is an error in this program.
const STORAGE_RESULTS: ReadonlySet<unknown> = new Set([5, 6, 8, 10, 13, 14])
const STORAGE_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS"])

/** Whether the error comes from a full, failing or locked file. The same request may succeed later. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false
  if (error.code !== "ERR_SQLITE_ERROR") return STORAGE_CODES.has(error.code)
  // The low byte of SQLite's extended result code is the primary result code.
  return "errcode" in error && typeof error.errcode === "number" && STORAGE_RESULTS.has(error.errcode & 0xff)
}

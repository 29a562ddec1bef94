import { DatabaseSync } from "node:sqlite"
import type { SQLInputValue, StatementSync } from "node:sqlite"
import { integer } from "./rows.ts"
import type { Row } from "./rows.ts"

/** The transaction of an effect. Actions of `afterCommit` run when the commit is on the disk. They do not run when the commit fails. */
export type Transaction = { afterCommit(action: () => void): void }

type Waiting = { run(): void; confirm(): void; fail(error: unknown): void }

/**
 * The store: prepared statements for reading, and `effect` for everything that writes.
 *
 * node:sqlite is synchronous, so an effect runs alone. Two requests with one idempotency key cannot both find it unused.
 */
export class Store {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #waiting: Waiting[] = []
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

  /** Writes; only within an effect. Gives the number of rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes)
  }

  /** Writes a row, its columns the members of `values`; only within an effect. */
  insert(table: string, values: Readonly<Record<string, SQLInputValue>>): void {
    const columns = Object.keys(values)
    const places = columns.map(() => "?").join(", ")
    this.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...Object.values(values))
  }

  /**
   * Runs `action` in a transaction and gives its value once that is on the disk (`synchronous=FULL`: an fsync). When it
   * throws, nothing of it remains and the promise rejects.
   *
   * Effects that arrive in one turn of the event loop share one commit, each in a savepoint of its own: a sequential
   * writer pays an fsync a write, fifty parallel ones pay one together.
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
   * Gives unused pages back to the disk, `pages` at most. Gives whether there are more. The log is written into the file first, because
   * the file can only then be cut.
   */
  async shrink(pages: number): Promise<boolean> {
    await this.effect(() => this.all(`PRAGMA incremental_vacuum(${pages})`))
    if (!this.#database.isOpen) return false
    this.all("PRAGMA wal_checkpoint(TRUNCATE)")
    return integer(this.get("PRAGMA freelist_count") ?? {}, "freelist_count") > 0
  }

  /** Carries out the effects that still wait, and closes the file. */
  close(): void {
    this.#flush()
    this.#database.close()
  }

  #flush(): void {
    this.#scheduled = false
    const group = this.#waiting.splice(0)
    if (group.length === 0) return
    const done: Waiting[] = []
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
  #runAlone(waiting: Waiting): boolean {
    this.run("SAVEPOINT effect")
    try {
      waiting.run()
    } catch (error) {
      // SQLITE_FULL and its like roll the whole transaction back, and the savepoint with it.
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

// SQLITE_BUSY, LOCKED, READONLY, IOERR, FULL and CANTOPEN. Any other result, such as a violated constraint, is a mistake in this program.
const STORAGE_RESULTS: ReadonlySet<unknown> = new Set([5, 6, 8, 10, 13, 14])
const STORAGE_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS"])

/** Whether the error comes from a full or failing disk, which may work again later. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false
  if (error.code !== "ERR_SQLITE_ERROR") return STORAGE_CODES.has(error.code)
  // The extended result code has the primary one in its low byte.
  return "errcode" in error && typeof error.errcode === "number" && STORAGE_RESULTS.has(error.errcode & 0xff)
}

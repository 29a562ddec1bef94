/** The store of the service: effects, each of which happens whole or not at all. */
import { sqliteResultOf } from "../../platform/sqlite-files.ts"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { integer, type Row } from "./sqlite-row.ts"

/** An effect that waits for the next commit. `run` gives a function that resolves the effect's promise. */
type WaitingEffect = { readonly run: () => () => void; readonly reject: (error: unknown) => void }

/** The service's database. Effects are synchronous and run one after the other, so two requests with one Idempotency-Key can't both find it unused. */
export class Store {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #waiting: WaitingEffect[] = []
  /** The actions that the running effect has handed to `afterCommit`. Undefined while no effect runs. */
  #afterCommit: (() => void)[] | undefined

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values)
  }

  /** Reads the first row. @throws Error when there is none */
  one(sql: string, ...values: SQLInputValue[]): Row {
    const row = this.get(sql, ...values)
    if (row === undefined) throw new Error(`no row: ${sql}`)
    return row
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values)
  }

  /** Runs a statement that writes. Only for use within an effect. Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes)
  }

  /** Inserts a row. The members of `values` are its columns. Only for use within an effect. */
  insert(table: string, values: Readonly<Record<string, SQLInputValue>>): void {
    const columns = Object.keys(values)
    const places = columns.map(() => "?").join(", ")
    this.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...Object.values(values))
  }

  /** Changes the columns of `values` in the row with this id, and returns the changed row. Only for use within an effect. */
  update(table: string, id: string, values: Readonly<Record<string, SQLInputValue>>): Row {
    const columns = Object.keys(values).map((column) => `${column} = ?`)
    return this.one(`UPDATE ${table} SET ${columns.join(", ")} WHERE id = ? RETURNING *`, ...Object.values(values), id)
  }

  /**
   * Runs `action` in a transaction. Resolves with the action's value when the transaction is on the disk. When the action throws, its writes are
   * rolled back and the promise rejects. All effects of one turn of the event loop share a commit, so fifty parallel effects cost one fsync.
   */
  effect<Value>(action: () => Value): Promise<Value> {
    if (!this.#database.isOpen) return Promise.reject(new Error("the store is closed"))
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    if (this.#waiting.length === 0) setImmediate(() => this.#flush())
    const run = () => {
      const value = action()
      return () => resolve(value)
    }
    this.#waiting.push({ run, reject })
    return promise
  }

  /** Runs `action` when the commit of the running effect is on the disk. If the effect or the commit fails, `action` does not run. */
  afterCommit(action: () => void): void {
    if (this.#afterCommit === undefined) throw new Error("no effect is running")
    this.#afterCommit.push(action)
  }

  /** Frees at most `pages` unused pages. Returns whether more are left. The checkpoint doesn't wait for readers such as a backup: the next does the rest. */
  async shrink(pages: number): Promise<boolean> {
    await this.effect(() => this.all(`PRAGMA incremental_vacuum(${pages})`))
    if (!this.#database.isOpen) return false
    this.all("PRAGMA wal_checkpoint(PASSIVE)")
    return integer(this.one("PRAGMA freelist_count"), "freelist_count") > 0
  }

  /** Runs the effects that still wait, and closes the file. */
  close(): void {
    this.#flush()
    this.#database.close()
  }

  #flush(): void {
    const group = this.#waiting.splice(0)
    if (group.length === 0) return
    const settles: (() => void)[] = []
    try {
      this.run("BEGIN IMMEDIATE")
      for (const effect of group) settles.push(this.#runAlone(effect))
      this.run("COMMIT")
    } catch (error) {
      // Nothing of the group is on the disk, for instance because the disk is full. The next effect begins a new transaction.
      if (this.#database.isTransaction) this.run("ROLLBACK")
      for (const { reject } of group) reject(error)
      return
    }
    // A refusal may rest on an earlier effect of the group, so it also waits for the commit.
    for (const settle of settles) settle()
  }

  /** Runs an effect in its savepoint. Returns a function that settles its promise after the commit. @throws Error when the whole transaction is lost */
  #runAlone({ run, reject }: WaitingEffect): () => void {
    this.run("SAVEPOINT effect")
    const actions: (() => void)[] = []
    this.#afterCommit = actions
    try {
      const resolve = run()
      this.run("RELEASE effect")
      return () => {
        for (const action of actions) action()
        resolve()
      }
    } catch (error) {
      // Errors such as SQLITE_FULL roll back the whole transaction, including the savepoint.
      if (!this.#database.isTransaction) throw error
      this.run("ROLLBACK TO effect")
      this.run("RELEASE effect")
      return () => reject(error)
    } finally {
      this.#afterCommit = undefined
    }
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

// SQLITE_BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN and NOTADB. Any other result is an error in this program.
const STORAGE_RESULTS: ReadonlySet<unknown> = new Set([5, 6, 8, 10, 11, 13, 14, 26])
const STORAGE_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS"])

/** Whether the error comes from a full, failing or locked file. The same request may succeed later. */
export function isStorageFailure(error: unknown): error is Error {
  if (!(error instanceof Error) || !("code" in error)) return false
  return STORAGE_CODES.has(error.code) || STORAGE_RESULTS.has(sqliteResultOf(error))
}

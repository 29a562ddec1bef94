/** The desk's own store: what SQLite and PostgreSQL both do for sessions, the record and the views. */
import type { Cause } from "../../contract/cause.ts"

export type Value = string | number | null

/** A row, by the names of its columns. Integers are at most 2^53; an int64 of the API is stored as text. */
export type Row = Readonly<Record<string, Value>>

/**
 * Statements in the SQL that both stores understand, with `?` for each value. Text is stored well-formed and without U+0000, because
 * PostgreSQL refuses both: they become U+FFFD, in what is written and in what is compared.
 */
export type Statements = {
  /** Reads what is committed. */
  readonly read: (sql: string, ...values: readonly Value[]) => Promise<readonly Row[]>
  /** Changes rows; gives what RETURNING names. */
  readonly write: (sql: string, ...values: readonly Value[]) => Promise<readonly Row[]>
}

/** One process at a time, over all replicas, is in a transaction of the same lock. */
export type Lock = "record" | "schema" | "sessions" | "views"

/** Every method rejects with StoreUnavailableError while the store is away, full or locked. */
export type Database = Statements & {
  /** Runs `work` in one transaction that nobody else of the same lock is in. Its rows are on the disk when the promise resolves. */
  transaction<Result>(lock: Lock, work: (statements: Statements) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** A store that is only read: by commands, while a desk may be at work on it. */
export type ReadOnlyDatabase = Pick<Database, "read" | "close">

/** The store is away, full or locked: the same request can succeed later. The message is fit for a log: it holds no value of a row. */
export class StoreUnavailableError extends Error {
  /** For the log: `timeout` also where another process holds a lock, `refused` also where a disk is full. */
  readonly reason: Cause

  constructor(message: string, reason: Cause, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** After this many seconds a client asks again (Retry-After) when the store was not available. */
export const STORE_RETRY_SECONDS = 2

/** A value as both stores can hold it. */
export function storable(value: Value): Value {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\u{FFFD}") : value
}

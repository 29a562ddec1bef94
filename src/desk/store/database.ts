/** The interface of the desk's store, which SQLite and PostgreSQL implement. */
import type { Cause } from "../../platform/cause.ts"
import type { LogFields } from "../../platform/log.ts"
import { sqliteResultOf } from "../../platform/sqlite-files.ts"

export type Value = string | number | null

/** The values of a row by the names of the columns. An integer is at most 2^53, so an int64 of the API is stored as text. */
export type Row = Readonly<Record<string, Value>>

/** Runs SQL that both stores understand, with `?` for each value. A character that PostgreSQL refuses becomes U+FFFD (`storable`). */
export type Statements = {
  /** Reads committed rows; in a transaction, also the transaction's own changes. */
  readonly read: (sql: string, ...values: readonly Value[]) => Promise<readonly Row[]>
  /** Changes rows. Returns the rows of RETURNING. */
  readonly write: (sql: string, ...values: readonly Value[]) => Promise<readonly Row[]>
}

/** Reads rows. */
export type Reader = Pick<Statements, "read">

/** The locks of transactions. Of all desks that share the store, one at a time holds a lock. */
export type Lock = "notices" | "record" | "schema" | "seen" | "sessions" | "sign-ins" | "views"

/** Changes under these locks do not wait for the disk: they survive the end of a process, but not a loss of power. */
export const UNSYNCED_LOCKS: ReadonlySet<Lock> = new Set(["seen", "sign-ins"])

/** Every method rejects with StoreUnavailableError while the store is away, full or locked. */
export type Database = Statements & {
  /** Whether other desks may use the store, too. */
  readonly isShared: boolean
  /** Runs `work` in one transaction under a lock. The changed rows are on the disk when the promise resolves (but see UNSYNCED_LOCKS). */
  transaction<Result>(lock: Lock, work: (statements: Statements) => Promise<Result>): Promise<Result>
  /** Sends a message to the other desks of the store, which may miss it while the store is away. At most 7,000 bytes. */
  readonly publish: (topic: Topic, message: string) => Promise<void>
  /** Calls the listener with each message of another desk, and with undefined when some may have been missed. @returns a function that ends this */
  readonly subscribe: (topic: Topic, onMessage: (message: string | undefined) => void) => () => void
  /** For the metrics: connections in use, and requests that wait for one. Left out where there is no pool. */
  readonly connections?: () => { readonly inUse: number; readonly waiting: number }
  /** How many changes this process has made, where no other desk makes any. Left out where the store is shared. */
  readonly changes?: () => number
  close(): Promise<void>
}

/**
 * The topics of messages between desks: `watcher` what its watcher has read, `held` that held approvals changed, `presence` who looks at an item, `team`
 * that an assignment or what is set aside changed, `desks` which desks are alive, `freeze` that something was frozen or freed,
 * `away` that an absence began or ended.
 */
export type Topic = "watcher" | "held" | "presence" | "team" | "desks" | "freeze" | "away"

export const STORE_CALL_KINDS = ["read", "write", "transaction"] as const

/** Called when a call of the store is over, even if it failed. */
export type OnStoreCall = (kind: (typeof STORE_CALL_KINDS)[number], seconds: number, isDone: boolean) => void

/** A store that a command only reads. A desk may use the store at the same time. */
export type ReadOnlyDatabase = Pick<Database, "read" | "close">

/** The store is away, full or locked, so the same request can succeed later. The message holds no value of a row and may be logged. */
export class StoreUnavailableError extends Error {
  /** The `cause` of a log line. `timeout` includes a lock of another process, and `refused` a full disk. */
  readonly logCause: Cause

  constructor(message: string, logCause: Cause, options?: ErrorOptions) {
    super(message, options)
    this.logCause = logCause
  }
}

/** The fields for the log. Only the message of a StoreUnavailableError is known to hold no value of a row. */
export function faultFields(error: unknown): LogFields {
  if (error instanceof StoreUnavailableError) return { cause: error.logCause, failure: error.message }
  return { cause: "fault", failure: error instanceof Error ? error.name : "unknown" }
}

/** The SQLSTATEs of PostgreSQL, and SQLITE_CONSTRAINT and SQLITE_MISMATCH. */
const ROW_SQLSTATE = /^2[23][0-9A-Z]{3}$/
const ROW_RESULTS = [19, 20]

/** Whether the store refused a value or a key of the row itself, so that the same row would be refused again. */
export function isRefusedRow(error: unknown): boolean {
  const result = sqliteResultOf(error)
  if (result !== undefined) return ROW_RESULTS.includes(result)
  return error instanceof Error && "code" in error && ROW_SQLSTATE.test(String(error.code))
}

/** Replaces U+0000 and lone surrogates, which PostgreSQL refuses, by U+FFFD. */
export function storable<Stored extends Value>(value: Stored): Stored | string {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\u{FFFD}") : value
}

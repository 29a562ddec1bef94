/** What an error of `pg` means to the desk: the database is misconfigured or away, or the desk sent a wrong statement. */
import { DatabaseError } from "pg"
import { type Cause, causeOf } from "../../platform/cause.ts"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import { StoreUnavailableError } from "./database.ts"

/** SQLSTATEs of a server that refuses the user, password or database of the address. */
const MISCONFIGURED = /^(?:28|3D)/

/** SQLSTATEs of a server that is away for now, with the cause for the log. */
const AWAY: readonly (readonly [RegExp, Cause])[] = [
  // A deadlock, a lock that was not free in time, and a statement that took too long.
  [/^(?:40|55P03|57014)/, "timeout"],
  // The server ended the connection: a transaction was idle, an administrator stops the server, or one of its processes died.
  [/^(?:08|25P03|57P01|57P02)/, "cut"],
  // The server starts, is read-only, has no space or no connection left, or failed within.
  [/^(?:25006|53|57|58|XX)/, "refused"],
]

/**
 * The server refuses the user, password or database of the address, or the address or a file that it names cannot be used. This ends a start. Later each new connection tries again, because an
 * administrator may change the password in the server and in the desk's file.
 */
export class MisconfiguredError extends StoreUnavailableError {}

/**
 * The server refuses a statement, which is a fault of the desk. The log has only `code`, because the server's message may quote a value. `code` has
 * the SQLSTATE, the name of the statement, and the table, column or constraint that the server names.
 */
export class StatementError extends Error {
  override readonly name = "StatementError"
  readonly code: string

  constructor(statement: string, error: DatabaseError) {
    const { code = "", schema, table, column, constraint } = error
    super(`PostgreSQL: ${code}`, { cause: error })
    const named = Object.entries({ schema, table, column, constraint }).flatMap(([field, name]) =>
      name === undefined ? [] : [`${field} ${name}`],
    )
    this.code = [`${code} in ${statement}`, ...named].join(", ")
  }
}

/** Names a statement by its verb and first table: `INSERT away`. */
export function nameOfStatement(sql: string): string {
  const verb = /\w+/.exec(sql)?.[0] ?? ""
  const table = /\b(?:FROM|INTO|UPDATE|TABLE)\s+(\w+)/i.exec(sql)?.[1]
  return table === undefined ? verb : `${verb} ${table}`
}

/** What the callers of the store get for an error of `pg`. A wrong statement is a fault of the desk. */
export function toStoreError(error: unknown, statement: string): unknown {
  if (error instanceof StoreUnavailableError) return error
  const state = stateOf(error)
  if (state === "")
    return new StoreUnavailableError(`PostgreSQL: ${codeOf(error)}`, causeOfConnection(error), { cause: error })
  const message = `PostgreSQL: ${state}`
  if (MISCONFIGURED.test(state)) return new MisconfiguredError(message, "refused", { cause: error })
  const cause = AWAY.find(([states]) => states.test(state))?.[1]
  if (cause !== undefined) return new StoreUnavailableError(message, cause, { cause: error })
  return error instanceof DatabaseError ? new StatementError(statement, error) : error
}

/** The error that ends a start or a command. Its message holds no part of the address. */
export function toConfigurationError(error: unknown): ConfigurationError {
  if (error instanceof ConfigurationError) return error
  const state = stateOf(error) || stateOf(error instanceof Error ? error.cause : undefined)
  const reason = state === "" ? reasonWithoutState(error) : `PostgreSQL refused the connection (${state})`
  return new ConfigurationError(`DESK_DATABASE_URL: ${reason}`, { cause: error })
}

function reasonWithoutState(error: unknown): string {
  if (!(error instanceof MisconfiguredError)) return "PostgreSQL can't be reached"
  return `the address, or a file that it names, can't be used (${codeOf(error.cause)})`
}

/** The SQLSTATE of an error that the server reported. Empty for every other error. */
function stateOf(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? "") : ""
}

/** The system's code of a failed connection. The error's message is not used, because it could hold a part of the address. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "no answer"
}

function causeOfConnection(error: unknown): Cause {
  // The time-out errors of pg have no code.
  return error instanceof Error && /time-?out/i.test(error.message) ? "timeout" : causeOf(error)
}

/** START HERE for the store: opens SQLite or PostgreSQL, for a desk or for a command. */
import { ConfigurationError } from "../../platform/configuration-error.ts"
import { FileFault, readSecret, RereadFiles } from "../../platform/reread-files.ts"
import type { Database, OnStoreCall, ReadOnlyDatabase } from "./database.ts"
import { migrations, readVersion } from "./desk-schema.ts"
import {
  connectSqliteForReading,
  openSqlite,
  toConfigurationError as sqliteConfigurationError,
} from "./sqlite-store.ts"

export type StoreConfiguration = {
  /** DATA_DIR: the folder of the SQLite file. */
  readonly dataFolder: string
  /** The address of PostgreSQL; undefined: SQLite. A function gives the address that new connections use. */
  readonly databaseUrl: string | (() => string) | undefined
}

/** Returns a function for the present address of DESK_DATABASE_URL or its file; undefined: SQLite. @throws ConfigurationError */
export function readDatabaseUrl(env: NodeJS.ProcessEnv, files = new RereadFiles()): (() => string) | undefined {
  return readSecret(env, "DESK_DATABASE_URL", files, parseDatabaseUrl)
}

function parseDatabaseUrl(text: string): string {
  const value = text.trim()
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !["postgres:", "postgresql:"].includes(url.protocol)) {
    throw new FileFault("must be an address that begins with postgres://")
  }
  return value
}

const toFunction = (url: string | (() => string)) => (typeof url === "string" ? () => url : url)

/** Opens the store and migrates its tables. `limitMs` is PostgreSQL's time limit of a statement; 0 is none. @throws ConfigurationError */
export async function openDatabase(
  { dataFolder, databaseUrl }: StoreConfiguration,
  { limitMs, onCall }: { readonly limitMs?: number; readonly onCall?: OnStoreCall | undefined } = {},
): Promise<Database> {
  if (databaseUrl === undefined) return openSqlite(dataFolder, onCall)
  // Only a desk with PostgreSQL loads its client.
  const { openPostgres } = await import("./postgres-store.ts")
  return openPostgres(toFunction(databaseUrl), limitMs, onCall)
}

/** Opens the store for a command that changes rows. Migrates nothing. @throws ConfigurationError when the tables are not of this version */
export async function openDatabaseForChanges(configuration: StoreConfiguration): Promise<Database> {
  const { version, variable, close } = await openDatabaseForReading(configuration)
  await close()
  if (version === migrations.length) return openDatabase(configuration, { limitMs: 0 })
  throw new ConfigurationError(
    `${variable}: an older version of Workdesk wrote the data. Start this version of the desk first`,
  )
}

/** A store that a command only reads, the version of its tables, and the variable that names it. */
type OpenedForReading = ReadOnlyDatabase & { readonly version: number; readonly variable: string }

/** Opens the store for reading, and neither makes nor migrates tables. @throws ConfigurationError when the store cannot be read */
export async function openDatabaseForReading(configuration: StoreConfiguration): Promise<OpenedForReading> {
  const { variable, connect, toConfigurationError } = await readerOf(configuration)
  let database: ReadOnlyDatabase | undefined
  try {
    database = connect()
    return { ...database, version: await readVersion(database, variable), variable }
  } catch (error) {
    await database?.close()
    throw toConfigurationError(error)
  }
}

async function readerOf({ dataFolder, databaseUrl }: StoreConfiguration) {
  if (databaseUrl === undefined) {
    const connect = () => connectSqliteForReading(dataFolder)
    return { variable: "DATA_DIR", connect, toConfigurationError: sqliteConfigurationError }
  }
  const { connectPostgresForReading } = await import("./postgres-store.ts")
  const { toConfigurationError } = await import("./postgres-errors.ts")
  const connect = () => connectPostgresForReading(toFunction(databaseUrl))
  return { variable: "DESK_DATABASE_URL", connect, toConfigurationError }
}

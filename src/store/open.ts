import { ConfigurationError } from "../contract/configuration-error.ts"
import type { Database, ReadOnlyDatabase } from "./database.ts"
import { migrations, refuseNewer } from "./schema.ts"
import { openSqlite, openSqliteForReading } from "./sqlite.ts"

export type StoreConfiguration = {
  /** DATA_DIR: the folder of the SQLite file. */
  readonly dataFolder: string
  /** DESK_DATABASE_URL; undefined: SQLite. */
  readonly databaseUrl: string | undefined
}

/** Reads DESK_DATABASE_URL. @throws ConfigurationError when the value is not a postgres:// address */
export function readDatabaseUrl(env: NodeJS.ProcessEnv): string | undefined {
  const value = env["DESK_DATABASE_URL"]
  if (value === undefined) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !["postgres:", "postgresql:"].includes(url.protocol)) {
    throw new ConfigurationError("DESK_DATABASE_URL must be an address that begins with postgres://")
  }
  return value
}

/** Opens the desk's store, and makes or migrates its tables. @throws ConfigurationError when it cannot be used */
export async function openDatabase({ dataFolder, databaseUrl }: StoreConfiguration): Promise<Database> {
  if (databaseUrl === undefined) return openSqlite(dataFolder)
  // Only a desk with PostgreSQL loads its client.
  const { openPostgres } = await import("./postgres.ts")
  return openPostgres(databaseUrl)
}

/**
 * Opens the store for a command that changes rows, also while desks run. Neither makes nor migrates tables.
 * @throws ConfigurationError when the store cannot be used, or its tables are not those of this version
 */
export async function openDatabaseForChanges(configuration: StoreConfiguration): Promise<Database> {
  const variable = configuration.databaseUrl === undefined ? "DATA_DIR" : "DESK_DATABASE_URL"
  const reading = await openDatabaseForReading(configuration)
  const version = await refuseNewer(reading, variable)
  await reading.close()
  if (version === migrations.length) return openDatabase(configuration)
  throw new ConfigurationError(
    `${variable}: an older version of Workdesk wrote the data: start a desk of this version first`,
  )
}

/** Opens the store for reading, and neither makes nor migrates tables. @throws ConfigurationError when the store cannot be read */
export async function openDatabaseForReading({
  dataFolder,
  databaseUrl,
}: StoreConfiguration): Promise<ReadOnlyDatabase> {
  if (databaseUrl === undefined) return openSqliteForReading(dataFolder)
  const { openPostgresForReading } = await import("./postgres.ts")
  return openPostgresForReading(databaseUrl)
}

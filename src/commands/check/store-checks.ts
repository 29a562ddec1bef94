/** The checks of the desk's database: whether it can be used, the version of its tables, and its clock. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { migrations, readVersion } from "../../desk/store/desk-schema.ts"
import type { ReadOnlyDatabase } from "../../desk/store/database.ts"
import { connectSqliteForCheck, sqliteFileIn, toConfigurationError } from "../../desk/store/sqlite-store.ts"
import { refuseUnfinishedRestore } from "../../desk/store/unfinished-restore.ts"
import { checkDataFolder, DataFolderError } from "../../service/store/open-service-store.ts"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import { ANSWER_MS, bad, type CheckLine, CLOCK_SECONDS, clockLine, describeFailure, good } from "./check-line.ts"

const OLDEST_POSTGRES = 140_000

const isNewer = (message: string) => message.includes("newer version")

/** Reports the version of the tables. 0 means that there are none yet. */
function versionLine(version: number): CheckLine {
  if (version === migrations.length) return good("schema", `version ${version}, up to date`)
  if (version === 0) return good("schema", "no tables yet: the first start creates them")
  const found = `version ${version}: the next start migrates it to ${migrations.length}`
  return good("schema", `${found}, so make a backup first (npm run backup)`)
}

const newerLine = bad(
  "schema",
  "a newer version of Workdesk wrote the data",
  "install that version again, or restore a backup of this version into another DATA_DIR or database",
)

export async function checkSqlite(dataFolder: string): Promise<readonly CheckLine[]> {
  let database: ReadOnlyDatabase | undefined
  try {
    refuseUnfinishedRestore(dataFolder)
    if (!existsSync(sqliteFileIn(dataFolder))) {
      return [good("database", "SQLite in DATA_DIR: the first start creates it"), versionLine(0)]
    }
    database = connectSqliteForCheck(dataFolder)
    const version = await readVersion(database, "DATA_DIR")
    return [good("database", "SQLite in DATA_DIR, for one desk"), versionLine(version)]
  } catch (error) {
    const { message } = toConfigurationError(error)
    if (isNewer(message)) return [newerLine]
    const place = `DATA_DIR, ${join("desk", "desk.db")}`
    return [bad("database", message, `restore a backup, or correct the permissions of ${place}`)]
  } finally {
    await database?.close()
  }
}

/** The embedded service's database in DATA_DIR. */
export function checkServiceStore(dataFolder: string): CheckLine {
  try {
    checkDataFolder(join(dataFolder, "service"))
    return good("service", "the embedded service (no WORK_API_URL), for one desk")
  } catch (error) {
    const found =
      error instanceof DataFolderError
        ? `the embedded service: ${error.message}`
        : "the embedded service's data can't be read"
    const change = isNewer(found) ? "install that version again" : "restore a backup (npm run restore)"
    return bad("service", found, `${change}, or set another DATA_DIR`)
  }
}

/** Why PostgreSQL refused a connection, by the beginning of the SQLSTATE. */
const REFUSALS: readonly (readonly [state: RegExp, found: string, change: string])[] = [
  [/\(28/, "PostgreSQL refuses the user or the password", "correct user and password in DESK_DATABASE_URL"],
  [/\(3D/, "PostgreSQL has no such database", "create the database, or correct its name in DESK_DATABASE_URL"],
]

export async function checkPostgres(url: () => string): Promise<readonly CheckLine[]> {
  const { connectPostgresForReading } = await import("../../desk/store/postgres-store.ts")
  const { toConfigurationError: toPostgresError } = await import("../../desk/store/postgres-errors.ts")
  const database = connectPostgresForReading(url)
  const late = AbortSignal.timeout(ANSWER_MS)
  const closed = Promise.withResolvers<never>()
  late.addEventListener("abort", () => closed.reject(late.reason))
  try {
    return await Promise.race([askPostgres(database), closed.promise])
  } catch (error) {
    if (error instanceof ConfigurationError && isNewer(error.message)) return [newerLine]
    const { message } = toPostgresError(error)
    const [, refused, more] = REFUSALS.find(([state]) => state.test(message)) ?? []
    if (refused !== undefined && more !== undefined) return [bad("database", refused, more)]
    const { found, change } = describeFailure(error, "correct the address in DESK_DATABASE_URL, or start PostgreSQL")
    const isOther = /can't be used|refused the connection/.test(message)
    return [bad("database", isOther ? message : `PostgreSQL: ${found}`, change)]
  } finally {
    void database.close().catch(() => undefined)
  }
}

async function askPostgres(database: ReadOnlyDatabase): Promise<readonly CheckLine[]> {
  const began = Date.now()
  const [server] = await database.read(
    `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS standby,
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock,
      has_schema_privilege(current_schema(), 'CREATE') AS creates, to_regclass('schema_version') IS NOT NULL AS filled`,
  )
  const middle = (began + Date.now()) / 2
  const is = (name: string) => String(server?.[name]) === "true"
  const version = Number(server?.["version"])
  const filled = is("filled")
  const lines: CheckLine[] = []
  if (version < OLDEST_POSTGRES) {
    lines.push(bad("database", `PostgreSQL ${Math.floor(version / 10_000)} is too old`, "use PostgreSQL 14 or newer"))
  } else if (is("standby")) {
    lines.push(bad("database", "PostgreSQL is a read-only standby", "set DESK_DATABASE_URL to the primary"))
  } else if (!filled && !is("creates")) {
    const change = "grant the user of DESK_DATABASE_URL CREATE on schema public, or make it the owner"
    lines.push(bad("database", "the user can't create tables", change))
  } else lines.push(good("database", `PostgreSQL ${Math.floor(version / 10_000)} responds`))
  lines.push(versionLine(filled ? await readVersion(database, "DESK_DATABASE_URL") : 0))
  const theirs = Number(server?.["clock"])
  lines.push(...clockLine("database clock", { whose: "PostgreSQL's", theirs, middle, allowedSeconds: CLOCK_SECONDS }))
  return lines
}

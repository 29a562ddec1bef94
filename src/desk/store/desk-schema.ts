/** The migrations of the desk's store, and how a store is brought to the newest schema. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import type { Reader, Statements } from "./database.ts"

const readMigration = (version: number) =>
  readFileSync(join(import.meta.dirname, "migrations", `${version}.sql`), "utf8")

/**
 * The migrations, one for each version, in the SQL of SQLite. A released file is never changed: a change of the tables is a new file and its number
 * here. `upgrade.test.ts` opens a store of each version in `src/desk/store/testing/released`. Times are milliseconds since 1970.
 */
export const migrations: readonly string[] = [1, 2, 3, 4, 5].map(readMigration)

/** Translates a migration for PostgreSQL, which has no STRICT tables and no `instr`, whose INTEGER has 32 bits, and for which `--postgres` begins SQL. */
export function forPostgres(sql: string): string {
  return sql
    .replaceAll(/\bINTEGER\b/g, "BIGINT")
    .replaceAll(/\) STRICT;/g, ");")
    .replaceAll("--postgres ", "")
    .replaceAll(/\binstr\(/g, "strpos(")
}

/** Migrates the tables, in a transaction of the lock `schema`. `script` runs SQL without values. @throws ConfigurationError for newer tables */
export async function migrate(
  statements: Statements,
  script: (sql: string) => Promise<void>,
  variable: string,
): Promise<void> {
  await script("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
  const version = await readVersion(statements, variable)
  if (version === migrations.length) return
  for (const migration of migrations.slice(version)) await script(migration)
  await statements.write("DELETE FROM schema_version")
  await statements.write("INSERT INTO schema_version (version) VALUES (?)", migrations.length)
}

/** Reads the version of the tables. @throws ConfigurationError when the tables have a newer version */
export async function readVersion({ read }: Reader, variable: string): Promise<number> {
  const [row] = await read("SELECT version FROM schema_version")
  const version = Number(row?.["version"] ?? 0)
  if (version > migrations.length) {
    throw new ConfigurationError(
      `${variable}: a newer version of Workdesk wrote the data, so this version can't use it`,
    )
  }
  return version
}

/** Checks the key that signs heads of the record. Doesn't create a key. */
import { existsSync } from "node:fs"
import type { DeskConfiguration } from "../../desk/http/desk-configuration.ts"
import { isAnyKeyKnown, type KeyPlace, readKeyFile } from "../../desk/record/heads/record-key.ts"
import type { ReadOnlyDatabase } from "../../desk/store/database.ts"
import { connectSqliteForCheck, sqliteFileIn } from "../../desk/store/sqlite-store.ts"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import { bad, type CheckLine, good } from "./check-line.ts"

const SUBJECT = "record key"

type Configuration = Pick<DeskConfiguration, "dataFolder" | "databaseUrl" | "recordKey">

export async function checkRecordKey(configuration: Configuration): Promise<readonly CheckLine[]> {
  const { place } = configuration.recordKey
  if (place.kind === "store") return [good(SUBJECT, "in the database: whoever has the database has the key")]
  try {
    if (readKeyFile(place) !== undefined) return [good(SUBJECT, "an Ed25519 key that only this user can read")]
    if (!(await isKeyMissing(configuration))) return [good(SUBJECT, "no key yet: the first start makes it")]
    return [bad(SUBJECT, `${place.name} is missing`, changeFor(place))]
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return [bad(SUBJECT, error.message, changeFor(place))]
  }
}

const changeFor = ({ name }: KeyPlace & { readonly kind: "file" }) =>
  `restore the file of ${name}, change its mode to 0600, or run npm run record -- key --new`

/** Whether the record knows a key. A database that can't be read has a line of its own. */
async function isKeyMissing({ dataFolder, databaseUrl }: Configuration): Promise<boolean> {
  let database: ReadOnlyDatabase | undefined
  try {
    if (databaseUrl === undefined) {
      if (!existsSync(sqliteFileIn(dataFolder))) return false
      database = connectSqliteForCheck(dataFolder)
    } else {
      const { connectPostgresForReading } = await import("../../desk/store/postgres-store.ts")
      database = connectPostgresForReading(databaseUrl)
    }
    return await isAnyKeyKnown(database)
  } catch {
    return false
  } finally {
    await database?.close().catch(() => undefined)
  }
}

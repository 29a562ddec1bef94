/** `npm run restore -- FILE`: lays out a backup in a DATA_DIR that is empty. Reads the desk's environment. */
import { ConfigurationError } from "../contract/configuration.ts"
import { readDatabaseUrl } from "../people/store/open.ts"
import { BackupError, restoreBackup } from "./backup/archive.ts"

const [file, ...others] = process.argv.slice(2)
const { env } = process

try {
  if (file === undefined || others.length > 0) throw new BackupError("usage: npm run restore -- FILE")
  if (readDatabaseUrl(env) !== undefined) {
    console.log("DESK_DATABASE_URL is set: the desk uses PostgreSQL, and not the record of this file.")
  }
  const names = restoreBackup(file, env["DATA_DIR"] || ".data")
  console.log(`Restored ${names.join(", ")}. Everybody signs in anew.`)
} catch (error) {
  if (!(error instanceof BackupError) && !(error instanceof ConfigurationError)) throw error
  console.error(`workdesk: ${error.message}`)
  process.exitCode = 1
}

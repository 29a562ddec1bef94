/** `npm run restore -- FOLDER` restores a backup into an empty DATA_DIR. It reads the desk's environment. */
import { ConfigurationError } from "../contract/configuration-error.ts"
import { readDatabaseUrl } from "../store/open.ts"
import { BackupError, restoreBackup } from "./backup-folder.ts"

const [folder, ...others] = process.argv.slice(2)
const { env } = process

try {
  if (folder === undefined || others.length > 0) throw new BackupError("usage: npm run restore -- FOLDER")
  if (readDatabaseUrl(env) !== undefined) {
    console.log("DESK_DATABASE_URL is set: the desk uses PostgreSQL, and does not use the record of this backup.")
  }
  const names = await restoreBackup(folder, env["DATA_DIR"] || ".data")
  console.log(`Restored ${names.join(", ")}. All people have to sign in again.`)
} catch (error) {
  if (!(error instanceof BackupError) && !(error instanceof ConfigurationError)) throw error
  console.error(`workdesk: ${error.message}`)
  process.exitCode = 1
}

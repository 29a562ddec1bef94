/** `npm run backup -- FOLDER` copies the data of the embedded service and of the desk while both run. It reads the desk's environment. */
import { ConfigurationError } from "../contract/configuration-error.ts"
import { readDatabaseUrl } from "../store/open.ts"
import { BackupError, writeBackup } from "./backup-folder.ts"

const [folder, ...others] = process.argv.slice(2)
const { env } = process

try {
  if (folder === undefined || others.length > 0) throw new BackupError("usage: npm run backup -- FOLDER")
  if (readDatabaseUrl(env) !== undefined) {
    console.log("DESK_DATABASE_URL is set: sessions, the record and views are in PostgreSQL. Copy them with pg_dump.")
  }
  const names = await writeBackup(env["DATA_DIR"] || ".data", folder)
  console.log(`Copied ${names.join(", ")} to ${folder}`)
} catch (error) {
  if (!(error instanceof BackupError) && !(error instanceof ConfigurationError)) throw error
  console.error(`workdesk: ${error.message}`)
  process.exitCode = 1
}

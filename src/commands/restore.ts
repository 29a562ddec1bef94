/** `npm run restore -- FOLDER` restores a backup into an empty DATA_DIR. It reads the desk's environment.
 * `backup-folder.ts` says which files are put back, and that all sessions have ended. */
import { restoreBackup } from "./backup-folder.ts"
import { CommandError, runAsCommand, storeOf } from "./command.ts"

const [folder, ...others] = process.argv.slice(2)

await runAsCommand(async () => {
  if (folder === undefined || folder.startsWith("-") || others.length > 0)
    throw new CommandError("usage: npm run restore -- FOLDER")
  const { dataFolder, databaseUrl } = storeOf(process.env)
  if (databaseUrl !== undefined) {
    console.log("DESK_DATABASE_URL is set: the desk uses PostgreSQL, and does not use the record of this backup.")
  }
  const names = await restoreBackup(folder, dataFolder)
  console.log(`Restored ${names.join(", ")}. All people have to sign in again.`)
  return 0
})

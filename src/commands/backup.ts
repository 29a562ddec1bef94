/** `npm run backup -- FOLDER` copies the data of the embedded service and of the desk while both run. It reads the desk's environment.
 * `backup-folder.ts` says which files are copied, and in which order. */
import { writeBackup } from "./backup-folder.ts"
import { CommandError, runAsCommand, storeOf } from "./command.ts"

const [folder, ...others] = process.argv.slice(2)

await runAsCommand(async () => {
  if (folder === undefined || folder.startsWith("-") || others.length > 0)
    throw new CommandError("usage: npm run backup -- FOLDER")
  const { dataFolder, databaseUrl } = storeOf(process.env)
  if (databaseUrl !== undefined) {
    console.log("DESK_DATABASE_URL is set: sessions, the record and views are in PostgreSQL. Copy them with pg_dump.")
  }
  console.log(`Copied ${(await writeBackup(dataFolder, folder)).join(", ")} to ${folder}`)
  return 0
})

/** `npm run restore` restores a backup into an empty DATA_DIR. It reads the desk's environment. */
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as v from "valibot"
import { removeDurably, syncPath, writeDurably } from "../service/store/durable-file.ts"
import { KEY_FILE } from "../desk/record/heads/record-key.ts"
import { UNFINISHED_RESTORE } from "../desk/store/unfinished-restore.ts"
import { backupList, DATABASES, LIST_FILE, makeParent, orCommandError, secureAndHash } from "./backup.ts"
import { CommandError, isStartedWith, runAsCommand, storeOf } from "./command.ts"

/** What a restore writes to DATA_DIR. */
const FOLDERS = ["service", "service/outbox", "desk"]
const RESTORED = [...FOLDERS, KEY_FILE]

const USAGE = `Usage:
  npm run restore -- FOLDER    restores a backup into DATA_DIR, which must be empty. Sessions are not restored`

/**
 * Restores a backup into a DATA_DIR that is empty, missing, or has an unfinished restore. Returns the names of the restored databases.
 * @throws CommandError when DATA_DIR is not empty, or the backup is missing or damaged. Then what was copied is removed
 */
export async function restoreBackup(folder: string, dataFolder: string): Promise<readonly string[]> {
  const isUsed = orCommandError(
    "DATA_DIR can't be read",
    () => existsSync(dataFolder) && !isRestorable(readdirSync(dataFolder)),
  )
  if (isUsed) {
    throw new CommandError("DATA_DIR isn't empty. Nothing was restored: set DATA_DIR to an empty folder")
  }
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) throw new CommandError("there is no folder with this name")
  if (!stats.isDirectory())
    throw new CommandError(
      `${basename(folder)} is a file, not a folder. To restore a single-file backup, use the version of Workdesk that wrote it`,
    )
  const { sha256 } = orCommandError(`${LIST_FILE} is missing or damaged`, () =>
    v.parse(backupList, JSON.parse(readFileSync(join(folder, LIST_FILE), "utf8"))),
  )
  const unfinished = makeParent(dataFolder, UNFINISHED_RESTORE)
  // Until this file is removed, no desk starts on the folder.
  orCommandError("DATA_DIR can't be written", () => writeDurably(unfinished, ""))
  try {
    removeRestored(dataFolder)
    for (const [name, hash] of Object.entries(sha256)) {
      const path = makeParent(dataFolder, name)
      orCommandError(`${name} can't be restored`, () => copyFileSync(join(folder, name), path))
      if ((await secureAndHash(path)) !== hash) throw new CommandError(`${name} is damaged`)
    }
    if ("desk/desk.db" in sha256) endSessions(join(dataFolder, "desk/desk.db"))
    for (const folder of FOLDERS.filter((name) => existsSync(join(dataFolder, name))))
      syncPath(join(dataFolder, folder))
    syncPath(dataFolder)
    removeDurably(unfinished)
    return DATABASES.filter((name) => name in sha256)
  } catch (error) {
    removeRestored(dataFolder)
    removeDurably(unfinished)
    throw error
  }
}

/** Whether a folder with these entries is empty, or has a part of a restore that was not finished. */
const isRestorable = (names: readonly string[]) =>
  names.length === 0 ||
  (names.includes(UNFINISHED_RESTORE) && names.every((name) => name === UNFINISHED_RESTORE || RESTORED.includes(name)))

function removeRestored(dataFolder: string): void {
  for (const name of RESTORED) rmSync(join(dataFolder, name), { recursive: true, force: true })
}

/** Removes the sessions and the devices of push of the backup: some may have ended since, and some may belong to people who were forgotten. */
function endSessions(path: string): void {
  using database = new DatabaseSync(path)
  database.exec("PRAGMA secure_delete = ON; DELETE FROM session; DELETE FROM sign_in; DELETE FROM push_device")
}

if (isStartedWith(import.meta.filename)) {
  await runAsCommand({ usage: USAGE, options: {} }, async (_, folder, ...others) => {
    if (folder === undefined || others.length > 0) return "usage"
    const { dataFolder, databaseUrl } = storeOf(process.env)
    if (databaseUrl !== undefined) {
      console.log("DESK_DATABASE_URL is set: the desk uses PostgreSQL, not the record in this backup.")
    }
    const names = await restoreBackup(folder, dataFolder)
    console.log(`Restored ${names.join(", ")}.`)
    if (databaseUrl === undefined) console.log("Everybody has to sign in again.")
    return 0
  })
}

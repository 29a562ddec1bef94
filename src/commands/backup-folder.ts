/**
 * Writes and restores backups. A backup is a folder with the files of DATA_DIR, and `backup.json` with the SHA-256 of each. Databases are copied
 * with SQLite's own backup, so that a desk may use them meanwhile.
 */
import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import * as v from "valibot"
import { CommandError } from "./command.ts"
import { renameDurably, syncPath, writeDurably } from "../service/store/durable-file.ts"

const LIST = "backup.json"
const ALL_PAGES = 0x7f_ff_ff_ff

/**
 * The databases in the order of copying. The desk writes a decision into its record before the service receives it. So a record that is
 * copied after the service's database has every decision of that database.
 */
const DATABASES = ["service/service.db", "desk/desk.db"]
const FILES = ["service/token", "service/outbox/*"]
/** The names that may be restored. A name such as `../x` in a forged backup is refused. */
const RESTORABLE = /^(?:service\/service\.db|desk\/desk\.db|service\/token|service\/outbox\/(?!\.{1,2}$)[^/\\\0]+)$/

const List = v.object({
  format: v.literal("workdesk backup 2"),
  sha256: v.record(v.pipe(v.string(), v.regex(RESTORABLE)), v.string()),
})

/**
 * Writes a backup of DATA_DIR to `folder`. An older backup is replaced only by a complete one. Gives the names of the copied databases.
 * @throws CommandError when there is nothing to copy, or the folder cannot be written or holds something else
 */
export async function writeBackup(dataFolder: string, folder: string): Promise<readonly string[]> {
  const databases = DATABASES.filter((name) => existsSync(join(dataFolder, name)))
  if (databases.length === 0) throw new CommandError("DATA_DIR holds no data to copy")
  const target = resolve(folder)
  if (!isReplaceable(target))
    throw new CommandError("there is something else than a backup. Nothing was written: name another folder")
  const draft = attempt("the backup cannot be written", () => mkdtempSync(join(dirname(target), ".workdesk-backup-")))
  try {
    const copy = join(draft, "new")
    for (const name of databases) await copyDatabase(join(dataFolder, name), makeParent(copy, name))
    const files = globSync(FILES, { cwd: dataFolder }).filter((name) => copyIfThere(join(dataFolder, name), copy, name))
    const sha256: Record<string, string> = {}
    for (const name of [...databases, ...files]) {
      chmodSync(join(copy, name), 0o600)
      syncPath(join(copy, name))
      sha256[name.replaceAll("\\", "/")] = await hashOf(join(copy, name))
    }
    const list: v.InferOutput<typeof List> = { format: "workdesk backup 2", sha256 }
    writeDurably(join(copy, LIST), `${JSON.stringify(list, undefined, 2)}\n`)
    if (existsSync(target)) renameSync(target, join(draft, "old"))
    renameDurably(copy, target)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return databases
}

/** Whether a backup may be written to this path: nothing is there, an empty folder, or an older backup. */
function isReplaceable(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return true
  return stats.isDirectory() && (readdirSync(path).length === 0 || existsSync(join(path, LIST)))
}

function makeParent(folder: string, name: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return path
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true })
  try {
    // All pages are copied in one step. After a change by another process between two steps, SQLite would begin the copy again.
    await backup(source, to, { rate: ALL_PAGES })
  } finally {
    source.close()
  }
}

/** Copies a file. Gives false when it is gone, for instance because retention has removed the letter of an old Work meanwhile. */
function copyIfThere(from: string, folder: string, name: string): boolean {
  try {
    copyFileSync(from, makeParent(folder, name))
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false
    throw error
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256")
  for await (const piece of createReadStream(path)) hash.update(piece)
  return hash.digest("hex")
}

/**
 * Restores a backup into a DATA_DIR that is empty or does not exist. Gives the names of the restored databases.
 * @throws CommandError when DATA_DIR is not empty, or the backup is missing or damaged. DATA_DIR is then empty
 */
export async function restoreBackup(folder: string, dataFolder: string): Promise<readonly string[]> {
  const isUsed = attempt("DATA_DIR cannot be read", () => existsSync(dataFolder) && readdirSync(dataFolder).length > 0)
  if (isUsed) {
    throw new CommandError(
      "DATA_DIR is not empty. Nothing was restored: name an empty folder, or remove the content of this folder first",
    )
  }
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) throw new CommandError("there is no such folder")
  if (!stats.isDirectory())
    throw new CommandError(`${basename(folder)} is a file. Restore a backup in one file with the version that wrote it`)
  const { sha256 } = attempt(`${LIST} is missing or damaged`, () =>
    v.parse(List, JSON.parse(readFileSync(join(folder, LIST), "utf8"))),
  )
  try {
    for (const [name, hash] of Object.entries(sha256)) {
      const path = join(dataFolder, name)
      attempt(`${name} cannot be restored`, () => copyFileSync(join(folder, name), makeParent(dataFolder, name)))
      chmodSync(path, 0o600)
      syncPath(path)
      if ((await hashOf(path)) !== hash) throw new CommandError(`${name} is damaged`)
    }
    if ("desk/desk.db" in sha256) endSessions(join(dataFolder, "desk/desk.db"))
    return DATABASES.filter((name) => name in sha256)
  } catch (error) {
    for (const name of ["service", "desk"]) rmSync(join(dataFolder, name), { recursive: true, force: true })
    throw error
  }
}

/** Removes the sessions of the backup, because some of them may have ended since. */
function endSessions(path: string): void {
  const database = new DatabaseSync(path)
  database.exec("DELETE FROM session; DELETE FROM sign_in")
  database.close()
}

/** Runs `action`. @throws CommandError with `fault` and the first line of the message of the action's error */
function attempt<Result>(fault: string, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n")
    throw new CommandError(`${fault} (${reason})`, { cause: error })
  }
}

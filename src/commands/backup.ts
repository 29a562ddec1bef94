/**
 * `npm run backup` copies the data of the embedded service and of the desk while both run. It reads the desk's environment. A backup is a folder
 * with the files of DATA_DIR, and `backup.json` with the SHA-256 of each.
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
  renameSync,
  rmSync,
  statSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import * as v from "valibot"
import { KEY_FILE } from "../desk/record/heads/record-key.ts"
import { renameDurably, syncPath, writeDurably } from "../service/store/durable-file.ts"
import { CommandError, isStartedWith, runAsCommand, storeOf } from "./command.ts"

const USAGE = `Usage:
  npm run backup -- FOLDER    copies DATA_DIR to a folder, even while the desk runs. An older backup there is replaced`

export const LIST_FILE = "backup.json"
const ALL_PAGES = 0x7f_ff_ff_ff

/** The databases in the order of copying. The record comes after the service's database, so that it has every decision of that database. */
export const DATABASES = ["service/service.db", "desk/desk.db"]
const FILES = [KEY_FILE, "service/token", "service/outbox/*"]
/** What the folder of a backup holds at most. */
const ENTRIES: ReadonlySet<string> = new Set([LIST_FILE, KEY_FILE, "service", "desk"])
/** The names that may be restored. A name such as `../x` in a forged backup is refused. */
const RESTORABLE =
  /^(?:record\.key|service\/service\.db|desk\/desk\.db|service\/token|service\/outbox\/(?!\.{1,2}$)[^/\\\0]+)$/

export const backupList = v.object({
  format: v.literal("workdesk backup 2"),
  sha256: v.record(v.pipe(v.string(), v.regex(RESTORABLE)), v.string()),
})

/** Writes a backup of DATA_DIR to `folder`, and replaces an older one. Returns the names of the copied databases. @throws CommandError */
export async function writeBackup(dataFolder: string, folder: string): Promise<readonly string[]> {
  const databases = DATABASES.filter((name) => existsSync(join(dataFolder, name)))
  if (databases.length === 0) throw new CommandError("DATA_DIR has no data to copy")
  const target = resolve(folder)
  if (!isReplaceable(target))
    throw new CommandError(
      "the folder contains something other than a backup. Nothing was written: name another folder",
    )
  const draft = orCommandError("the backup can't be written", () =>
    mkdtempSync(join(dirname(target), ".workdesk-backup-")),
  )
  try {
    const copy = join(draft, "new")
    for (const name of databases) await copyDatabase(join(dataFolder, name), makeParent(copy, name))
    const files = globSync(FILES, { cwd: dataFolder }).filter((name) => copyIfThere(join(dataFolder, name), copy, name))
    const sha256: Record<string, string> = {}
    for (const name of [...databases, ...files])
      sha256[name.replaceAll("\\", "/")] = await secureAndHash(join(copy, name))
    const list: v.InferOutput<typeof backupList> = { format: "workdesk backup 2", sha256 }
    writeDurably(join(copy, LIST_FILE), `${JSON.stringify(list, undefined, 2)}\n`)
    replaceFolder(target, copy, join(draft, "old"))
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return databases
}

/** Moves `target` to `old`, and the new folder to `target`. If that fails, `target` is moved back. */
function replaceFolder(target: string, copy: string, old: string): void {
  if (!existsSync(target)) return renameDurably(copy, target)
  renameSync(target, old)
  try {
    renameDurably(copy, target)
  } catch (error) {
    if (!existsSync(target)) renameSync(old, target)
    throw error
  }
}

/** Whether a backup may be written to this path: the path has nothing, an empty folder, or an older backup. */
function isReplaceable(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return true
  if (!stats.isDirectory()) return false
  const names = readdirSync(path)
  return names.length === 0 || (names.includes(LIST_FILE) && names.every((name) => ENTRIES.has(name)))
}

/** Makes the parent folders of a file in `folder`. Returns its path. */
export function makeParent(folder: string, name: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return path
}

/** Copies a database with SQLite's own backup, because a desk may use it meanwhile. */
async function copyDatabase(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true })
  // All pages are copied in one step. After a change by another process between two steps, SQLite would begin the copy again.
  await backup(source, to, { rate: ALL_PAGES })
}

/** Copies a file. Returns false when it is gone, for instance because retention has removed the letter of an old Work in the meantime. */
function copyIfThere(from: string, folder: string, name: string): boolean {
  try {
    copyFileSync(from, makeParent(folder, name))
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false
    throw error
  }
}

/** Makes a copied file private and durable, and returns its SHA-256. */
export async function secureAndHash(path: string): Promise<string> {
  chmodSync(path, 0o600)
  syncPath(path)
  const hash = createHash("sha256")
  for await (const piece of createReadStream(path)) hash.update(piece)
  return hash.digest("hex")
}

/** Runs `action`. @throws CommandError with `fault` and the first line of the message of the action's error */
export function orCommandError<Result>(fault: string, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n")
    throw new CommandError(`${fault} (${reason})`, { cause: error })
  }
}

if (isStartedWith(import.meta.filename)) {
  await runAsCommand({ usage: USAGE, options: {} }, async (_, folder, ...others) => {
    if (folder === undefined || others.length > 0) return "usage"
    const { dataFolder, databaseUrl } = storeOf(process.env)
    if (databaseUrl !== undefined) {
      console.log(
        "DESK_DATABASE_URL is set: sessions, the record and views are in PostgreSQL. Back them up with pg_dump.",
      )
    }
    if (process.env["RECORD_KEY_FILE"])
      console.log("RECORD_KEY_FILE is set: the record's key isn't in this backup. Copy the file yourself.")
    console.log(`Copied ${(await writeBackup(dataFolder, folder)).join(", ")} to ${folder}`)
    return 0
  })
}

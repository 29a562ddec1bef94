/**
 * Writes and restores backups. A backup is a SQLite file with the files of DATA_DIR in pieces, and the SHA-256 of each file. Databases are
 * copied with SQLite's own backup, so that a desk may use them meanwhile.
 */
import { createHash } from "node:crypto"
import {
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
  fsyncSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import { renameDurably, syncPath } from "../../service/store/durable-file.ts"

/** A backup that cannot be written or restored. The message is one line for the person who runs the command. */
export class BackupError extends Error {}

const FORMAT = "workdesk backup 1"
const PIECE_BYTES = 1_048_576
const ALL_PAGES = 0x7f_ff_ff_ff

/**
 * The databases in the order of copying. The desk writes a decision into its record before the service receives it. So a record that is
 * copied after the service's database has every decision of that database.
 */
const DATABASES = ["service/service.db", "desk/desk.db"]
const FILES = ["service/token", "service/outbox/*"]
/** The names that may be restored. A name such as `../x` in a forged backup is refused. */
const RESTORABLE = /^(?:service\/service\.db|desk\/desk\.db|service\/token|service\/outbox\/(?!\.{1,2}$)[^/\\\0]+)$/

/**
 * Writes a backup of DATA_DIR to `file`. An older file is replaced only by a complete one. Gives the names of the copied databases.
 * @throws BackupError when there is nothing to copy or the file cannot be written
 */
export async function writeBackup(dataFolder: string, file: string): Promise<readonly string[]> {
  const databases = DATABASES.filter((name) => existsSync(join(dataFolder, name)))
  if (databases.length === 0) throw new BackupError("DATA_DIR holds no data to copy")
  const folder = attempt("the backup cannot be written", () =>
    mkdtempSync(join(dirname(resolve(file)), ".workdesk-backup-")),
  )
  try {
    for (const name of databases) await copyDatabase(join(dataFolder, name), join(folder, name))
    const draft = join(folder, "archive")
    pack(draft, [
      ...databases.map((name) => ({ name, path: join(folder, name) })),
      ...globSync(FILES, { cwd: dataFolder }).map((name) => ({ name, path: join(dataFolder, name) })),
    ])
    syncPath(draft)
    renameDurably(draft, resolve(file))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return databases
}

async function copyDatabase(from: string, to: string): Promise<void> {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  const source = new DatabaseSync(from, { readOnly: true })
  try {
    // All pages are copied in one step. After a change by another process between two steps, SQLite would begin the copy again.
    await backup(source, to, { rate: ALL_PAGES })
  } finally {
    source.close()
  }
}

function pack(archivePath: string, files: readonly { readonly name: string; readonly path: string }[]): void {
  closeSync(openSync(archivePath, "ax", 0o600))
  const archive = new DatabaseSync(archivePath)
  archive.exec(`PRAGMA journal_mode = OFF; BEGIN;
    CREATE TABLE format (name TEXT NOT NULL) STRICT;
    CREATE TABLE file (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL) STRICT;
    CREATE TABLE piece (name TEXT NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (name, number)) STRICT`)
  archive.prepare("INSERT INTO format (name) VALUES (?)").run(FORMAT)
  const addPiece = archive.prepare("INSERT INTO piece (name, number, content) VALUES (?, ?, ?)")
  const addFile = archive.prepare("INSERT INTO file (name, sha256) VALUES (?, ?)")
  for (const { name, path } of files) {
    const hash = createHash("sha256")
    let number = 0
    for (const piece of piecesOf(path)) {
      hash.update(piece)
      addPiece.run(name, number++, piece)
    }
    addFile.run(name, hash.digest("hex"))
  }
  archive.exec("COMMIT")
  archive.close()
}

function* piecesOf(path: string): Generator<Uint8Array> {
  const file = openSync(path, "r")
  try {
    for (;;) {
      const piece = Buffer.alloc(PIECE_BYTES)
      const length = readSync(file, piece)
      if (length === 0) return
      yield piece.subarray(0, length)
    }
  } finally {
    closeSync(file)
  }
}

/**
 * Restores a backup into a DATA_DIR that is empty or does not exist. Gives the names of the restored databases.
 * @throws BackupError when DATA_DIR is not empty, or the file is missing or damaged. DATA_DIR is then empty
 */
export function restoreBackup(file: string, dataFolder: string): readonly string[] {
  const isUsed = attempt("DATA_DIR cannot be read", () => existsSync(dataFolder) && readdirSync(dataFolder).length > 0)
  if (isUsed) {
    throw new BackupError(
      "DATA_DIR is not empty. Nothing was restored: name an empty folder, or remove the content of this folder first",
    )
  }
  if (!existsSync(file)) throw new BackupError("there is no such file")
  try {
    const names = attempt("the file is no backup of Workdesk, or is damaged", () => unpack(file, dataFolder))
    if (names.includes("desk/desk.db")) endSessions(join(dataFolder, "desk/desk.db"))
    return names.filter((name) => DATABASES.includes(name))
  } catch (error) {
    for (const name of ["service", "desk"]) rmSync(join(dataFolder, name), { recursive: true, force: true })
    throw error
  }
}

function unpack(file: string, dataFolder: string): readonly string[] {
  const archive = new DatabaseSync(file, { readOnly: true })
  try {
    return extractFiles(archive, dataFolder)
  } finally {
    archive.close()
  }
}

function extractFiles(archive: DatabaseSync, dataFolder: string): readonly string[] {
  if (archive.prepare("SELECT name FROM format").get()?.["name"] !== FORMAT)
    throw new BackupError("the format is unknown")
  const files = archive.prepare("SELECT name, sha256 FROM file ORDER BY name").all()
  const pieces = archive.prepare("SELECT content FROM piece WHERE name = ? ORDER BY number")
  const names: string[] = []
  for (const { name, sha256 } of files) {
    if (typeof name !== "string" || !RESTORABLE.test(name)) throw new BackupError("a file in it is not the desk's")
    const path = join(dataFolder, name)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const hash = createHash("sha256")
    const target = openSync(path, "wx", 0o600)
    for (const { content } of pieces.iterate(name)) {
      if (!(content instanceof Uint8Array)) throw new BackupError(`the content of ${name} is damaged`)
      hash.update(content)
      writeSync(target, content)
    }
    fsyncSync(target)
    closeSync(target)
    if (hash.digest("hex") !== sha256) throw new BackupError(`the content of ${name} is damaged`)
    names.push(name)
  }
  return names
}

/** Removes the sessions of the backup, because some of them may have ended since. */
function endSessions(path: string): void {
  const database = new DatabaseSync(path)
  database.exec("DELETE FROM session; DELETE FROM sign_in")
  database.close()
}

/** Runs `action`. @throws BackupError with `fault` and the message of the action's error */
function attempt<Result>(fault: string, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    throw new BackupError(`${fault} (${error instanceof Error ? error.message : String(error)})`, { cause: error })
  }
}

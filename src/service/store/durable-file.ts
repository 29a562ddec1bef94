/** Writes, renames and removes files so that a crash loses nothing. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** Writes a file that only the user of the process may read. No reader and no crash sees an incomplete file at `path`. */
export function writeDurably(path: string, text: string): void {
  const draft = `${path}.new`
  const file = openSync(draft, "w", 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameDurably(draft, path)
}

/** Renames a file, and syncs its folder, so that the new name survives a crash of the system. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to)
  syncPath(dirname(to))
}

/** Removes a file, so that it stays removed after a crash of the system. */
export function removeDurably(path: string): void {
  rmSync(path)
  syncPath(dirname(path))
}

/** Syncs a file, or the names in a folder, to the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, "r")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

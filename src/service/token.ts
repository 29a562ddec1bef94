import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * The token of the service's own credential, made at the first start and kept with the data, readable by its owner alone.
 * `isNew` says that it was made now, which is the one time that it is shown.
 */
export function ownToken(folder: string): { token: string; isNew: boolean } {
  if (folder === ":memory:") return { token: makeToken(), isNew: true }
  const path = join(folder, "token")
  const kept = readKept(path)
  if (kept !== undefined) return { token: kept, isNew: false }
  const token = makeToken()
  const file = openSync(`${path}.new`, "w", 0o600)
  try {
    writeFileSync(file, `${token}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(`${path}.new`, path)
  return { token, isNew: true }
}

function makeToken(): string {
  return `wd_${randomBytes(24).toString("base64url")}`
}

function readKept(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined
  } catch {
    return undefined
  }
}

import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { writeDurably } from "./store/durable-file.ts"

export type OwnToken = {
  readonly token: string
  /** Whether this start made the token. Only then is the token shown. */
  readonly isNew: boolean
  /** Stores the token in the data folder, readable by the user of the process alone. */
  keep(): void
}

/**
 * The token of the service's own credential: the token stored in the data folder, or a new token. `:memory:` stores none.
 * @throws the error of the system when a stored token cannot be read
 */
export function ownToken(folder: string): OwnToken {
  const path = join(folder, "token")
  const kept = folder === ":memory:" ? undefined : readKept(path)
  const token = kept ?? `wd_${randomBytes(24).toString("base64url")}`
  return {
    token,
    isNew: kept === undefined,
    keep() {
      if (kept === undefined && folder !== ":memory:") writeDurably(path, `${token}\n`)
    },
  }
}

function readKept(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined
  } catch (error) {
    // A token that cannot be read now must not be replaced: clients use it.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}

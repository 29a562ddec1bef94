import { readFileSync, type Stats, statSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"

/** What is wrong with a file, in words that hold neither its path nor its content. */
export class FileFault extends Error {}

export type WatchedFile<Value> = {
  /** What the file says, or said last when it was good. */
  readonly current: () => Value
  readonly stop: () => void
}

// Reading a small file beats a watcher: it survives renames, symbolic links and network disks.
const INTERVAL_MS = 1_000
const MAX_BYTES = 1_048_576

/**
 * Reads a small file now, and again every second. A file that becomes bad changes nothing; `warn` is told why, once for each fault.
 * @throws FileFault when the file cannot be used now
 */
export function watchFile<Value>(
  path: string,
  parse: (text: string) => Value,
  warn: (fault: string) => void,
  intervalMs = INTERVAL_MS,
): WatchedFile<Value> {
  let text = readOnce(path)
  let value = parse(text)
  let fault = ""
  const look = async (): Promise<void> => {
    try {
      const found = await readAgain(path)
      if (found !== text || fault !== "") value = parse(found)
      text = found
      fault = ""
    } catch (error) {
      const said = error instanceof FileFault ? error.message : "cannot be read"
      if (said !== fault) warn(said)
      fault = said
    }
  }
  const timer = setInterval(() => void look(), intervalMs)
  timer.unref()
  return { current: () => value, stop: () => clearInterval(timer) }
}

function readOnce(path: string): string {
  try {
    if (isUsable(statSync(path))) return readFileSync(path, "utf8")
  } catch {
    // Said below, because the system's message has the path.
  }
  throw new FileFault("cannot be read")
}

async function readAgain(path: string): Promise<string> {
  if (!isUsable(await stat(path))) throw new FileFault("cannot be read")
  return readFile(path, "utf8")
}

/** Only a plain file is read: a pipe would be waited for. */
function isUsable(found: Stats): boolean {
  return found.isFile() && found.size <= MAX_BYTES
}

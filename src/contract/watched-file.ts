import { readFileSync, type Stats, statSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"

/**
 * Why a file cannot be used. The message holds neither its path nor its content, and continues a sentence that begins with a variable's name.
 */
export class FileFault extends Error {}

export type WatchedFile<Value> = {
  /** The parsed content of the file when it was last good. */
  readonly current: () => Value
  readonly stop: () => void
}

// The file is read again and not watched: a watcher misses renames, symbolic links and network disks.
const INTERVAL_MS = 1_000
const MAX_BYTES = 1_048_576

/**
 * Reads a small file now, and again every second. While the file is bad, the last good content stays, and `warn` gets each fault once.
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
  const readChange = async (): Promise<void> => {
    try {
      const found = await readAgain(path)
      if (found !== text || fault !== "") value = parse(found)
      text = found
      fault = ""
    } catch (error) {
      const message = error instanceof FileFault ? error.message : "cannot be read"
      if (message !== fault) warn(message)
      fault = message
    }
  }
  const timer = setInterval(() => void readChange(), intervalMs)
  timer.unref()
  return { current: () => value, stop: () => clearInterval(timer) }
}

function readOnce(path: string): string {
  try {
    if (isUsable(statSync(path))) return readFileSync(path, "utf8")
  } catch {
    // The system's message has the path, so it is not repeated.
  }
  throw new FileFault("cannot be read")
}

async function readAgain(path: string): Promise<string> {
  if (!isUsable(await stat(path))) throw new FileFault("cannot be read")
  return readFile(path, "utf8")
}

/** Only a plain file is read, because reading a pipe would wait. */
function isUsable(found: Stats): boolean {
  return found.isFile() && found.size <= MAX_BYTES
}

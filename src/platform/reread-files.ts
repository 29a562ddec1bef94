/** Reads small files that variables of the environment name, such as secrets, and follows their changes. */
import { readFileSync, type Stats, statSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { inBackground } from "./background.ts"
import { ConfigurationError } from "./configuration-error.ts"
import { demand, type Environment } from "./environment.ts"

/** Why a file cannot be used. The message continues a sentence that begins with a variable's name, and holds no path and no content. */
export class FileFault extends Error {}

// The files are read again each second, because a watcher of files misses renames, symbolic links and network disks.
const INTERVAL_MS = 1_000
export const FOLLOWED_FILE_MAX_BYTES = 1_048_576

type FollowedFile = {
  /** Reads the file, and parses the text if it has changed. */
  readonly readAgain: () => Promise<void>
  /** Why the file cannot be used now. Undefined: it can be used. */
  fault: string | undefined
}

/** The small files that variables of the environment name. Each file is read again every second. While a file is bad, its last good content stays. */
export class RereadFiles {
  /** Called with a sentence for each bad content of a file, and when a file cannot be read any more. */
  onFault: (sentence: string) => void = () => undefined
  readonly #files = new Map<string, FollowedFile>()
  readonly #timer: NodeJS.Timeout

  constructor(intervalMs = INTERVAL_MS) {
    this.#timer = setInterval(() => {
      for (const file of this.#files.values()) inBackground(file.readAgain)
    }, intervalMs)
    this.#timer.unref()
  }

  /**
   * Reads a variable's file now and whenever it changes. `parse` throws a FileFault for content that can't be used. @returns a function that returns
   * the last good content @throws ConfigurationError when the file can't be used now
   */
  follow<Value>(variable: string, path: string, parse: (text: string) => Value): () => Value {
    let value: Value
    /** What the last reading gave: a content, good or bad, or why there was none. */
    let last: string | FileFault = orConfigurationError(variable, () => {
      const text = readNow(path)
      value = parse(text)
      return text
    })
    let begun = 0
    /** The number of the newest reading that has ended. */
    let newest = 0
    const file: FollowedFile = {
      fault: undefined,
      readAgain: async () => {
        const reading = ++begun
        const read = await readAsync(path).catch((error: unknown) => new FileFault(faultOf(error)))
        // On a slow disk readings overlap. A reading that ends after a later one may have older content.
        if (reading < newest) return
        newest = reading
        if (isSame(read, last)) return
        last = read
        try {
          if (read instanceof FileFault) throw read
          value = parse(read)
          file.fault = undefined
        } catch (error) {
          file.fault = faultOf(error)
          this.onFault(`${variable} ${file.fault}: the last valid content stays in use`)
        }
      },
    }
    this.#files.set(variable, file)
    return () => value
  }

  /** For the metrics: whether the file of each variable is bad now. */
  faults(): ReadonlyMap<string, boolean> {
    return new Map([...this.#files].map(([variable, { fault }]) => [variable, fault !== undefined]))
  }

  /** Reads no file again. */
  stop(): void {
    clearInterval(this.#timer)
  }
}

/**
 * Reads a secret of a variable, or of the file that `<name>_FILE` names. @returns a function that returns the present value, or undefined if neither
 * is set @throws ConfigurationError when both are set, or the value can't be used
 */
export function readSecret<Value>(
  env: Environment,
  name: string,
  files: RereadFiles,
  parse: (text: string) => Value,
): (() => Value) | undefined {
  const text = env[name]
  const file = env[`${name}_FILE`]
  demand(text === undefined || file === undefined, `${name} and ${name}_FILE are both set: set only one`)
  if (file !== undefined) {
    demand(file.trim() !== "", `${name}_FILE is empty`)
    return files.follow(`${name}_FILE`, file, parse)
  }
  if (text === undefined) return undefined
  const value = orConfigurationError(name, () => parse(text))
  return () => value
}

/** Returns what `read` returns. @throws ConfigurationError that begins with the variable's name, for a FileFault of `read` */
function orConfigurationError<Result>(variable: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof FileFault ? new ConfigurationError(`${variable} ${error.message}`) : error
  }
}

/** Parses a file that holds a secret: its text without the white space around it. */
export function parseSecret(text: string): string {
  const secret = text.trim()
  if (secret === "") throw new FileFault("is empty")
  return secret
}

function isSame(one: string | FileFault, other: string | FileFault): boolean {
  return one instanceof FileFault && other instanceof FileFault ? one.message === other.message : one === other
}

/** Reads a small file that an administrator wrote, and blocks until it is read: for the start of a program. @throws FileFault */
export function readNow(path: string): string {
  try {
    checkStats(statSync(path))
    return withoutMark(readFileSync(path, "utf8"))
  } catch (error) {
    throw new FileFault(faultOf(error))
  }
}

/** As `readNow`, while other work goes on. Rejects with any error, which `faultOf` words. */
async function readAsync(path: string): Promise<string> {
  checkStats(await stat(path))
  return withoutMark(await readFile(path, "utf8"))
}

/** Some editors begin a file with a byte order mark, which is no part of a JSON text or a secret. */
const withoutMark = (text: string) => text.replace(/^\u{feff}/u, "")

/** @throws FileFault for a file of more than 1 MiB, and for anything but a file. Reading a pipe again would wait. */
function checkStats(stats: Stats): void {
  if (!stats.isFile()) throw new FileFault("must be a file, not a pipe, a device or a folder")
  if (stats.size > FOLLOWED_FILE_MAX_BYTES) throw new FileFault(`is longer than ${FOLLOWED_FILE_MAX_BYTES} bytes`)
}

/** The message for a file that cannot be used. The system's message has the path, so it is not repeated. */
function faultOf(error: unknown): string {
  return error instanceof FileFault ? error.message : "can't be read"
}

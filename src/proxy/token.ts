/** The bearer credential. It is held in closures of this module: printing a Token shows nothing, and no error has it. */
import { readFileSync, statSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"

export type Token = {
  /** The value of the Authorization header. */
  authorization(): string
  /** Whether the text holds the token, as it is or as JSON or an address may spell it. */
  isIn(text: string): boolean
  /** The text with the token replaced, as it is or as JSON or an address would usually spell it. */
  conceal(text: string): string
  /** The bytes without the token, where the token is long enough not to stand there by chance. */
  concealBytes(bytes: Buffer): Buffer
  /** Stops reading the token's file. */
  stop(): void
}

export class TokenError extends Error {}

const REPLACEMENT = "[concealed]"

// A header takes these without quoting; none of them can split a header (RFC 9110, 5.5).
const VISIBLE_ASCII = /^[\x21-\x7e]+$/

// A shorter token may stand in a Work's text by chance, and success bodies pass byte for byte.
const UNMISTAKABLE_CHARACTERS = 8

const FILE_MAX_BYTES = 65_536
// A change must be in use within 10 s. Reading a small file again works with renames, symlinks and network disks; a watcher does not.
const FILE_INTERVAL_MS = 1_000

// An answer to a request that was sent before a change may still echo an older token.
const REMEMBERED = 4

/** A token that does not change. @throws TokenError when it is empty or cannot stand in a header */
export function fixedToken(text: string): Token {
  return remember(readable(text)).token
}

/**
 * The token in a file, trimmed, which is read again every second. A file that is empty, gone or unusable changes nothing.
 * @throws TokenError when the file has no usable token now
 */
export function fileToken(path: string, intervalMs = FILE_INTERVAL_MS): Token {
  const { token, replace } = remember(readable(readOnce(path)))
  const timer = setInterval(() => {
    readAgain(path).then(replace, () => undefined)
  }, intervalMs)
  timer.unref()
  return { ...token, stop: () => clearInterval(timer) }
}

function readOnce(path: string): string {
  try {
    if (statSync(path).size <= FILE_MAX_BYTES) return readFileSync(path, "utf8")
  } catch {
    // The error below does not repeat the system's message.
  }
  throw new TokenError("cannot be read")
}

/** Only a plain file is read again, because reading a pipe would wait. */
async function readAgain(path: string): Promise<string> {
  const found = await stat(path)
  if (!found.isFile() || found.size > FILE_MAX_BYTES) throw new TokenError("cannot be read")
  return readable(await readFile(path, "utf8"))
}

function readable(text: string): string {
  const value = text.trim()
  if (value === "") throw new TokenError("is empty")
  if (!VISIBLE_ASCII.test(value)) throw new TokenError("has characters that no header can carry")
  return value
}

function remember(first: string): { token: Token; replace: (value: string) => void } {
  let current = first
  let authorization = `Bearer ${first}`
  let spellings = spell(first)
  const holds = (text: string) => spellings.some((spelling) => text.includes(spelling))
  const isIn = (text: string) => holds(text) || (text.includes("%") && holds(decodePercent(text)))
  const conceal = (text: string) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, REPLACEMENT), text)
  return {
    token: {
      authorization: () => authorization,
      isIn,
      conceal,
      concealBytes(bytes) {
        const found = spellings.some(
          (spelling) => spelling.length >= UNMISTAKABLE_CHARACTERS && bytes.includes(spelling),
        )
        return found ? Buffer.from(conceal(bytes.toString("latin1")), "latin1") : bytes
      },
      stop: () => undefined,
    },
    replace(value) {
      if (value === current) return
      current = value
      authorization = `Bearer ${value}`
      spellings = [...new Set([...spell(value), ...spellings])].slice(0, REMEMBERED)
    },
  }
}

function decodePercent(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/gi, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)))
}

function spell(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1)
  return [...new Set([value, inJson, inJson.replaceAll("/", "\\/"), encodeURIComponent(value)])]
}

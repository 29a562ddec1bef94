/** The bearer credential. No property of a `Token` and no error holds its text: a printed Token or error does not show the credential. */
import { readFileSync, statSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import type { FlatHeaders } from "./security-headers.ts"

export type Token = {
  /** Puts the Authorization header onto the headers of a request. */
  authorize(headers: FlatHeaders): string[]
  /** Whether the text holds the token: unchanged, with JSON escapes, or percent-encoded. */
  isIn(text: string): boolean
  /** Replaces the token in the text: unchanged, with the usual JSON escapes, or as encodeURIComponent writes it. */
  conceal(text: string): string
  /** Replaces the token in the bytes. A short token stays, because the bytes may hold the same characters by chance. */
  concealBytes(bytes: Buffer): Buffer
  /** Stops reading the token's file. */
  stop(): void
}

/** Why there is no usable token. The message continues a sentence that begins with the variable's name. */
export class TokenError extends Error {}

const REPLACEMENT = "[concealed]"

// These characters need no quoting in a header, and none of them can split a header (RFC 9110, 5.5).
const VISIBLE_ASCII = /^[\x21-\x7e]+$/

// The text of a Work may hold a shorter token by chance, and the body of a success must pass byte for byte.
const UNMISTAKABLE_CHARACTERS = 8

const FILE_MAX_BYTES = 65_536
// A change must be in use within 10 s. The file is read again and not watched: a watcher misses renames, symlinks and network disks.
const FILE_INTERVAL_MS = 1_000

// The answer to a request that was sent before a change may still hold an older token.
const REMEMBERED_SPELLINGS = 4

/** A token that does not change. @throws TokenError when it is empty or cannot stand in a header */
export function fixedToken(text: string): Token {
  return makeToken(readable(text)).token
}

/**
 * The trimmed token of a file. The file is read again every second. While it is empty, gone or not usable, the last token stays.
 * @throws TokenError when the file has no usable token now
 */
export function fileToken(path: string, intervalMs = FILE_INTERVAL_MS): Token {
  const { token, replace } = makeToken(readable(readOnce(path)))
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
    // The system's message has the path, so it is not repeated.
  }
  throw new TokenError("cannot be read")
}

/** Reads the file again, if it is a plain file: reading a pipe would wait. */
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

/** Makes a token from its first text. `replace` gives the token another text. */
function makeToken(first: string): { token: Token; replace: (value: string) => void } {
  let current = first
  let authorization = `Bearer ${first}`
  let spellings = spell(first)
  const holds = (text: string) => spellings.some((spelling) => text.includes(spelling))
  const isIn = (text: string) => holds(text) || (text.includes("%") && holds(decodePercent(text)))
  const conceal = (text: string) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, REPLACEMENT), text)
  return {
    token: {
      authorize: (headers) => ["authorization", authorization, ...headers],
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
      spellings = [...new Set([...spell(value), ...spellings])].slice(0, REMEMBERED_SPELLINGS)
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

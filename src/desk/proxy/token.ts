/** The bearer credential. No property of a `Token` and no error holds its text: a printed Token or error does not show the credential. */
import { FileFault, parseSecret } from "../../platform/reread-files.ts"
import type { HeaderFields } from "../../platform/http/refusals.ts"

export type Token = {
  /** Puts the Authorization header onto the headers of a request. */
  authorize(headers: HeaderFields): Record<string, string>
  /** Whether the text holds the token: unchanged, with JSON escapes, or percent-encoded. */
  isIn(text: string): boolean
  /** Replaces the token in the text: unchanged, with the usual JSON escapes, or as encodeURIComponent writes it. */
  conceal(text: string): string
  /** Replaces the token in bytes; `text` is their text, if it is known. A short token stays, because it may occur by chance. */
  concealBytes(bytes: Buffer, text?: string): Buffer
}

const REPLACEMENT = "[concealed]"

// These characters need no quoting in a header, and none of them can split a header (RFC 9110, 5.5).
const VISIBLE_ASCII = /^[\x21-\x7e]+$/

const MAX_CHARACTERS = 8_192

// The text of a Work may hold a shorter token by chance, and the body of a success must pass byte for byte.
const UNMISTAKABLE_CHARACTERS = 8

// The answer to a request that was sent before a change may still hold the token before. Each token has at most four spellings.
const REMEMBERED_SPELLINGS = 8

/** A token that does not change. @throws FileFault when it is empty or cannot stand in a header */
export function fixedToken(text: string): Token {
  const value = parseToken(text)
  return currentToken(() => value)
}

/** The token in a text, without the white space around it. @throws FileFault when it is empty or cannot stand in a header */
export function parseToken(text: string): string {
  const value = parseSecret(text)
  if (value.length > MAX_CHARACTERS) throw new FileFault("is too long for a header")
  if (!VISIBLE_ASCII.test(value)) throw new FileFault("has characters that aren't allowed in a header")
  return value
}

/** The token that `read` gives at each use. */
export function currentToken(read: () => string): Token {
  let current = ""
  let spellings: readonly string[] = []
  const readNow = () => {
    const value = read()
    if (value !== current) spellings = [...new Set([...spell(value), ...spellings])].slice(0, REMEMBERED_SPELLINGS)
    current = value
    return value
  }
  readNow()
  const holds = (text: string) => spellings.some((spelling) => text.includes(spelling))
  const isIn = (text: string) => holds(text) || (text.includes("%") && holds(decodePercent(text)))
  const conceal = (text: string) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, REPLACEMENT), text)
  return {
    authorize: (headers) => ({ authorization: `Bearer ${readNow()}`, ...headers }),
    isIn,
    conceal,
    concealBytes(bytes, text = bytes.toString("latin1")) {
      const found = spellings.some((spelling) => spelling.length >= UNMISTAKABLE_CHARACTERS && text.includes(spelling))
      return found ? Buffer.from(conceal(bytes.toString("latin1")), "latin1") : bytes
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

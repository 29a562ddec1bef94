/** Signed notes (https://c2sp.org/signed-note): makes and parses them, and verifies their signatures by Ed25519. */
import { createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto"

/** The public half of a key, with the name of its owner. `text` is `name+id+base64`, as other programs read it. */
export type VerifierKey = {
  readonly name: string
  /** Eight hexadecimal digits. */
  readonly id: string
  readonly publicKey: KeyObject
  readonly text: string
}

export type Signature = { readonly name: string; readonly keyId: string; readonly bytes: Buffer }

/** A note whose signatures are not verified yet. `text` ends with a line feed. */
export type Note = { readonly text: string; readonly signatures: readonly Signature[] }

/** The byte for Ed25519 in an encoded key. */
const ED25519 = 1
const KEY_BYTES = 32
const KEY_ID_BYTES = 4
const SIGNATURE_BYTES = 64
const SIGNATURES_MAX = 16

/** What begins a line with a signature. */
export const SIGNATURE_MARK = "— "

/** Names the public half of an Ed25519 key. `name` has neither white space nor a plus. */
export function toVerifierKey(name: string, key: KeyObject): VerifierKey {
  const publicKey = key.type === "private" ? createPublicKey(key) : key
  const bytes = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url")
  const encoded = Buffer.concat([Buffer.of(ED25519), bytes])
  const id = hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), encoded])).slice(0, 2 * KEY_ID_BYTES)
  return { name, id, publicKey, text: `${name}+${id}+${encoded.toString("base64")}` }
}

/** Parses the text of a verifier key. Undefined for anything else, and when its id is not the one of its name and key. */
export function parseVerifierKey(text: string): VerifierKey | undefined {
  const [, name = "", , base64 = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u.exec(text) ?? []
  const encoded = Buffer.from(base64, "base64")
  if (encoded.length !== 1 + KEY_BYTES || encoded[0] !== ED25519) return undefined
  try {
    const jwk = { kty: "OKP", crv: "Ed25519", x: encoded.subarray(1).toString("base64url") }
    const key = toVerifierKey(name, createPublicKey({ key: jwk, format: "jwk" }))
    return key.text === text ? key : undefined
  } catch {
    return undefined
  }
}

/** Signs a text, which ends with a line feed. Returns the note. */
export function signNote(text: string, name: string, privateKey: KeyObject): string {
  const id = Buffer.from(toVerifierKey(name, privateKey).id, "hex")
  const signature = Buffer.concat([id, sign(null, Buffer.from(text), privateKey)])
  return `${text}\n${SIGNATURE_MARK}${name} ${signature.toString("base64")}\n`
}

// A space, a line feed and every printable character. C2SP allows no other control character.
// oxlint-disable-next-line no-control-regex -- these are the characters to refuse
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/
const SIGNATURE_LINE = /^— ([^\s+]+) ((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/u

/** Parses a note. If it isn't one, returns a sentence that says why. */
export function parseNote(note: string): Note | string {
  if (CONTROL.test(note)) return "it contains control characters"
  const end = note.lastIndexOf("\n\n")
  if (end < 0) return "it has no signature"
  const lines = note.slice(end + 2).split("\n")
  if (lines.pop() !== "") return "its last line has no end"
  if (lines.length > SIGNATURES_MAX) return `it has more than ${SIGNATURES_MAX} signatures`
  const signatures = lines.flatMap((line) => {
    const [, name, base64 = ""] = SIGNATURE_LINE.exec(line) ?? []
    const bytes = Buffer.from(base64, "base64")
    if (name === undefined || bytes.length <= KEY_ID_BYTES) return []
    return [{ name, keyId: bytes.subarray(0, KEY_ID_BYTES).toString("hex"), bytes: bytes.subarray(KEY_ID_BYTES) }]
  })
  if (signatures.length === 0 || signatures.length < lines.length) return "a line with its signature is not valid"
  return { text: note.slice(0, end + 1), signatures }
}

/** Whether a signature of a text was made by `key`. */
export function isSignedBy(text: string, { bytes }: Signature, { publicKey }: VerifierKey): boolean {
  return bytes.length === SIGNATURE_BYTES && verify(null, Buffer.from(text), publicKey, bytes)
}

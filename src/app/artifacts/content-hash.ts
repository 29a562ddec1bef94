import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js"

const algorithms = { "SHA-256": sha256, "SHA-384": sha384, "SHA-512": sha512 } as const

export type Algorithm = keyof typeof algorithms

/** A content hash whose form was recognised. */
export type ExpectedHash = {
  readonly algorithm: Algorithm
  /** Hexadecimal digits, in lower case. */
  readonly digest: string
  /** False for bare hexadecimal digits, which are probably a SHA-256 but do not say so. */
  readonly isAlgorithmNamed: boolean
}

const byBits: Readonly<Record<string, Algorithm>> = { "256": "SHA-256", "384": "SHA-384", "512": "SHA-512" }

/**
 * Reads a `content_hash`, whose form openapi.yaml leaves open. It knows `sha256:<hex>` (also SHA-384, SHA-512 and base64), `sha-256=:…:`
 * (RFC 9530), `sha256-…` (Subresource Integrity), and the bare hexadecimal digits of a SHA-256. Undefined for any other form.
 */
export function readContentHash(text: string): ExpectedHash | undefined {
  const bare = /^[0-9a-f]{64}$/i.test(text.trim())
  if (bare) return { algorithm: "SHA-256", digest: text.trim().toLowerCase(), isAlgorithmNamed: false }
  const match = /^sha-?(256|384|512)\s*[:=-]\s*(.+)$/i.exec(text.trim())
  const algorithm = byBits[match?.[1] ?? ""]
  if (algorithm === undefined) return undefined
  const digest = readDigest(match?.[2] ?? "", algorithms[algorithm].outputLen)
  return digest === undefined ? undefined : { algorithm, digest, isAlgorithmNamed: true }
}

/** A digest of a content in chunks. The digest of WebCrypto needs the whole content in memory, and a secure context. */
export function startDigest(algorithm: Algorithm): { update(chunk: Uint8Array): unknown; digest(): Uint8Array } {
  return algorithms[algorithm].create()
}

/** The hexadecimal digits of a digest of `length` bytes; undefined where `text` is no such digest, in hexadecimal or base64. */
function readDigest(text: string, length: number): string | undefined {
  if (text.length === length * 2 && /^[0-9a-f]+$/i.test(text)) return text.toLowerCase()
  const base64 = text.replace(/^:(.*):$/, "$1")
  const alphabet = /[-_]/.test(base64) ? "base64url" : "base64"
  try {
    const bytes = Uint8Array.fromBase64(base64, { alphabet })
    return bytes.length === length ? bytes.toHex() : undefined
  } catch {
    return undefined
  }
}

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
 * Reads a `content_hash`, whose form openapi.yaml leaves open: the hexadecimal digits of a SHA-2 after its name (`sha256:…`), or those of a SHA-256
 * alone. Undefined for any other form.
 */
export function readContentHash(text: string): ExpectedHash | undefined {
  const [, bits, digits = ""] = /^(?:sha-?(256|384|512)\s*[:=-]\s*)?([0-9a-f]+)$/i.exec(text.trim()) ?? []
  const algorithm = byBits[bits ?? "256"]
  if (algorithm === undefined || digits.length !== algorithms[algorithm].outputLen * 2) return undefined
  return { algorithm, digest: digits.toLowerCase(), isAlgorithmNamed: bits !== undefined }
}

/** A digest of a content in chunks. The digest of WebCrypto needs the whole content in memory, and a secure context. */
export function startDigest(algorithm: Algorithm): { update(chunk: Uint8Array): unknown; digest(): Uint8Array } {
  return algorithms[algorithm].create()
}

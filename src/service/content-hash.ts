import { createHash } from "node:crypto"

/** The `content_hash` of an upload or result: `sha256:` and the digest in hexadecimal. */
export function hashOf(content: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`
}

/** The canonical form of JSON that the record hashes. */
import { hash } from "node:crypto"
// For the type of JSON.isRawJSON.
import "../../contract/int64.ts"

/** Writes a value in the canonical form of RFC 8785, except that exact numbers keep their digits and a lone surrogate is written as its escape. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "bigint") return value.toString()
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  const members = Object.keys(value)
    .sort()
    .flatMap((name) => {
      const member: unknown = Reflect.get(value, name)
      return member === undefined ? [] : [`${JSON.stringify(name)}:${canonicalJson(member)}`]
    })
  return `{${members.join(",")}}`
}

/** The SHA-256 of a text or of bytes: `sha256:` and 64 hexadecimal digits. */
export function namedHash(content: string | Buffer): string {
  return `sha256:${hash("sha256", content)}`
}

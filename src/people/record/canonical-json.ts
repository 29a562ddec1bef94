import { hash } from "node:crypto"

/**
 * The canonical form of a JSON value (RFC 8785), as `parseJson` gives the value: a bigint is written as its digits, where RFC 8785 would
 * round an int64 to a double. Half of a surrogate pair is written as its escape.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "bigint") return value.toString()
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  const members = Object.keys(value)
    .sort()
    .flatMap((name) => {
      const member: unknown = Reflect.get(value, name)
      return member === undefined ? [] : [`${JSON.stringify(name)}:${canonicalJson(member)}`]
    })
  return `{${members.join(",")}}`
}

/** `sha256:` and the SHA-256 in hexadecimal. */
export function namedHash(content: string | Buffer): string {
  return `sha256:${hash("sha256", content)}`
}

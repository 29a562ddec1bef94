/** Values of the API that this service makes. docs/embedded-service.md says which of them openapi.yaml leaves open. */
import { createHash, randomBytes } from "node:crypto"

/** Makes an identifier that nobody can guess, for instance `work_3f9c…`. */
export function newId(kind: "work" | "upload" | "attention" | "approval" | "action" | "artifact" | "step"): string {
  return `${kind}_${randomBytes(12).toString("hex")}`
}

/** The `content_hash` of an upload or result: `sha256:` and the digest in hexadecimal. */
export function contentHash(content: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`
}

/** Formats a stored time (milliseconds since 1970) as an RFC 3339 timestamp in UTC. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** An object with the member `name`, or an empty object without a value, because openapi.yaml has no member that is null. */
export function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  const member: { [Key in Name]?: Value } = {}
  if (value !== undefined) member[name] = value
  return member
}

import { parseInt64 } from "../../contract/int64.ts"
import { invalidRequest, staleVersion, versionRequired } from "../problems.ts"

/**
 * Reads `If-Match`. Its only form is a strong tag of an integer version: `"3"`.
 * @throws Refusal 400 for a bare number, `*`, a weak tag, a list and everything else
 */
export function readIfMatch(header: string | undefined): bigint | undefined {
  if (header === undefined) return undefined
  const version = parseInt64(/^"(\d+)"$/.exec(header)?.[1] ?? "")
  if (version === undefined) throw invalidRequest('If-Match must be one strong version tag, such as "3"')
  return version
}

/**
 * Compares the version of `If-Match` with the resource's current version.
 * @throws Refusal 428 when `If-Match` is missing, 412 when the versions differ
 */
export function checkVersion(sent: bigint | undefined, current: bigint): void {
  if (sent === undefined) throw versionRequired()
  if (sent !== current) throw staleVersion(sent, current)
}

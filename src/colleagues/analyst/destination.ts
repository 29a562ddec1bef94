/** Where a summary goes when the objective names no destination; `.example` reaches nobody (RFC 2606). */
export const DEFAULT_DESTINATION = "team@workdesk.example"
export const ARCHIVE_DESTINATION = "archive@workdesk.example"

const ADDRESS = /(?<![\p{L}\p{N}._%+/-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/u
const LINK = /\bhttps?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]/u
const CHANNEL = /(?<=^|[\s("'“])#(?=[\p{L}\p{N}_-]*\p{L})[\p{L}\p{N}][\p{L}\p{N}_-]*/u
const DESTINATION = new RegExp([LINK, ADDRESS, CHANNEL].map(({ source }) => source).join("|"), "gu")

/** The e-mail addresses, `#channels` and web addresses that an objective names, in its order, each once, exactly as written. */
export function destinationsIn(objective: string): readonly string[] {
  return [...new Set(objective.match(DESTINATION) ?? [])]
}

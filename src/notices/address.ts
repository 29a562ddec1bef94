/** Which addresses the desk writes to. Every other address could mean something else in a header than in the command to the mail server. */

/** The sender of all mail. */
export type Sender = { readonly name: string; readonly address: string }

const LONGEST = 254
const ATOM = String.raw`[\p{L}\p{N}\p{M}!#$%&'*+/=?^_\x60{|}~-]+`
const DOMAIN_LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?`
const PLAIN = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*@${DOMAIN_LABEL}(?:\.${DOMAIN_LABEL})*$`, "u")

/**
 * Whether an address can be written to: one `local@domain` without quotes, comments, commas, spaces, control characters and marks of direction
 * (the `dot-atom` of RFC 5322 and RFC 6532), of at most 254 characters.
 */
export function isPlainAddress(address: string): boolean {
  return address.length <= LONGEST && PLAIN.test(address)
}

/** Reads `desk@example.com` or `Workdesk <desk@example.com>`. Undefined when it is neither. */
export function readSender(text: string): Sender | undefined {
  const [, name = "", inBrackets] = /^([^<>]*)<([^<>]+)>$/u.exec(text.trim()) ?? []
  const address = inBrackets ?? text.trim()
  const trimmed = name.trim().replace(/^"(.*)"$/, "$1")
  return isPlainAddress(address) && isHeaderText(trimmed) ? { name: trimmed, address } : undefined
}

/** Whether a text may stand in a header: it has no control character, such as a line break, and no character that changes the direction of text. */
export function isHeaderText(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text)
}

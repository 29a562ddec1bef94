/** Which mail addresses the desk writes to: only those that mean the same in the header of a mail and in the command to the mail server. */

const MAX_CHARACTERS = 254
const ATOM = String.raw`[\p{L}\p{N}\p{M}!#$%&'*+/=?^_\x60{|}~-]+`
const DOMAIN_LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?`
const PLAIN = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*@${DOMAIN_LABEL}(?:\.${DOMAIN_LABEL})*$`, "u")

/**
 * Whether an address can be written to: one `local@domain` without quotes, comments, commas, spaces, control characters and marks of direction
 * (the `dot-atom` of RFC 5322 and RFC 6532), of at most 254 characters.
 */
export function isPlainAddress(address: string): boolean {
  return address.length <= MAX_CHARACTERS && PLAIN.test(address)
}

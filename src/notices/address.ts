/** The sender of mail, and which texts may stand in a header. */
import { isPlainAddress } from "../contract/plain-address.ts"

/** The sender of all mail. */
export type Sender = { readonly name: string; readonly address: string }

/** Reads `desk@example.com` or `Workdesk <desk@example.com>`. Undefined when it is neither. */
export function readSender(text: string): Sender | undefined {
  const [, name = "", inBrackets] = /^([^<>]*)<([^<>]+)>$/u.exec(text.trim()) ?? []
  const address = inBrackets ?? text.trim()
  const trimmed = name.trim().replace(/^"(.*)"$/, "$1")
  return isPlainAddress(address) && isHeaderText(text) ? { name: trimmed, address } : undefined
}

/** Whether a text may stand in a header: it has no control character, such as a line break, and no character that changes the direction of text. */
export function isHeaderText(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text)
}

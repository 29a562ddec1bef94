/**
 * Reads the destination of an approval as a person reads it: an e-mail address, a URL, a channel, or any other text. It may guess, because it
 * only finds what to warn of. The rules read a destination with `destinationForms`, which never guesses.
 */
import { domainToUnicode } from "node:url"
import { percentDecoded } from "../people/rules/destinations.ts"

export type Destination = {
  readonly text: string
  /** Equal for texts that reach the same place. Letter case, punycode and the tag of a plus-address do not count. */
  readonly key: string
  /** The part before the @, or the whole text when there is no host. */
  readonly name: string
  /** In lower case and in Unicode. Empty when the text names no host. */
  readonly host: string
  /** Other text that a reader could take for the host: a display name, or the user of a URL. */
  readonly decoy: string
}

/** A longer text is no address. It is compared as a whole. */
const READ_MAX_CHARACTERS = 2_000

/** Reads a destination. Every text is one. */
export function readDestination(text: string): Destination {
  if (text.length > READ_MAX_CHARACTERS) return { text, key: text, name: "", host: "", decoy: "" }
  const trimmed = text.trim().normalize("NFC")
  return readUrl(trimmed) ?? readAddress(trimmed) ?? readHost(trimmed) ?? readText(trimmed)
}

function readUrl(text: string): Destination | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, hostname, port, pathname, search, username, password } = new URL(text)
  const host = toHost(hostname)
  const key = `${protocol}//${host}${port === "" ? "" : `:${port}`}${pathname}${search}`
  return { text, key, name: "", host, decoy: [username, password].map(percentDecoded).join(" ").trim() }
}

function readAddress(text: string): Destination | undefined {
  const named = /^(.*)<([^<>]+)>$/s.exec(text)
  const address = (named?.[2] ?? text).replace(/^mailto:/i, "").replace(/\?.*$/s, "")
  const [, local, domain] = /^(\S+)@([^\s@]+)$/.exec(address) ?? []
  if (local === undefined || domain === undefined) return undefined
  const name = local.toLowerCase().replace(/(?<=.)\+.*$/, "")
  const host = toHost(domain)
  return { text, key: `${name}@${host}`, name, host, decoy: named?.[1]?.trim() ?? "" }
}

function readHost(text: string): Destination | undefined {
  if (!/^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+\.?$/u.test(text)) return undefined
  const host = toHost(text)
  return { text, key: host, name: "", host, decoy: "" }
}

function readText(text: string): Destination {
  const key = text.toLowerCase().replaceAll(/\s+/g, " ")
  return { text, key, name: key, host: "", decoy: "" }
}

function toHost(domain: string): string {
  const lower = domain.toLowerCase().replace(/\.+$/, "")
  // Only punycode is decoded. Any other host stays as it was written, so that a look-alike character is found.
  return lower.includes("xn--") ? domainToUnicode(lower) || lower : lower
}

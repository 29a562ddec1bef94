/** Reads the destination of an approval: an e-mail address, a URL, a channel, or any other text. */
import { domainToUnicode } from "node:url"

export type Destination = {
  readonly text: string
  /** Equal for texts that reach the same place. Letter case, punycode and the tag of a plus-address do not count. */
  readonly key: string
  /** The canonical form that rules are compared with: the key with the tag of a plus-address. */
  readonly canonical: string
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
  if (text.length > READ_MAX_CHARACTERS) return { text, key: text, canonical: text, name: "", host: "", decoy: "" }
  const trimmed = text.trim().normalize("NFC")
  return readUrl(trimmed) ?? readAddress(trimmed) ?? readHost(trimmed) ?? readText(trimmed)
}

function readUrl(text: string): Destination | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, hostname, port, pathname, search, username, password } = new URL(text)
  const host = toHost(hostname)
  const key = `${protocol}//${host}${port === "" ? "" : `:${port}`}${pathname}${search}`
  return { text, key, canonical: key, name: "", host, decoy: [username, password].map(percentDecoded).join(" ").trim() }
}

function readAddress(text: string): Destination | undefined {
  const named = /^(.*)<([^<>]+)>$/s.exec(text)
  const address = (named?.[2] ?? text).replace(/^mailto:/i, "").replace(/\?.*$/s, "")
  const [, local, domain] = /^(\S+)@([^\s@]+)$/.exec(address) ?? []
  if (local === undefined || domain === undefined) return undefined
  const tagged = local.toLowerCase()
  const name = tagged.replace(/(?<=.)\+.*$/, "")
  const host = toHost(domain)
  return { text, key: `${name}@${host}`, canonical: `${tagged}@${host}`, name, host, decoy: named?.[1]?.trim() ?? "" }
}

function readHost(text: string): Destination | undefined {
  if (!/^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+\.?$/u.test(text)) return undefined
  const host = toHost(text)
  return { text, key: host, canonical: host, name: "", host, decoy: "" }
}

function readText(text: string): Destination {
  const key = text.toLowerCase().replaceAll(/\s+/g, " ")
  return { text, key, canonical: key, name: key, host: "", decoy: "" }
}

function toHost(domain: string): string {
  const lower = domain.toLowerCase().replace(/\.+$/, "")
  // Only punycode is decoded. Any other host stays as it was written, so that a look-alike character is found.
  return lower.includes("xn--") ? domainToUnicode(lower) || lower : lower
}

/** Decodes a percent-encoded text. A text with a wrong code stays as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

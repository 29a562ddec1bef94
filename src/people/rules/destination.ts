/** Reads the destination of an approval: an e-mail address, a URL, a channel, or any other text. */
import { domainToASCII, domainToUnicode } from "node:url"

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

/** What stands between two addresses, or around one, after NFKC. */
const AROUND_ADDRESSES = /[\s\p{Cc}<>()[\]{},;:"|?]+/u

/**
 * The forms of a destination that a rule is compared with, because the colleague chooses the spelling: the text as it was sent, its canonical
 * form, and the canonical form of each address in the text, each with the host in Unicode and in punycode.
 */
export function destinationForms(text: string): readonly string[] {
  const plain = decode(text)
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
  // RFC 5322 allows white space around the @.
  const joined = plain
    .split("@")
    .map((part) => part.trim())
    .join("@")
  const addresses = joined.split(AROUND_ADDRESSES).filter((word) => word.includes("@"))
  const read = [text, plain, ...addresses].map(readDestination)
  return [...new Set([text, ...read.flatMap(spellings)])]
}

function spellings({ canonical, host }: Destination): readonly string[] {
  const ascii = host === "" ? "" : domainToASCII(host)
  if (ascii === "" || !canonical.endsWith(host)) return [canonical]
  const start = canonical.slice(0, canonical.length - host.length)
  return [canonical, start + ascii, start + domainToUnicode(ascii)]
}

function readUrl(text: string): Destination | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, hostname, port, pathname, search, username, password } = new URL(text)
  const host = toHost(hostname)
  const key = `${protocol}//${host}${port === "" ? "" : `:${port}`}${pathname}${search}`
  return { text, key, canonical: key, name: "", host, decoy: [username, password].map(decode).join(" ").trim() }
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

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Reads the destination of an approval: e-mail addresses, a URL, or a name such as a channel. The colleague chooses the spelling, so this file
 * never guesses: a text that two programs may understand differently is not read (`docs/operating.md`, "Roles and rules").
 */
import { isIPv4, isIPv6 } from "node:net"
import { domainToASCII, domainToUnicode } from "node:url"
import emailAddresses from "email-addresses"
import { isPlainAddress } from "../plain-address.ts"

export type Destination = {
  /** The one spelling that the desk compares: an address, a URL without user and fragment, or a name. The host is in Unicode. */
  readonly canonical: string
  /** The address, URL or name as it was sent, without a person's name beside an address. */
  readonly written: string
  /** The part of an address before the @, in lower case. Empty when the text is no address. */
  readonly local: string
  /** In Unicode. Empty when the text names no host. */
  readonly host: string
}

// The parser of addresses recurses: its stack overflows with some thousands of open comments, and 1,000 take it 20 ms.
const READ_MAX_CHARACTERS = 1_000

/** An encoded word (RFC 2047) hides what a mail program reads in it. */
const ENCODED_WORD = /=\?.*\?=/

/**
 * The destinations that a text names: one, or each of several addresses. Undefined: the text cannot be read, because it is not exactly what its
 * standard says (RFC 5322 without its obsolete forms, except for common characters of a name; an absolute URL without a user), or because it
 * is longer than READ_MAX_CHARACTERS.
 */
export function readDestinations(text: string): readonly Destination[] | undefined {
  const trimmed = text.trim()
  if (trimmed.length > READ_MAX_CHARACTERS || /\p{Cc}/u.test(trimmed)) return undefined
  const decoded = percentDecoded(trimmed)
  if (ENCODED_WORD.test(decoded)) return undefined
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(trimmed)) return readUrl(trimmed)
  // Bytes that are no UTF-8: each program makes something else of them.
  if (decoded.includes("\u{fffd}")) return undefined
  return decoded.includes("@") ? readAddresses(decoded.replace(/^mailto:/i, "")) : readNames(decoded)
}

/** The texts that the pattern of a rule is compared with. Undefined: the destination cannot be read, so every pattern matches (`matchingRules`). */
export function destinationForms(text: string): readonly string[] | undefined {
  // A service may normalize the text before it reads it, so both must be readable.
  const plain = text.normalize("NFKC").replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
  const [asSent, asPlain] = [readDestinations(text), readDestinations(plain)]
  if (asSent === undefined || asPlain === undefined) return undefined
  return [...new Set([text, ...[...asSent, ...asPlain].flatMap(spellings)])]
}

/** The canonical form, also with the host in punycode and with a decoded path. */
function spellings({ canonical, host }: Destination): readonly string[] {
  const inAscii = host === "" ? canonical : canonical.replace(host, () => domainToASCII(host) || host)
  const decoded = percentDecoded(canonical)
  // Many servers read several slashes in a path as one.
  return [canonical, inAscii, decoded, decoded.replaceAll(/(?<!:)\/{2,}/g, "/")]
}

/** `\` and `%` in a host are read by some programs only. */
const ORDINARY_URL = /^[a-z][a-z\d+.-]*:\/\/[^\s\\/?#%,;]+(?:[/?#][^\s\\]*)?$/iu
/** An @ may end the name of a user, and a second `:/` may begin another URL. */
const USER_OR_SECOND_URL = /@|%40|:\/.*:\//i

function readUrl(text: string): readonly Destination[] | undefined {
  const isOrdinary = ORDINARY_URL.test(text) && !USER_OR_SECOND_URL.test(text)
  const url = isOrdinary ? URL.parse(text) : null
  if (url === null) return undefined
  const host = toHost(url.hostname) ?? url.hostname
  const port = url.port === "" ? "" : `:${url.port}`
  const canonical = `${url.protocol}//${host}${port}${url.pathname}${url.search}`
  return [{ canonical, written: text, local: "", host }]
}

function readAddresses(text: string): readonly Destination[] | undefined {
  const mailboxes = parseMailboxes(text)
  // An @ in a name, a comment or quotes: a careless parser may take what stands around it for the address.
  if (mailboxes.length === 0 || text.split("@").length - 1 !== mailboxes.length) return undefined
  const read = mailboxes.flatMap(({ local, domain }) => {
    const host = domain.startsWith("[") ? toLiteral(domain) : toMailHost(domain)
    // Mail servers once read `name%host` and `host!name` as an address within the address. In quoted-printable text, `=40` is an @.
    if (host === undefined || /[%!=]/.test(local)) return []
    const lower = local.toLowerCase()
    return [{ canonical: `${lower}@${host}`, written: `${local}@${domain}`, local: lower, host }]
  })
  return read.length === mailboxes.length ? read : undefined
}

type Mailbox = { readonly local: string; readonly domain: string }

/** `J. Kern <jana@example.com>`: RFC 5322 wants quotes around a name with a dot, but hardly a program writes them. */
const NAME_AND_ADDRESS = /^[\p{L}\p{M}\p{N}.\-'& ]*[\p{L}\p{M}\p{N}.\-'&] <([^<>]+)>$/u
/** The last dot of a domain, which stands for the root. */
const ROOT_DOT = /(?<=[\p{L}\p{M}\p{N}])\.(?=>?$)/u

function parseMailboxes(text: string): readonly Mailbox[] {
  // A comment may have commas, and a group has its own.
  if (/[(:;]/.test(text)) return parseStrictly(text)
  const entries = text.match(/(?:[^",]|"(?:[^"\\]|\\.)*")+/gu) ?? []
  // An open quote, or nothing between two commas.
  if (entries.join(",") !== text) return []
  const mailboxes = entries.map((entry) => parseMailbox(entry.trim().replace(ROOT_DOT, "")))
  return mailboxes.every((mailbox) => mailbox !== undefined) ? mailboxes : []
}

function parseMailbox(text: string): Mailbox | undefined {
  // The parser takes 0.1 ms for an address, which blocks the desk for a second where ten thousand wait. Nearly all texts need no parser.
  const inBrackets = NAME_AND_ADDRESS.exec(text)?.[1]
  const address = inBrackets ?? text
  if (isPlainAddress(address)) {
    const at = address.lastIndexOf("@")
    return { local: address.slice(0, at), domain: address.slice(at + 1) }
  }
  const [mailbox, ...others] = parseStrictly(inBrackets === undefined ? text : `<${inBrackets}>`)
  return others.length === 0 ? mailbox : undefined
}

function parseStrictly(text: string): readonly Mailbox[] {
  const parsed = emailAddresses.parseAddressList({ input: text, rfc6532: true, strict: true }) ?? []
  return parsed.flatMap((found) => (found.type === "group" ? found.addresses : found))
}

/** A name, such as `#finance` or `Müller & Co.`. Of several with commas each is one, too. */
function readNames(text: string): readonly Destination[] | undefined {
  // Some programs read these as URLs: `//host`, `\\host`, `https:/host` and `https:host`.
  if (/^\/|\\|:\//.test(text) || (URL.parse(text)?.host ?? "") !== "") return undefined
  const [whole = "", ...parts] = [text, ...text.split(/[,;]/)].map((part) => part.trim().replaceAll(/\s+/g, " "))
  return [...new Set([whole, ...parts])].map((part) => {
    const host = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+\.?$/u.test(part) ? toHost(part) : undefined
    return { canonical: host ?? part, written: part, local: "", host: host ?? "" }
  })
}

/** A host in Unicode and without the dot of the root. Undefined: no host can have this name. */
function toHost(domain: string): string | undefined {
  const ascii = domainToASCII(domain.replace(/\.$/, ""))
  return ascii === "" ? undefined : domainToUnicode(ascii)
}

/**
 * The host of an address. Undefined: it has other characters than letters, digits, hyphens and dots (RFC 5321, section 4.1.2). RFC 5322 permits
 * more, such as `=`, at which a careless parser ends the address.
 */
function toMailHost(domain: string): string | undefined {
  const host = toHost(domain)
  return host !== undefined && /^[a-z\d.-]+$/.test(domainToASCII(host)) ? host : undefined
}

/** An IP address in brackets (RFC 5321, section 4.1.3), each address in one spelling. Undefined: the brackets hold something else. */
function toLiteral(domain: string): string | undefined {
  const [, isV6, address = ""] = /^\[(IPv6:)?([^\]]*)\]$/i.exec(domain) ?? []
  if (isV6 === undefined) return isIPv4(address) ? domain : undefined
  return isIPv6(address) ? URL.parse(`http://[${address}]`)?.hostname.replace("[", "[ipv6:") : undefined
}

/** Decodes each percent code. Bytes that are no UTF-8 become U+FFFD, so that a wrong code hides no right code beside it. */
function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll("%", ""), "hex").toString("utf8"),
  )
}

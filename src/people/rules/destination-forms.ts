import { domainToASCII, domainToUnicode } from "node:url"
import { type Destination, percentDecoded, readDestination } from "./read-destination.ts"

/** What stands between two addresses, or around one, after NFKC. */
const AROUND_ADDRESSES = /[\s\p{Cc}<>()[\]{},;:"|?]+/u

/**
 * The forms of a destination that a rule is compared with, because the colleague chooses the spelling: the text as it was sent, its canonical
 * form, and the canonical form of each address in the text, each with the host in Unicode and in punycode.
 */
export function destinationForms(text: string): readonly string[] {
  const plain = percentDecoded(text)
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

/** The destinations of an approval as the desk compares them with known ones. `desk/people/rules/destinations.ts` reads them, for the rules too. */
import { readDestinations, type Destination as ReadDestination } from "../people/rules/destinations.ts"

export type Destination = {
  /** As it was sent. Of several addresses the address alone. */
  readonly text: string
  /** Equal for texts that reach the same place. Letter case, punycode and the tag of a plus-address do not count. */
  readonly key: string
  /** The part before the @, or the whole text when there is no host. */
  readonly name: string
  /** In Unicode. Empty when the text names no host. */
  readonly host: string
  /** Other text that a reader could take for the host, such as a display name. */
  readonly decoy: string
}

/** A longer text is no address. It is compared as a whole. */
const COMPARED_MAX_CHARACTERS = 1_000

/** What an approval's destination reaches: one or several. A text that cannot be read is one, as a whole. */
export function toDestinations(text: string): readonly Destination[] {
  const trimmed = text.trim().normalize("NFC")
  const read = readDestinations(trimmed)
  if (read === undefined) return [unreadable(trimmed)]
  const decoy = read.reduce((rest, { local, written }) => (local === "" ? "" : rest.replace(written, " ")), trimmed)
  const byKey = new Map<string, Destination>()
  for (const one of read) {
    const destination = toDestination(one, read.length === 1 ? trimmed : one.written, decoy.trim())
    if (!byKey.has(destination.key)) byKey.set(destination.key, destination)
  }
  return [...byKey.values()]
}

/** The addresses within a text that cannot be read: some program may read one of them. Empty for a text that can be read. */
export function possibleDestinations(text: string): readonly Destination[] {
  if (text.length > COMPARED_MAX_CHARACTERS || readDestinations(text.trim()) !== undefined) return []
  const addresses = text.match(/[^\s<>()[\]",;:]+@[^\s<>()[\]",;:@]+/g) ?? []
  return addresses.flatMap(toDestinations)
}

function toDestination({ canonical, local, host }: ReadDestination, text: string, decoy: string): Destination {
  if (local !== "") {
    const name = local.replace(/(?<=.)\+.*$/, "")
    return { text, key: `${name}@${host}`, name, host, decoy }
  }
  const key = host === "" ? canonical.toLowerCase() : canonical
  return { text, key, name: host === "" ? key : "", host, decoy: "" }
}

function unreadable(text: string): Destination {
  if (text.length > COMPARED_MAX_CHARACTERS) return { text, key: text, name: "", host: "", decoy: "" }
  const key = text.toLowerCase().replaceAll(/\s+/g, " ")
  return { text, key, name: key, host: "", decoy: "" }
}

/** Finds the known destinations that a destination looks like. `look-alike-warnings.ts` decides which of them a person is warned of. */
import { rectifyConfusion } from "unicode-confusables"
import type { LookAlike } from "../../contract/desk-work.ts"
import type { Destination } from "./destination.ts"
import { NearTexts } from "./near-texts.ts"

/** A destination could be taken for one of these known destinations, for the first before the others. */
type Found<Known> = { readonly destinations: Iterable<Known>; readonly reason: LookAlike["reason"] }

/** The known destinations, indexed so that one is compared with a hundred thousand within 20 ms. */
export class LookAlikes<Known extends Destination> {
  readonly #byKey = new Map<string, Known>()
  readonly #bySkeleton = new Map<string, Set<Known>>()
  /** Empty for texts without a host. */
  readonly #byHost = new Map<string, Set<Known>>()
  readonly #hostsBySkeleton = new Map<string, Set<string>>()
  readonly #hosts = new NearTexts()
  /** The names at each host. The key is empty for texts without a host. */
  readonly #names = new Map<string, NearTexts>()

  add(destination: Known): void {
    const { key, name, host } = destination
    if (this.#byKey.has(key)) return
    this.#byKey.set(key, destination)
    addTo(this.#bySkeleton, skeletonOf(key), destination)
    if (name !== "") {
      const names = this.#names.get(host) ?? new NearTexts()
      this.#names.set(host, names)
      names.add(name)
    }
    addTo(this.#byHost, host, destination)
    if (host === "") return
    this.#hosts.add(host)
    addTo(this.#hostsBySkeleton, skeletonOf(host), host)
  }

  /** Removes the destination with a key. */
  delete(key: string): void {
    const destination = this.#byKey.get(key)
    if (destination === undefined) return
    const { name, host } = destination
    this.#byKey.delete(key)
    deleteFrom(this.#bySkeleton, skeletonOf(key), destination)
    this.#names.get(host)?.delete(name)
    deleteFrom(this.#byHost, host, destination)
    if (this.#byHost.has(host)) return
    this.#names.delete(host)
    this.#hosts.delete(host)
    deleteFrom(this.#hostsBySkeleton, skeletonOf(host), host)
  }

  /** Finds everything known that `destination` could be taken for, the strongest reasons first. */
  find(destination: Destination): readonly Found<Known>[] {
    const { host, name, key } = destination
    const found: Found<Known>[] = []
    for (const skeleton of skeletonsOf(destination.text, key)) {
      for (const other of this.#bySkeleton.get(skeleton) ?? []) {
        if (other.key !== key) found.push({ destinations: [other], reason: byCharacters(key, other.key) })
      }
    }
    if (host !== "") found.push(...this.#findHosts(destination))
    for (const near of this.#names.get(host)?.find(name, ({ length }) => length) ?? []) {
      const other = this.#byKey.get(keyAt(host, near.text))
      if (other !== undefined) found.push({ destinations: [other], reason: { kind: "distance", edits: near.edits } })
    }
    for (const domain of domainsWithin(destination)) {
      if (domain === host || !this.#hosts.has(domain)) continue
      found.push({ destinations: this.#knownAt(domain, name), reason: { kind: "domain", domain } })
    }
    return found
  }

  *#findHosts({ host, name }: Destination): Generator<Found<Known>> {
    for (const skeleton of skeletonsOf(host, host)) {
      for (const other of this.#hostsBySkeleton.get(skeleton) ?? []) {
        if (other !== host) yield { destinations: this.#knownAt(other, name), reason: byCharacters(host, other) }
      }
    }
    for (const { text: other, edits } of this.#hosts.find(host, lengthWithoutTopLevel)) {
      if (host.endsWith(`.${other}`) || other.endsWith(`.${host}`)) continue
      yield { destinations: this.#knownAt(other, name), reason: { kind: "distance", edits } }
    }
  }

  /** The known destinations at a host, the one with this name first. */
  *#knownAt(host: string, name: string): Generator<Known> {
    const named = this.#byKey.get(keyAt(host, name))
    if (named !== undefined) yield named
    for (const other of this.#byHost.get(host) ?? []) if (other !== named) yield other
  }
}

/** The key of a name at a host, as `toDestinations` makes it. */
const keyAt = (host: string, name: string) => (host === "" ? name : `${name}@${host}`)

/** The skeletons of a text as written and in lower case: a capital I looks like a small l, and its lower case does not. */
function skeletonsOf(text: string, lower: string): ReadonlySet<string> {
  return new Set([skeletonOf(lower), skeletonOf(text)])
}

function byCharacters(text: string, other: string): LookAlike["reason"] {
  const { here, there } = differenceOf(text, other)
  const character = here === "" ? there : here
  return { kind: "characters", character, script: scriptOf(character) }
}

/** How much of a text is searched for domains. The longest domain name has 253 characters. */
const SEARCHED_MAX_CHARACTERS = 320

const lengthWithoutTopLevel = (host: string) => Math.max(0, host.lastIndexOf("."))

/**
 * The domains that a destination names without leading there: within a longer host (`halden.example.evil.test`), before the @, in a URL's user or
 * in a display name. The end of the host does not count, because the destination does lead there.
 */
function domainsWithin({ host, name, decoy }: Destination): ReadonlySet<string> {
  const domains = new Set<string>()
  for (const [whole, isHost] of [
    [host, true],
    [name, false],
    [decoy.toLowerCase(), false],
  ] as const) {
    const text = whole.slice(0, SEARCHED_MAX_CHARACTERS)
    const separators = [...text.matchAll(/[^\p{L}\p{N}]/gu)].map(({ index }) => index)
    const starts = [0, ...separators.map((index) => index + 1)]
    const ends = [...separators, text.length]
    for (const start of starts) {
      for (const end of ends) {
        const part = text.slice(start, end)
        if (end > start && part.includes(".") && !(isHost && end === text.length)) domains.add(part)
      }
    }
  }
  return domains
}

function addTo<Value>(map: Map<string, Set<Value>>, key: string, value: Value): void {
  const values = map.get(key)
  if (values === undefined) map.set(key, new Set([value]))
  else values.add(value)
}

function deleteFrom<Value>(map: Map<string, Set<Value>>, key: string, value: Value): void {
  const values = map.get(key)
  values?.delete(value)
  if (values?.size === 0) map.delete(key)
}

/** A longer text is no address, and is its own skeleton. */
const MAX_CHARACTERS = 2_000

/** The skeleton of a text (Unicode TS 39, section 4). Texts that look alike have the same skeleton. Letter case does not count. */
function skeletonOf(text: string): string {
  // Fast path: these characters are their own skeletons. An m is not among them, because it looks like r and n.
  if (text.length > MAX_CHARACTERS || /^[a-ln-z@._+-]*$/.test(text)) return text
  return rectifyConfusion(text.normalize("NFD")).normalize("NFD").toLowerCase()
}

const SCRIPTS = [
  "Latin",
  "Cyrillic",
  "Greek",
  "Armenian",
  "Georgian",
  "Hebrew",
  "Arabic",
  "Cherokee",
  "Coptic",
  "Devanagari",
  "Thai",
  "Hangul",
  "Hiragana",
  "Katakana",
  "Han",
  "Lisu",
  "Osage",
] as const

const patterns = SCRIPTS.map((script) => [script, new RegExp(`\\p{Script=${script}}`, "u")] as const)

/** The first of SCRIPTS that the text has a character of, or `Common`. */
function scriptOf(text: string): string {
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? "Common"
}

/** The part of `text` that differs from `other`, and the part of `other` at the same place. */
function differenceOf(text: string, other: string): { readonly here: string; readonly there: string } {
  const [one, two] = [Array.from(text), Array.from(other)]
  let start = 0
  while (start < Math.min(one.length, two.length) && one[start] === two[start]) start++
  let end = 0
  while (end < Math.min(one.length, two.length) - start && one.at(-1 - end) === two.at(-1 - end)) end++
  return {
    here: one.slice(start, one.length - end).join(""),
    there: two.slice(start, two.length - end).join(""),
  }
}

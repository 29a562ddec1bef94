/** Finds the texts that differ from a text by one or two edits, among a hundred thousand texts. */
import { distance } from "fastest-levenshtein"

/** A text of less than four letters has no near texts, because many innocent texts differ from it by one or two edits. */
const NO_EDITS_BELOW = 4
/** A text of four or five letters is near at one edit, a longer text also at two. */
const ONE_EDIT_BELOW = 6
const EDITS_MAX = 2

export class NearTexts {
  /** The texts, and `charactersOf` each. */
  readonly #texts = new Map<string, number>()

  add(text: string): void {
    this.#texts.set(text, charactersOf(text))
  }

  delete(text: string): void {
    this.#texts.delete(text)
  }

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  /** The texts that differ from `text` by one edit or, where both are long enough, by two. `significantLength` gives the length that decides this. */
  find(text: string, significantLength: (text: string) => number): { readonly text: string; readonly edits: number }[] {
    const ownLength = significantLength(text)
    if (ownLength < NO_EDITS_BELOW) return []
    const characters = charactersOf(text)
    const found: { text: string; edits: number }[] = []
    for (const [other, otherCharacters] of this.#texts) {
      // A fast test that leaves few texts. One edit removes at most one character and adds one, so it changes at most two bits.
      if (countBits(characters ^ otherCharacters) > 2 * EDITS_MAX) continue
      if (Math.abs(other.length - text.length) > EDITS_MAX || other === text) continue
      const length = Math.min(ownLength, significantLength(other))
      if (length < NO_EDITS_BELOW) continue
      const edits = editsBetween(text, other)
      const editsMax = length < ONE_EDIT_BELOW ? 1 : EDITS_MAX
      if (edits <= editsMax && !isNumbering(text, other)) {
        found.push({ text: other, edits })
      }
    }
    return found
  }
}

/** The characters that a text has, as a number of 32 bits. Characters share a bit, so texts with other characters may have the same number. */
function charactersOf(text: string): number {
  let characters = 0
  for (let index = 0; index < text.length; index++) characters |= 1 << (text.charCodeAt(index) & 31)
  return characters >>> 0
}

/** How many bits of a number of 32 bits are set. */
function countBits(value: number): number {
  let bits = value - ((value >>> 1) & 0x55_55_55_55)
  bits = (bits & 0x33_33_33_33) + ((bits >>> 2) & 0x33_33_33_33)
  return (((bits + (bits >>> 4)) & 0x0f_0f_0f_0f) * 0x01_01_01_01) >>> 24
}

/** How many characters were added, removed or replaced. Two neighbours that changed places count as one edit. */
function editsBetween(one: string, other: string): number {
  const edits = distance(one, other)
  if (edits !== 2 || one.length !== other.length) return edits
  let first = 0
  while (one[first] === other[first]) first++
  const isExchange = one[first] === other[first + 1] && one[first + 1] === other[first]
  return isExchange && one.slice(first + 2) === other.slice(first + 2) ? 1 : edits
}

/** Whether two texts differ only in their numbers, as `invoices-1` and `invoices-2` do. Such texts are not near. */
function isNumbering(one: string, other: string): boolean {
  const withoutDigits = (text: string) => text.replaceAll(/\d+/g, "0")
  return /\d/.test(one) && withoutDigits(one) === withoutDigits(other)
}

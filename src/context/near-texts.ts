/** Finds the texts that differ from a text by one or two edits, among a hundred thousand texts. */
import { distance } from "fastest-levenshtein"

/** A shorter text has no near texts, because most texts of three letters differ by two edits. */
const NO_EDITS_BELOW = 4
const ONE_EDIT_BELOW = 6
const EDITS_MAX = 2

export class NearTexts {
  readonly #texts: string[] = []
  readonly #has = new Set<string>()
  #signatures = new Uint32Array(64)

  /** Adds a text. */
  add(text: string): void {
    if (this.#has.has(text)) return
    this.#has.add(text)
    if (this.#texts.length === this.#signatures.length) {
      const grown = new Uint32Array(this.#signatures.length * 2)
      grown.set(this.#signatures)
      this.#signatures = grown
    }
    this.#signatures[this.#texts.length] = signatureOf(text)
    this.#texts.push(text)
  }

  has(text: string): boolean {
    return this.#has.has(text)
  }

  /**
   * Finds the texts that differ from `text` by at most one edit, or two edits for longer texts. `significantLength` gives the length that
   * decides: for a domain, the length without its last label.
   */
  find(text: string, significantLength: (text: string) => number): { readonly text: string; readonly edits: number }[] {
    const own = significantLength(text)
    if (own < NO_EDITS_BELOW) return []
    const signature = signatureOf(text)
    const found: { text: string; edits: number }[] = []
    for (let index = 0; index < this.#texts.length; index++) {
      // One edit changes at most two bits of a signature.
      if (countBits(signature ^ (this.#signatures[index] ?? 0)) > 2 * EDITS_MAX) continue
      const other = this.#texts[index] ?? ""
      if (Math.abs(other.length - text.length) > EDITS_MAX || other === text) continue
      const length = Math.min(own, significantLength(other))
      if (length < NO_EDITS_BELOW) continue
      const edits = editsBetween(text, other)
      if (edits <= (length < ONE_EDIT_BELOW ? 1 : EDITS_MAX) && !isNumbering(text, other)) {
        found.push({ text: other, edits })
      }
    }
    return found
  }
}

/** The set of a text's characters: one bit for each character code modulo 32. */
function signatureOf(text: string): number {
  let signature = 0
  for (let index = 0; index < text.length; index++) signature |= 1 << (text.charCodeAt(index) & 31)
  return signature >>> 0
}

function countBits(value: number): number {
  let bits = value - ((value >>> 1) & 0x55_55_55_55)
  bits = (bits & 0x33_33_33_33) + ((bits >>> 2) & 0x33_33_33_33)
  return (((bits + (bits >>> 4)) & 0x0f_0f_0f_0f) * 0x01_01_01_01) >>> 24
}

/** The Levenshtein distance, where exchanging two neighbours counts as one edit. */
function editsBetween(one: string, other: string): number {
  const edits = distance(one, other)
  if (edits !== 2 || one.length !== other.length) return edits
  let first = 0
  while (one[first] === other[first]) first++
  const isExchange = one[first] === other[first + 1] && one[first + 1] === other[first]
  return isExchange && one.slice(first + 2) === other.slice(first + 2) ? 1 : edits
}

/** Whether two texts differ only in their numbers, as `invoices-1` and `invoices-2` do. They are no look-alikes. */
function isNumbering(one: string, other: string): boolean {
  const withoutDigits = (text: string) => text.replaceAll(/\d+/g, "0")
  return /\d/.test(one) && withoutDigits(one) === withoutDigits(other)
}

/** Finds the texts that are one or two edits away, among a hundred thousand. */
import { distance } from "fastest-levenshtein"

/** A text shorter than this has no near texts: three letters differ from each other by two all the time. */
const NO_EDITS_BELOW = 4
const ONE_EDIT_BELOW = 6
const EDITS_MAX = 2

export class NearTexts {
  readonly #texts: string[] = []
  readonly #has = new Set<string>()
  #signatures = new Uint32Array(64)

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
   * The texts that differ from `text` by as many edits as its length allows. `significant` is the length that decides: a domain's without
   * its last label.
   */
  find(text: string, significant: (text: string) => number): { readonly text: string; readonly edits: number }[] {
    const own = significant(text)
    if (own < NO_EDITS_BELOW) return []
    const signature = signatureOf(text)
    const found: { text: string; edits: number }[] = []
    for (let index = 0; index < this.#texts.length; index++) {
      // Each edit changes two letters of the set at most.
      if (countBits(signature ^ (this.#signatures[index] ?? 0)) > 2 * EDITS_MAX) continue
      const other = this.#texts[index] ?? ""
      if (Math.abs(other.length - text.length) > EDITS_MAX || other === text) continue
      const length = Math.min(own, significant(other))
      if (length < NO_EDITS_BELOW) continue
      const edits = editsBetween(text, other)
      if (edits <= (length < ONE_EDIT_BELOW ? 1 : EDITS_MAX) && !isNumbering(text, other)) {
        found.push({ text: other, edits })
      }
    }
    return found
  }
}

/** One bit a letter, by its code modulo 32: texts with much different sets are far apart. */
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

/** Levenshtein's distance, with two neighbours exchanged as one edit. */
function editsBetween(one: string, other: string): number {
  const edits = distance(one, other)
  if (edits !== 2 || one.length !== other.length) return edits
  let first = 0
  while (one[first] === other[first]) first++
  const isExchange = one[first] === other[first + 1] && one[first + 1] === other[first]
  return isExchange && one.slice(first + 2) === other.slice(first + 2) ? 1 : edits
}

/** `invoices-1` and `invoices-2` are ordinary neighbours. */
function isNumbering(one: string, other: string): boolean {
  const withoutDigits = (text: string) => text.replaceAll(/\d+/g, "0")
  return /\d/.test(one) && withoutDigits(one) === withoutDigits(other)
}

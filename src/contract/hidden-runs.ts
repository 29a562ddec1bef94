/** Finds the characters of a text that cannot be seen, for the app and for the documents that the desk writes. */
import { formatNumber } from "./plural.ts"

/*
 * Characters that are invisible and can change how a text reads: controls, bidirectional overrides and isolates, zero-width characters, soft
 * hyphens, fillers, tags, variation selectors, line separators, the blank Braille cell and lone surrogates.
 *
 * Not matched: newline and tab; spaces with a width (NBSP, U+202F, U+3000); the Arabic, Syriac and Kaithi number signs, which have a glyph
 * although their category is format; and the emoji sequences of Unicode's closed list (RGI_Emoji), whose joiners and selectors form one
 * picture. Joiners of Persian or Hindi are matched, because an attacker could use an exception for a language.
 */
const pattern =
  /(\p{RGI_Emoji})|([[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2800]--[\n\t\u0600-\u0605\u06DD\u0890\u0891\u08E2\u{110BD}\u{110CD}]])/gv

/** Most texts are only printable ASCII. The large pattern is compiled (4 ms) for the first text that is not. */
export const plain = /^[\n\t\x20-\x7E]*$/

/** The code point of a character as Unicode writes it: `U+202E`. */
const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** The mark in place of equal hidden characters: `U+202E`, `2,000 × U+200B`. */
export const formatMark = ({ character, count }: HiddenRun): string =>
  count === 1 ? codePointOf(character) : `${formatNumber(count)} × ${codePointOf(character)}`

/** Equal hidden characters that follow each other, from the index `begin` of the text to before `end`. */
export type HiddenRun = {
  readonly begin: number
  readonly end: number
  readonly character: string
  readonly count: number
}

/** The runs of equal characters that are invisible or reorder others. */
export function* hiddenRuns(source: string): Generator<HiddenRun> {
  let run: HiddenRun | undefined
  for (const { 2: character, index } of source.matchAll(pattern)) {
    if (character === undefined) continue
    const end = index + character.length
    if (run?.end === index && run.character === character) {
      run = { ...run, end, count: run.count + 1 }
      continue
    }
    if (run !== undefined) yield run
    run = { begin: index, end, character, count: 1 }
  }
  if (run !== undefined) yield run
}

/** Finds the characters of a text that cannot be seen. Workers, which have no elements, use it too. */
import { formatNumber } from "../../contract/plural.ts"

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
const plain = /^[\n\t\x20-\x7E]*$/

/** A piece of plain text, or a mark in place of equal hidden characters: `U+202E`, `2,000 × U+200B`. */
export type TextPart = { text: string } | { hidden: string }

/**
 * The most marks of one text, and of one in a single line. Each is an element, and a page with tens of thousands of elements doesn't respond. A long
 * Persian letter, with a joiner in every second line, has fewer.
 */
export const MARKS_MAX = 1_000
export const LINE_MARKS_MAX = 50

/** The code point of a character as Unicode writes it: `U+202E`. */
const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

const formatMark = (character: string, count: number): string =>
  count === 1 ? codePointOf(character) : `${formatNumber(count)} × ${codePointOf(character)}`

type Run = { readonly begin: number; readonly end: number; readonly character: string; readonly count: number }

/** The runs of equal characters that are invisible or reorder others. */
function* hiddenRuns(source: string): Generator<Run> {
  let run: Run | undefined
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

/**
 * Splits `text` at its hidden characters. CR LF becomes one newline; no other character is lost. After `marksMax` marks, the others are written
 * within the text, in brackets.
 */
export function splitHidden(text: string, marksMax = MARKS_MAX): readonly TextPart[] {
  const source = text.replaceAll("\r\n", "\n")
  if (plain.test(source)) return source === "" ? [] : [{ text: source }]
  const parts: TextPart[] = []
  let marks = 0
  let words = ""
  let at = 0
  for (const { begin, end, character, count } of hiddenRuns(source)) {
    words += source.slice(at, begin)
    at = end
    marks += 1
    const mark = formatMark(character, count)
    if (marks > marksMax) {
      words += `[${mark}]`
      continue
    }
    if (words !== "") parts.push({ text: words })
    words = ""
    parts.push({ hidden: mark })
  }
  words += source.slice(at)
  if (words !== "") parts.push({ text: words })
  return parts
}

/** Whether `texts` together have more than `MARKS_MAX` marks. */
export function hasTooManyMarks(texts: readonly string[]): boolean {
  let marks = 0
  for (const text of texts) {
    if (plain.test(text)) continue
    for (const _ of hiddenRuns(text.replaceAll("\r\n", "\n"))) {
      marks += 1
      if (marks > MARKS_MAX) return true
    }
  }
  return false
}

/** The text with `[U+202E]` for each hidden character, for places that take no elements: the title of a tab, an option. */
export function writeHidden(text: string): string {
  return splitHidden(text)
    .map((part) => ("text" in part ? part.text : `[${part.hidden}]`))
    .join("")
}

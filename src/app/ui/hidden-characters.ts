/** Finds the characters of a text that cannot be seen. Workers, which have no elements, use it too. */
import { formatMark, hiddenRuns, plain } from "../../contract/hidden-runs.ts"

/** A piece of plain text, or a mark in place of equal hidden characters: `U+202E`, `2,000 × U+200B`. */
export type TextPart = { text: string } | { hidden: string }

/**
 * The most marks of one text, and of one in a single line. Each is an element, and a page with tens of thousands of elements doesn't respond. A long
 * Persian letter, with a joiner in every second line, has fewer.
 */
export const MARKS_MAX = 1_000
export const LINE_MARKS_MAX = 50

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
  for (const run of hiddenRuns(source)) {
    words += source.slice(at, run.begin)
    at = run.end
    marks += 1
    const mark = formatMark(run)
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

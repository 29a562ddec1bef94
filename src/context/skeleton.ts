/** Compares how texts look, with the data of Unicode TS 39. */
import { rectifyConfusion } from "unicode-confusables"

/** A longer text is no address. */
const MAX_CHARACTERS = 2_000

/** The skeleton of a text (Unicode TS 39, section 4). Texts that look alike have the same skeleton. Letter case does not count. */
export function skeletonOf(text: string): string {
  // Fast path: these characters have no look-alikes. An m is not among them, because it looks like r and n.
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
export function scriptOf(text: string): string {
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? "Common"
}

/** The part of `text` that differs from `other`, and the part of `other` at the same place. */
export function differenceOf(text: string, other: string): { readonly here: string; readonly there: string } {
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

/** Texts that look alike, by the data of Unicode TS 39. */
import { rectifyConfusion } from "unicode-confusables"

/** A longer text is no address. */
const LONGEST = 2_000

/** Unicode TS 39, section 4: equal for texts that look alike. Letter case does not count, because addresses are read without it. */
export function skeletonOf(text: string): string {
  // The data leaves these as they are, and most addresses consist of them. An m looks like r and n.
  if (text.length > LONGEST || /^[a-ln-z@._+-]*$/.test(text)) return text
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

/** The script of the first character that has one: `Cyrillic`; `Common` for digits, punctuation and invisible characters. */
export function scriptOf(text: string): string {
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? "Common"
}

/** The part of `text` in which it differs from `other`, and what stands there in `other`. */
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

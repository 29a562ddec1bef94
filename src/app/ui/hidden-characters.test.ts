import { expect, test } from "vitest"
import { hasTooManyMarks, LINE_MARKS_MAX, MARKS_MAX, splitHidden } from "./hidden-characters.ts"

/** The text as it is shown, each replaced character in brackets. */
const shown = (text: string): string =>
  splitHidden(text)
    .map((part) => ("text" in part ? part.text : `[${part.hidden}]`))
    .join("")

test.each([
  ["a right-to-left override", "in\u202Egpj.exe", "in[U+202E]gpj.exe"],
  ["isolates and their end", "\u2066a\u2069", "[U+2066]a[U+2069]"],
  ["marks of direction", "a\u200E\u200F\u061Cb", "a[U+200E][U+200F][U+061C]b"],
  ["zero-width characters", "pay\u200Bpal\u200C\u200D\u2060\uFEFF", "pay[U+200B]pal[U+200C][U+200D][U+2060][U+FEFF]"],
  ["a soft hyphen", "co\u00ADop", "co[U+00AD]op"],
  ["controls", "a\u0000\u001B[31m\u007F\u0085", "a[U+0000][U+001B][31m[U+007F][U+0085]"],
  ["line and paragraph separators", "a\u2028b\u2029c", "a[U+2028]b[U+2029]c"],
  ["tags that spell a hidden text", "hi\u{E0041}\u{E0042}", "hi[U+E0041][U+E0042]"],
  ["variation selectors that carry data", "a\uFE00\u{E0100}", "a[U+FE00][U+E0100]"],
  ["fillers and the blank Braille cell", "\u3164\u115F\u2800", "[U+3164][U+115F][U+2800]"],
  ["a lone surrogate", "a\uD800b", "a[U+D800]b"],
  ["a carriage return alone", "seen\rgone", "seen[U+000D]gone"],
  ["a joiner between letters, also in Persian", "می\u200Cخواهم", "می[U+200C]خواهم"],
  [
    "equal characters in a row, with their number",
    `a${"\u200B".repeat(2_000)}\u2060\u200B`,
    "a[2,000 × U+200B][U+2060][U+200B]",
  ],
  ["a joiner after an emoji that joins nothing", "👩\u200D!", "👩[U+200D]!"],
])("shows %s", (_, text, expected) => {
  expect(shown(text)).toBe(expected)
})

test.each([
  ["line breaks and tabs", "a\tb\nc", "a\tb\nc"],
  ["CR LF, as one line break", "a\r\nb", "a\nb"],
  ["spaces that have a width", "1\u00A0000\u202Fkg\u3000x", "1\u00A0000\u202Fkg\u3000x"],
  ["accents, composed or not", "é e\u0301 ñ", "é e\u0301 ñ"],
  ["whole emoji", "👩‍👩‍👧 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👋🏽", "👩‍👩‍👧 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👋🏽"],
  ["signs of other scripts with a glyph", "\u0600\u06DD", "\u0600\u06DD"],
  ["nothing", "", ""],
])("leaves %s as they are", (_, text, expected) => {
  expect(shown(text)).toBe(expected)
})

test("a text with very many marks keeps every character, but the last marks are only text", () => {
  const text = "a\u200Bb\u2060".repeat(2_000)
  expect(splitHidden(text).filter((part) => "hidden" in part)).toHaveLength(MARKS_MAX)
  expect(splitHidden(text, LINE_MARKS_MAX).filter((part) => "hidden" in part)).toHaveLength(LINE_MARKS_MAX)
  expect(shown(text)).toBe("a[U+200B]b[U+2060]".repeat(2_000))
})

test("runs count as one mark, and the marks of all texts count together", () => {
  expect(hasTooManyMarks(["a\u200B".repeat(MARKS_MAX), "\u200B".repeat(0)])).toBe(false)
  expect(hasTooManyMarks(["a\u200B".repeat(MARKS_MAX), "\u2060".repeat(9)])).toBe(true)
  expect(hasTooManyMarks(["\u200B".repeat(100_000), "👩‍👩‍👧".repeat(2_000)])).toBe(false)
})

/** Finds the characters of a text that cannot be seen. Workers, which have no elements, use it too. */

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

/** A piece of plain text, or one character that is shown by its code point. */
export type TextPart = { text: string } | { hidden: string }

/** The code point of a character as Unicode writes it: `U+202E`. */
const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** Splits `text` at each character that is invisible or reorders others. CR LF becomes one newline; no other character is lost. */
export function splitHidden(text: string): readonly TextPart[] {
  const source = text.replaceAll("\r\n", "\n")
  if (plain.test(source)) return source === "" ? [] : [{ text: source }]
  const parts: TextPart[] = []
  let begin = 0
  for (const match of source.matchAll(pattern)) {
    const hidden = match[2]
    if (hidden === undefined) continue
    if (match.index > begin) parts.push({ text: source.slice(begin, match.index) })
    parts.push({ hidden: codePointOf(hidden) })
    begin = match.index + hidden.length
  }
  if (begin < source.length) parts.push({ text: source.slice(begin) })
  return parts
}

/** The text with `[U+202E]` for each hidden character, for places that take no elements: the title of a tab, an option. */
export function writeHidden(text: string): string {
  return splitHidden(text)
    .map((part) => ("text" in part ? part.text : `[${part.hidden}]`))
    .join("")
}

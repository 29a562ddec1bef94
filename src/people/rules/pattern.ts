/** Whether a text matches a pattern of the access file, in which `*` stands for any text. */
export function matches(pattern: string, text: string): boolean {
  const folded = fold(text)
  // The pattern is split before NFKC, which would turn a full-width asterisk into `*`.
  const pieces = pattern.split("*").map(fold)
  const [first = ""] = pieces
  if (pieces.length === 1) return folded === first
  const last = pieces.at(-1) ?? ""
  if (folded.length < first.length + last.length || !folded.startsWith(first) || !folded.endsWith(last)) return false
  const end = folded.length - last.length
  let position = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = folded.indexOf(piece, position)
    if (found === -1 || found + piece.length > end) return false
    position = found + piece.length
  }
  return true
}

/** Whether two texts are the same in the form in which patterns are compared. */
export const isSameText = (one: string, other: string) => fold(one) === fold(other)

/**
 * The form in which texts are compared: NFKC without letter case and without invisible characters, so that an invisible character does not
 * take a destination out of a rule. Lower case and then upper case makes the two sigmas equal, and ß and ẞ.
 */
function fold(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}|\p{Cc}/gu, "")
    .toLowerCase()
    .toUpperCase()
    .normalize("NFKC")
    .trim()
}

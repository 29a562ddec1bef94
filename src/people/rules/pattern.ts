/** Whether a text matches a pattern in which `*` stands for any text. */
export function matches(pattern: string, text: string): boolean {
  const folded = fold(text)
  // Split before the folding: NFKC makes an asterisk of the full-width one.
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

/**
 * The form in which texts are compared: NFKC, without letter case (lower and then upper case makes one of the two sigmas, and of ß and ẞ),
 * without what nobody sees, so that an invisible character does not take a destination out of a rule.
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

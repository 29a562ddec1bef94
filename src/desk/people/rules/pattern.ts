/** Whether a text matches a pattern of the access file, in which `*` stands for any text. */
import { plainForm } from "../../../contract/same-text.ts"

export function matches(pattern: string, text: string): boolean {
  const folded = plainForm(text)
  // The pattern is split before NFKC, which would turn a full-width asterisk into `*`.
  const pieces = pattern.split("*").map(plainForm)
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

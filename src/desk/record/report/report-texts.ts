/** How the texts of a report show characters that cannot be seen, and how its numbers are formatted. */
import { formatMark, hiddenRuns, plain } from "../../../contract/hidden-runs.ts"
import { countOf } from "../../../contract/plural.ts"

/** A piece of plain text, or a mark in place of hidden characters. */
export type Piece = { readonly text: string; readonly isMark: boolean }

/** Splits a text at its hidden characters. CR LF becomes one newline; no other character is lost. */
export function splitHidden(text: string): readonly Piece[] {
  const source = text.replaceAll("\r\n", "\n")
  if (plain.test(source)) return [{ text: source, isMark: false }]
  const pieces: Piece[] = []
  let at = 0
  for (const run of hiddenRuns(source)) {
    if (run.begin > at) pieces.push({ text: source.slice(at, run.begin), isMark: false })
    pieces.push({ text: formatMark(run), isMark: true })
    at = run.end
  }
  if (at < source.length) pieces.push({ text: source.slice(at), isMark: false })
  return pieces
}

/** The text with `[U+202E]` for each hidden character. */
export const writeHidden = (text: string): string =>
  splitHidden(text)
    .map((piece) => (piece.isMark ? `[${piece.text}]` : piece.text))
    .join("")

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** A time in its two largest units: "2 days 3 hours", "45 seconds". */
export function formatDuration(seconds: number): string {
  const units = [
    [Math.floor(seconds / DAY), "day"],
    [Math.floor((seconds % DAY) / HOUR), "hour"],
    [Math.floor((seconds % HOUR) / MINUTE), "minute"],
    [seconds % MINUTE, "second"],
  ] as const
  const first = units.findIndex(([count]) => count > 0)
  if (first === -1) return "0 seconds"
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => countOf(count, unit))
    .join(" ")
}

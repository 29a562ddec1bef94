import { diffLines } from "diff"

/** A line of a comparison, or the number of equal lines that are left out. */
export type ComparedLine =
  | { readonly kind: "same" | "added" | "removed"; readonly text: string }
  | { readonly kind: "left-out"; readonly count: number }

/** So many equal lines are shown around a change. */
const CONTEXT = 3
/** The comparison ends here: two texts with nothing in common take quadratic time, and the result would tell nothing. */
const EDITS_MAX = 2_000

/** The lines of two texts, with marks where only one text has the line. */
export function compareLines(before: string, after: string): readonly ComparedLine[] | "too-different" {
  const changes = diffLines(before, after, { maxEditLength: EDITS_MAX })
  // jsdiff returns undefined when the comparison passes its bound. Its types say so.
  if (changes === undefined) return "too-different"
  return changes.flatMap(({ value, added, removed }, index): readonly ComparedLine[] => {
    const lines = value.replace(/\r?\n$/, "").split(/\r?\n/)
    if (added || removed) return lines.map((text) => ({ kind: added ? "added" : "removed", text }))
    const head = index === 0 ? 0 : CONTEXT
    const tail = index === changes.length - 1 ? 0 : CONTEXT
    const count = lines.length - head - tail
    const same = (text: string): ComparedLine => ({ kind: "same", text })
    if (count <= 1) return lines.map(same)
    const end = tail === 0 ? [] : lines.slice(-tail)
    return [...lines.slice(0, head).map(same), { kind: "left-out", count }, ...end.map(same)]
  })
}

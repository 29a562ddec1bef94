import { diffLines } from "diff"

/** A line of a comparison, or how many equal ones are left out between two changes. */
export type ComparedLine =
  | { readonly kind: "same" | "added" | "removed"; readonly text: string }
  | { readonly kind: "left-out"; readonly count: number }

/** Equal lines that are shown around a change. */
const CONTEXT = 3
/** Two texts with nothing in common take quadratic time; a person learns nothing from them. */
const EDITS_MAX = 2_000

/** The lines of two texts, what only one of them has marked. */
export function compareLines(before: string, after: string): readonly ComparedLine[] | "too-different" {
  const changes = diffLines(before, after, { maxEditLength: EDITS_MAX })
  // With a bound, jsdiff gives undefined beyond it; its types say so.
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

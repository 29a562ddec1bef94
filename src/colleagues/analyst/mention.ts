/** Finds the columns that a person names in a sentence. */

const NEGATED =
  /(?:\bnot(?: by| the)?|\binstead of|\brather than|\bexcept|\bwithout)(?: the)?(?: column)?\s*["'“”‘’`«»]*$/i

/** The most places at which one name is looked for. A hostile text repeats a name thousands of times. */
const MOST_OCCURRENCES = 20

/**
 * Gives the indexes of the names that the text has as whole words, in the order of the text. Letter case does not count, but of two names
 * that differ only in case the exact one counts. A longer name counts before a name within it (`temp_max` before `temp`). A name after
 * `not` or `instead of` does not count.
 */
export function mentioned(text: string, names: readonly string[]): readonly number[] {
  const hay = text.normalize("NFKC").toLowerCase()
  const best = new Map<number, { end: number; index: number; exact: boolean }>()
  names.forEach((name, index) => {
    const needle = name.normalize("NFKC").toLowerCase()
    if (needle === "") return
    let start = hay.indexOf(needle)
    for (let seen = 0; start >= 0 && seen < MOST_OCCURRENCES; seen += 1, start = hay.indexOf(needle, start + 1)) {
      const end = start + needle.length
      if (!isWhole(hay, start, end)) continue
      const exact = text.slice(start, end) === name
      const known = best.get(start)
      if (!known || end > known.end || (end === known.end && exact && !known.exact))
        best.set(start, { end, index, exact })
    }
  })
  let covered = 0
  const meant: number[] = []
  for (const [start, { end, index }] of [...best].sort(([a], [b]) => a - b)) {
    if (end <= covered) continue
    covered = end
    if (!NEGATED.test(hay.slice(Math.max(start - 40, 0), start))) meant.push(index)
  }
  return [...new Set(meant)]
}

function isWhole(text: string, start: number, end: number): boolean {
  const word = /[\p{L}\p{N}_]/u
  const [first, last] = [text.slice(start, start + 2), text.slice(end - 1, end)]
  const [before, after] = [text.slice(Math.max(start - 1, 0), start), text.slice(end, end + 2)]
  return !(word.test(first.slice(0, 1)) && word.test(before)) && !(word.test(last) && word.test(after.slice(0, 1)))
}

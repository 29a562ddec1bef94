const NEGATED =
  /(?:\bnot(?: by| the)?|\binstead of|\brather than|\bexcept|\bwithout)(?: the)?(?: column)?\s*["'“”‘’`«»]*$/i

/** The most places at which one name is looked for. A hostile text repeats a name thousands of times. */
const MOST_PLACES = 20

/**
 * Gives the indexes of the names that a sentence has as whole words, in its order. Letter case does not count, but of two names that differ
 * only in case the exact one counts. A longer name counts before a name within it (`temp_max` before `temp`). A name after `not` or `instead
 * of` does not count.
 */
export function mentioned(text: string, names: readonly string[]): readonly number[] {
  const hay = text.toLowerCase()
  const found = names.flatMap((name, index) => {
    const needle = RegExp.escape(name.toLowerCase())
    if (needle === "") return []
    const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${needle}(?![\\p{L}\\p{N}_])`, "gu")
    return [...hay.matchAll(whole).take(MOST_PLACES)].map(({ index: start }) => {
      const end = start + name.length
      return { start, end, index, isExact: text.slice(start, end) === name }
    })
  })
  found.sort((a, b) => a.start - b.start || b.end - a.end || Number(b.isExact) - Number(a.isExact))
  let covered = 0
  const meant = found.filter(({ start, end }) => {
    if (start < covered) return false
    covered = end
    return !NEGATED.test(hay.slice(Math.max(start - 40, 0), start))
  })
  return [...new Set(meant.map(({ index }) => index))]
}

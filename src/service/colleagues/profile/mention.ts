/** Finds the columns that a person names in a sentence. */

const NEGATED =
  /(?:\bnot(?: by| the)?|\binstead of|\brather than|\bexcept|\bwithout)(?: the)?(?: column)?\s*["'“”‘’`«»]*$/i

/**
 * The positions (from 0) of the names that stand in the text as whole words, in any case, first mentioned first. A longer name wins
 * over one inside it (`temp_max` over `temp`); a name behind `not` or `instead of` is not meant.
 */
export function mentioned(text: string, names: readonly string[]): readonly number[] {
  const hay = text.normalize("NFKC").toLowerCase()
  const found: { start: number; end: number; index: number; exact: boolean }[] = []
  names.forEach((name, index) => {
    const needle = name.normalize("NFKC").toLowerCase()
    if (needle === "") return
    for (let start = hay.indexOf(needle); start >= 0; start = hay.indexOf(needle, start + 1)) {
      const end = start + needle.length
      if (!isWhole(hay, start, end)) continue
      found.push({ start, end, index, exact: text.slice(start, end) === name })
    }
  })
  const outermost = found.filter((one) => !found.some((other) => other !== one && covers(other, one)))
  const meant = outermost.filter(({ start }) => !NEGATED.test(hay.slice(0, start)))
  return [...new Set(meant.sort((a, b) => a.start - b.start).map(({ index }) => index))]
}

type Found = { readonly start: number; readonly end: number; readonly exact: boolean; readonly index: number }

/** Two names that differ in case only stand at the same place: the one written as in the text is meant. */
function covers(other: Found, one: Found): boolean {
  if (other.start === one.start && other.end === one.end) return other.exact && !one.exact
  return other.start <= one.start && other.end >= one.end
}

function isWhole(text: string, start: number, end: number): boolean {
  const word = /[\p{L}\p{N}_]/u
  const [first, last] = [text.slice(start, start + 2), text.slice(end - 1, end)]
  const [before, after] = [text.slice(Math.max(start - 1, 0), start), text.slice(end, end + 2)]
  return !(word.test(first.slice(0, 1)) && word.test(before)) && !(word.test(last) && word.test(after.slice(0, 1)))
}

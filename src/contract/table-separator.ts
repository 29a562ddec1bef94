/** Finds what separates the columns of a CSV or TSV text. The app's preview and the analyst must agree. */

/** The separators that are looked for. Of those that fit equally well the first counts: decimals and prose have commas, and seldom the others. */
const SEPARATORS = ["\t", ";", "|", ","] as const
const DEFAULT_SEPARATOR = ","

/** How much of the text decides. */
const SAMPLE_CHARACTERS = 64 * 1024
const SAMPLE_RECORDS = 200

/** Excel's first line that names the separator, such as `sep=;`. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?(?:\r\n|\r|\n|$)/i

export type SeparatedText = {
  readonly separator: string
  /** The text without a byte order mark and without the line that names the separator. */
  readonly text: string
}

/** The separator is what the first line names, else what the media type or the name means, else what gives the most consistent columns. */
export function findSeparator(content: string, { mediaType = "", name = "" } = {}): SeparatedText {
  const text = content.replace(/^\uFEFF/, "")
  const [line, named] = SEPARATOR_LINE.exec(text) ?? []
  if (line !== undefined && named !== undefined) return { separator: named, text: text.slice(line.length) }
  if (isTabSeparated(mediaType, name)) return { separator: "\t", text }
  return { separator: guessSeparator(text), text }
}

function isTabSeparated(mediaType: string, name: string): boolean {
  return /^text\/tab-separated-values\b/i.test(mediaType) || /\.(?:tsv|tab)$/i.test(name)
}

function guessSeparator(text: string): string {
  const sample = text.slice(0, SAMPLE_CHARACTERS)
  let found = { separator: DEFAULT_SEPARATOR, consistency: 0 }
  for (const separator of SEPARATORS) {
    const consistency = consistencyOf(columnCounts(sample, separator))
    if (consistency > found.consistency) found = { separator, consistency }
  }
  return found.separator
}

/** The share of the records that have the most frequent number of columns. One column separates nothing. */
function consistencyOf(counts: readonly number[]): number {
  const records = Map.groupBy(counts, (count) => count)
  records.delete(1)
  const most = records.values().reduce((max, same) => Math.max(max, same.length), 0)
  return most / Math.max(counts.length, 1)
}

/** How many columns each record has. A quotation mark at the beginning of a cell starts a quoted cell (RFC 4180). */
function columnCounts(sample: string, separator: string): readonly number[] {
  const counts: number[] = []
  let columns = 1
  let isCellStart = true
  let isQuoted = false
  let isBlank = true
  const endRecord = () => {
    if (!isBlank) counts.push(columns)
    columns = 1
    isCellStart = true
    isBlank = true
  }
  for (const character of sample) {
    if (counts.length === SAMPLE_RECORDS) return counts
    if (character === '"' && (isQuoted || isCellStart)) {
      // A doubled quotation mark ends the quoted cell and starts it again.
      isQuoted = !isQuoted
      isBlank = false
      // Only a quotation mark may follow the end of a quoted cell and start it again.
      isCellStart = !isQuoted
    } else if (isQuoted) continue
    else if (character === "\n" || character === "\r") endRecord()
    else {
      if (character === separator) columns++
      isCellStart = character === separator
      isBlank = false
    }
  }
  // The last record of a sample may be cut.
  if (!isQuoted && (counts.length === 0 || sample.length < SAMPLE_CHARACTERS)) endRecord()
  return counts
}

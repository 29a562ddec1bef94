import Papa from "papaparse"
import { count, list, quoted } from "../wording.ts"
import { cellOfText } from "./cell.ts"
import { MOST_COLUMNS, NotATable } from "./table.ts"
import type { Table } from "./table.ts"

const DELIMITERS: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "vertical bars",
}

/** A row is ragged when its number of fields is not that of the header. With more than a tenth of such rows a file is no table. */
const MOST_RAGGED = 0.1

/**
 * Reads delimited text with a header line: RFC 4180, and its variants with other separators and line ends. A few ragged rows are left out and
 * named in `notes`.
 * @param severalColumns whether to require two columns, for a plain text whose name does not end in .csv or .tsv
 * @throws NotATable with the reason when the text is no table
 */
export function readCsv(name: string, content: string, { severalColumns = false } = {}): Table {
  const parsed = Papa.parse<string[]>(content.replace(/\r\n?/g, "\n"), {
    delimitersToGuess: Object.keys(DELIMITERS),
    newline: "\n",
    skipEmptyLines: true,
  })
  const broken = parsed.errors.find((error) => error.type === "Quotes")
  if (broken) throw new NotATable(`A quotation mark near row ${(broken.row ?? 0) + 1} is not closed as CSV demands.`)
  const [header = [], ...rows] = parsed.data
  const { length: width } = header
  if (width === 1 && (severalColumns || rows.length === 0))
    throw new NotATable("It has no common separator (comma, semicolon, tab or vertical bar), so it has no columns.")
  if (width > MOST_COLUMNS)
    throw new NotATable(`Its first line has ${count(width, "field")}. The analyst profiles ${MOST_COLUMNS} columns.`)
  const kept = rows.filter((row) => row.length === width)
  const ragged = rows.flatMap(({ length }, index) =>
    length === width ? [] : [`row ${index + 1} (${count(length, "field")})`],
  )
  if (ragged.length > rows.length * MOST_RAGGED)
    throw new NotATable(
      `Its header has ${count(width, "field")}, but ${ragged.length} of ${count(rows.length, "row")} have another number: ${list(ragged, 3)}.`,
    )
  const { names, renamed } = distinctNames(header)
  const leftOut = `${count(ragged.length, "row")} without exactly ${count(width, "field")} left out: ${list(ragged)}.`
  return {
    name,
    format: width === 1 ? "CSV with one column" : `CSV with ${DELIMITERS[parsed.meta.delimiter] ?? "delimiters"}`,
    rows: kept.length,
    columns: names.map((column, index) => ({ name: column, cells: kept.map((row) => cellOfText(row[index] ?? "")) })),
    notes: [...(ragged.length === 0 ? [] : [leftOut]), ...renamed],
  }
}

/** Gives each column a unique name. A column without a name is called after its position, and a repeated name gets a number. */
export function distinctNames(header: readonly string[]): { names: string[]; renamed: string[] } {
  const taken = new Set<string>()
  const renamed: string[] = []
  const names = header.map((raw, index) => {
    const wanted = raw.trim() === "" ? `column ${index + 1}` : raw.trim()
    let name = wanted
    for (let again = 2; taken.has(name); again += 1) name = `${wanted} (${again})`
    taken.add(name)
    if (name !== raw.trim())
      renamed.push(`Column ${index + 1} has no name of its own and is called ${quoted(name)} here.`)
    return name
  })
  return { names, renamed }
}

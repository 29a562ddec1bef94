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

/** A row is ragged when its number of fields is not that of the header. With more than this share of ragged rows a file is no table. */
const RAGGED_ROWS_IN_TEN = 1

/**
 * Reads delimited text with a header line: RFC 4180, and its common variants with semicolons, tabs, a byte order mark, other line ends,
 * empty lines and `sep=;`. A few ragged rows are left out and named in `notes`.
 *
 * @param severalColumns whether to require two columns, for a plain text whose name does not end in .csv or .tsv
 * @throws NotATable with the reason when the text is no table
 */
export function readCsv(name: string, content: string, { severalColumns = false } = {}): Table {
  const { text, delimiter } = declaredDelimiter(content.replace(/\r\n?/g, "\n"))
  const parsed = Papa.parse<string[]>(text, {
    delimiter: delimiter ?? (/\.(?:tsv|tab)$/i.test(name) ? "\t" : ""),
    delimitersToGuess: Object.keys(DELIMITERS),
    newline: "\n",
    skipEmptyLines: true,
  })
  const broken = parsed.errors.find((error) => error.type === "Quotes")
  if (broken) throw new NotATable(`A quotation mark near row ${(broken.row ?? 0) + 1} is not closed as CSV demands.`)
  const [header = [], ...rows] = parsed.data
  if (header.length === 1 && (severalColumns || rows.length === 0)) {
    throw new NotATable(
      rows.length === 0
        ? "It is a single line without a comma, semicolon, tab or vertical bar, so it has neither columns nor rows."
        : "Its lines have no common separator (comma, semicolon, tab or vertical bar), so it is a text and not a table.",
    )
  }
  if (header.length > MOST_COLUMNS)
    throw new NotATable(
      `Its first line has ${count(header.length, "field")}. The analyst profiles at most ${MOST_COLUMNS} columns.`,
    )
  const { kept, notes } = setRaggedAside(rows, header.length)
  const { names, renamed } = distinctNames(header)
  return {
    name,
    format:
      header.length === 1 ? "CSV with one column" : `CSV with ${DELIMITERS[parsed.meta.delimiter] ?? "delimiters"}`,
    rows: kept.length,
    columns: names.map((column, index) => ({ name: column, cells: kept.map((row) => cellOfText(row[index] ?? "")) })),
    notes: [...notes, ...renamed, ...headerOfNumbers(header)],
  }
}

/** A note for a first line of numbers: the file may have no header, and only its owner knows. */
function headerOfNumbers(header: readonly string[]): string[] {
  const numbers = header.every((name) => /^[+-]?[\d.]+$/.test(name.trim()))
  return numbers ? ["The first line has only numbers. It still counts as the names of the columns."] : []
}

/** Spreadsheets write `sep=;` as a first line to name the separator. */
function declaredDelimiter(text: string): { text: string; delimiter?: string } {
  const declaration = /^"?sep=(.)"?\n/i.exec(text)
  return declaration?.[1] === undefined
    ? { text }
    : { text: text.slice(declaration[0].length), delimiter: declaration[1] }
}

function setRaggedAside(rows: readonly string[][], width: number) {
  const kept = rows.filter((row) => row.length === width)
  const ragged = rows.flatMap((row, index) => (row.length === width ? [] : [{ number: index + 1, fields: row.length }]))
  const [first] = ragged
  if (first === undefined) return { kept, notes: [] }
  if (ragged.length * 10 > rows.length * RAGGED_ROWS_IN_TEN) {
    throw new NotATable(
      `Its header has ${count(width, "field")}, but ${count(ragged.length, "row")} of ${rows.length} ${ragged.length === 1 ? "has" : "have"} another number (row ${first.number} has ${first.fields}), so the columns cannot be told apart.`,
    )
  }
  const which = list(ragged.map(({ number, fields }) => `row ${number} (${count(fields, "field")})`))
  return {
    kept,
    notes: [
      `${count(ragged.length, "row")} without exactly ${count(width, "field")} ${ragged.length === 1 ? "was" : "were"} left out: ${which}.`,
    ],
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
    if (raw.trim() === "") renamed.push(`Column ${index + 1} has no name and is called ${quoted(name)} here.`)
    else if (name !== wanted)
      renamed.push(
        `The header names ${quoted(wanted)} more than once; column ${index + 1} is called ${quoted(name)} here.`,
      )
    return name
  })
  return { names, renamed }
}

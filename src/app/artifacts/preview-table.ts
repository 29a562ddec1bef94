/** Reads CSV for a preview. Runs in the worker. */
import Papa from "papaparse"
import { findSeparator } from "../../contract/table-separator.ts"
import { writeHidden } from "../ui/hidden-characters.ts"

const COLUMNS_MAX = 100
/** The most cells of a table. The page takes them from the worker at once. */
const CELLS_MAX = 200_000
/** The first rows decide the widths of the columns, which are in characters. */
const MEASURED_ROWS = 200
const WIDTH_MIN = 6
const WIDTH_MAX = 42
/** A cell shows the beginning of this text in one line. More text would only slow the table, and the download has it. */
const CELL_CHARACTERS = 200

export type PreviewTable = {
  readonly header: readonly string[]
  /** The first rows. Invisible characters of the cells are written out. */
  readonly rows: readonly (readonly string[])[]
  /** The width of each column, in characters. */
  readonly widths: readonly number[]
  /** How many rows and columns the text has, also those that are left out. */
  readonly rowCount: number
  readonly columnCount: number
  /** The row, counted from 1 (0: the header), with a quotation mark that is never closed. */
  readonly unclosedRow: number | undefined
}

/** What is known of the text besides its characters. */
export type TableHints = { readonly mediaType?: string; readonly name?: string }

/**
 * Reads CSV; the first record is the header. The last record of a beginning is left out, because it may be incomplete. Only the first of very
 * many rows and columns, and the beginning of a very long cell, are returned.
 */
export function readTable(content: string, whole: boolean, hints: TableHints = {}): PreviewTable {
  const { separator, text } = findSeparator(content, hints)
  const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: true, delimiter: separator })
  const unclosed = whole ? errors.find(({ code }) => code === "MissingQuotes") : undefined
  const records = whole ? data : data.slice(0, -1)
  const columnCount = records.reduce((most, record) => Math.max(most, record.length), 0)
  const shown = Math.min(columnCount, COLUMNS_MAX)
  const rowsShown = Math.max(1, Math.floor(CELLS_MAX / Math.max(1, shown)))
  const [header = [], ...rows] = records
    .slice(0, rowsShown + 1)
    .map((record) => record.slice(0, shown).map((cell) => writeHidden(shorten(cell))))
  const measured = [header, ...rows.slice(0, MEASURED_ROWS)]
  const widths = Array.from({ length: shown }, (_, column) => {
    const longest = measured.reduce((most, record) => Math.max(most, (record[column] ?? "").length), 0)
    return Math.min(Math.max(longest + 3, WIDTH_MIN), WIDTH_MAX)
  })
  const names = Array.from({ length: shown }, (_, column) => header[column] ?? "")
  const rowCount = Math.max(0, records.length - 1)
  return { header: names, rows, widths, rowCount, columnCount, unclosedRow: unclosed?.row }
}

function shorten(cell: string): string {
  return cell.length <= CELL_CHARACTERS ? cell : `${cell.slice(0, CELL_CHARACTERS).toWellFormed()}…`
}

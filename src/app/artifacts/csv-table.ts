import Papa from "papaparse"

const COLUMNS_MAX = 100
const MEASURED_ROWS = 200
const WIDTH_MIN = 6
const WIDTH_MAX = 42
/** A cell shows one line of about fifty characters. The download has the rest. */
const CELL_CHARACTERS = 500

export type CsvTable = {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** The width of each column, in characters. */
  readonly widths: readonly number[]
  readonly columnsLeftOut: number
}

/**
 * Reads CSV; the first record is the header, and the parser finds the delimiter. The last record of a beginning is left out, because it may
 * be incomplete. Only the first of very many columns, and the beginning of a very long cell, are returned.
 */
export function readTable(text: string, whole: boolean): CsvTable {
  const { data } = Papa.parse<string[]>(text, { skipEmptyLines: true })
  const records = whole ? data : data.slice(0, -1)
  const columns = records.reduce((most, record) => Math.max(most, record.length), 0)
  const shown = Math.min(columns, COLUMNS_MAX)
  const [header = [], ...rows] = records.map((record) => record.slice(0, shown).map(shorten))
  const measured = [header, ...rows.slice(0, MEASURED_ROWS)]
  const widths = Array.from({ length: shown }, (_, column) => {
    const longest = measured.reduce((most, record) => Math.max(most, (record[column] ?? "").length), 0)
    return Math.min(Math.max(longest + 3, WIDTH_MIN), WIDTH_MAX)
  })
  const names = Array.from({ length: shown }, (_, column) => header[column] ?? "")
  return { header: names, rows, widths, columnsLeftOut: columns - shown }
}

function shorten(cell: string): string {
  return cell.length <= CELL_CHARACTERS ? cell : `${cell.slice(0, CELL_CHARACTERS).toWellFormed()}…`
}

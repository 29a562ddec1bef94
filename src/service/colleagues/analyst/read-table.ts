/** Reads an input of the analyst as a table. */
import Papa from "papaparse"
import { pluralForm } from "../../../contract/plural.ts"
import { findSeparator } from "../../../contract/table-separator.ts"
import type { Input } from "../colleague.ts"
import { count, list, quoted, type Unreadable } from "../wording.ts"
import {
  type Cell,
  cellOfNumber,
  cellOfText,
  cellOfWords,
  COLUMNS_MAX,
  distinctNames,
  MISSING,
  NotATable,
  type Table,
} from "./table.ts"

/** Reads an input as a table. Its media type, its name and its first characters decide the format. An input that is no table gives the reason. */
export function readTable(input: Pick<Input, "name" | "mediaType" | "content">): Table | Unreadable {
  try {
    return read(input)
  } catch (error) {
    if (error instanceof NotATable) return { name: input.name, reason: error.message }
    throw error
  }
}

function read({ name, mediaType, content }: Pick<Input, "name" | "mediaType" | "content">): Table {
  const text = content.replace(/^\uFEFF/, "")
  if (text.trim() === "") throw new NotATable("It is empty or contains only spaces.")
  if (text.includes("\u0000")) throw new NotATable("It contains NUL characters, so it is a binary file.")
  if (mediaType === "text/markdown")
    throw new NotATable("It is Markdown text, not a table. The editor works on Markdown.")
  if (mediaType === "application/json" || /^\s*[[{]/.test(text)) return readJson(name, text)
  return readCsv({ name, mediaType, content: text })
}

const SEPARATORS: Readonly<Record<string, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "vertical bars",
}

/** A row is ragged when its number of fields is not that of the header. With more than a tenth of such rows a file is no table. */
const RAGGED_MAX_SHARE = 0.1

/** Reads delimited text with a header line (RFC 4180 and variants). `notes` names the few ragged rows that are left out. @throws NotATable */
function readCsv({ name, mediaType, content }: Pick<Input, "name" | "mediaType" | "content">): Table {
  const { separator, text } = findSeparator(content, { mediaType, name })
  const isNamedTable =
    /^text\/(?:csv|tab-separated-values)$/.test(mediaType) || /\.(?:csv|tsv|tab)$/i.test(name) || text !== content
  const parsed = Papa.parse<string[]>(text.replace(/\r\n?/g, "\n"), {
    delimiter: separator,
    newline: "\n",
    skipEmptyLines: true,
  })
  const broken = parsed.errors.find((error) => error.type === "Quotes")
  if (broken) {
    // Papa Parse counts from 0 with the header, so its number of a row is the number of a row after the header, as in `ragged`.
    const place = broken.row ? `near row ${broken.row}` : "in its header"
    throw new NotATable(`A quotation mark ${place} is never closed.`)
  }
  const [header = [], ...rows] = parsed.data
  const { length: width } = header
  if (width <= 1 && (!isNamedTable || rows.length === 0))
    throw new NotATable("It has no common separator (comma, semicolon, tab or vertical bar), so it has no columns.")
  if (width > COLUMNS_MAX)
    throw new NotATable(
      `Its first line has ${count(width, "field")}. The analyst profiles at most ${COLUMNS_MAX} columns.`,
    )
  const kept = rows.filter((row) => row.length === width)
  const ragged = rows.flatMap(({ length }, index) =>
    length === width ? [] : [`row ${index + 1} (${count(length, "field")})`],
  )
  if (ragged.length > rows.length * RAGGED_MAX_SHARE)
    throw new NotATable(
      `Its header has ${count(width, "field")}, but ${ragged.length} of ${count(rows.length, "row")} have a different number: ${list(ragged, 3)}.`,
    )
  const { names, renamed } = distinctNames(header)
  const leftOut = `${count(ragged.length, "row")} ${pluralForm(ragged.length, "was left out, because it doesn't", "were left out, because they don't")} have exactly ${count(width, "field")}: ${list(ragged)}.`
  return {
    name,
    format: width > 1 ? `CSV with ${SEPARATORS[separator] ?? "another separator"}` : "CSV with one column",
    rows: kept.length,
    columns: names.map((column, index) => ({ name: column, cells: kept.map((row) => cellOfText(row[index] ?? "")) })),
    notes: [...(ragged.length === 0 ? [] : [leftOut]), ...renamed],
  }
}

/** The most cells of a table. 100 kB of objects without a common key would make a hundred million empty cells. */
const CELLS_MAX = 1_000_000

type JsonObject = Readonly<Record<string, unknown>>

/** Reads a list of objects, or an object with one list of objects. A member that is an object or a list stays JSON text. @throws NotATable */
function readJson(name: string, text: string): Table {
  const { rows, notes } = rowsOf(parse(text))
  const keys = [...new Set(rows.flatMap(Object.keys))]
  if (keys.length === 0) throw new NotATable("It is valid JSON, but it has no values.")
  if (keys.length > COLUMNS_MAX || keys.length * rows.length > CELLS_MAX)
    throw new NotATable(
      `Its ${count(rows.length, "entry", "entries")} have ${count(keys.length, "different key")} in total, too many for one table.`,
    )
  const { names, renamed } = distinctNames(keys)
  return {
    name,
    format: "JSON, a list of objects",
    rows: rows.length,
    columns: names.map((column, index) => ({ name: column, cells: rows.map((row) => cellOf(row, keys[index] ?? "")) })),
    notes: [...notes, ...renamed],
  }
}

/** Parses JSON with each number as its literal, because JSON.parse would round an identifier above 2^53. */
function parse(text: string): unknown {
  const exact = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === "number" ? JSON.rawJSON(context?.source ?? String(value)) : value
  try {
    return JSON.parse(text, exact)
  } catch (error) {
    throw new NotATable(`It is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** The rows are the list itself, or the only list of objects in an object, such as `{ "count": 3, "data": [ … ] }`. */
function rowsOf(value: unknown): { rows: readonly JsonObject[]; notes: string[] } {
  if (isRows(value)) return { rows: value, notes: [] }
  const lists = isObject(value)
    ? Object.entries(value).filter((entry): entry is [string, JsonObject[]] => isRows(entry[1]))
    : []
  const [only] = lists
  if (only === undefined || lists.length > 1)
    throw new NotATable("It is valid JSON, but not a list of objects, so it has no rows or columns.")
  return {
    rows: only[1],
    notes: [`The rows are the list under the key ${quoted(only[0])}. The other keys were left out.`],
  }
}

function cellOf(row: JsonObject, key: string): Cell {
  const value = Object.hasOwn(row, key) ? row[key] : undefined
  if (value === null || value === undefined) return MISSING
  if (typeof value === "string") return cellOfWords(value)
  if (typeof value === "boolean") return { kind: "boolean", text: String(value) }
  const text = JSON.stringify(value)
  return JSON.isRawJSON(value) ? cellOfNumber(text) : { kind: "text", text }
}

function isRows(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
}

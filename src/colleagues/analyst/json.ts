import { count, quoted } from "../wording.ts"
import { MISSING, cellOfNumber, cellOfWords } from "./cell.ts"
import type { Cell } from "./cell.ts"
import { distinctNames } from "./csv.ts"
import { MOST_COLUMNS, NotATable } from "./table.ts"
import type { Table } from "./table.ts"

/** The most cells of a table. 100 kB of objects without a common key would make a hundred million empty cells. */
const MOST_CELLS = 1_000_000

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Reads JSON as a table: a list of objects, or an object with one list of objects. A member that is an object or a list stays JSON text.
 * @throws NotATable with the reason when the text is no table
 */
export function readJson(name: string, text: string): Table {
  const { rows, notes } = rowsOf(parse(text))
  const keys = [...new Set(rows.flatMap(Object.keys))]
  if (keys.length === 0) throw new NotATable("It is valid JSON without any value.")
  if (keys.length > MOST_COLUMNS || keys.length * rows.length > MOST_CELLS)
    throw new NotATable(
      `Its ${count(rows.length, "entry", "entries")} have ${count(keys.length, "different key")} in total, so they are not the rows of one table.`,
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

/** A number as its literal. JSON.parse would round an identifier above 2^53. */
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
    throw new NotATable("It is valid JSON, but no list of objects, so it has no rows and columns.")
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

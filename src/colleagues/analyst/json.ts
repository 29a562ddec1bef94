import { count, quoted } from "../wording.ts"
import { MISSING, cellOfNumber, cellOfWords } from "./cell.ts"
import type { Cell } from "./cell.ts"
import { distinctNames } from "./csv.ts"
import { MOST_COLUMNS, NotATable } from "./table.ts"
import type { Table } from "./table.ts"

/** A number as its literal. JSON.parse would round an identifier above 2^53. */
class NumberLiteral {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

type JsonObject = Readonly<Record<string, unknown>>

type Row = readonly (readonly [column: string, cell: Cell])[]

/** The most cells of a table. 100 kB of objects without a common key would make a hundred million empty cells. */
const MOST_CELLS = 1_000_000

/**
 * Reads JSON as a table. The JSON can be a list of objects, of lists or of values, an object of equally long lists or of objects, or one
 * object. An object in a row becomes columns `outer.inner`. Objects in such an object stay JSON text.
 * @throws NotATable with the reason when the text is no table
 */
export function readJson(name: string, text: string): Table {
  const { value, notes } = unwrap(parse(text))
  const { format, rows } = rowsOf(value)
  const order = new Map<string, number>()
  for (const row of rows) for (const [column] of row) if (!order.has(column)) order.set(column, order.size)
  if (order.size > MOST_COLUMNS || order.size * rows.length > MOST_CELLS) {
    throw new NotATable(
      `Its ${count(rows.length, "entry", "entries")} have ${count(order.size, "different key")} in total, so they are not the rows of one table.`,
    )
  }
  if (order.size === 0) throw new NotATable("It is valid JSON without any value.")
  const columns = [...order.keys()].map(() => Array.from<Cell>({ length: rows.length }).fill(MISSING))
  rows.forEach((row, index) => {
    for (const [column, cell] of row) {
      const cells = columns[order.get(column) ?? -1]
      if (cells) cells[index] = cell
    }
  })
  // `{"a.b": 1, "a": {"b": 2}}` has the column `a.b` twice. The later value counts, as JSON.parse does it for repeated keys.
  const names = distinctNames([...order.keys()])
  return {
    name,
    format,
    rows: rows.length,
    columns: names.names.map((column, index) => ({ name: column, cells: columns[index] ?? [] })),
    notes: [...notes, ...names.renamed],
  }
}

function parse(text: string): unknown {
  const exact = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === "number" ? new NumberLiteral(context?.source ?? String(value)) : value
  try {
    return JSON.parse(text, exact)
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw new NotATable(`It is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** Finds the table in an object with a single list of objects, such as `{ "count": 3, "data": [ … ] }`. */
function unwrap(value: unknown): { value: unknown; notes: string[] } {
  if (!isObject(value)) return { value, notes: [] }
  const lists = Object.entries(value).filter(
    ([, member]) => Array.isArray(member) && member.length > 0 && member.every(isObject),
  )
  const [only] = lists
  if (only === undefined || lists.length > 1) return { value, notes: [] }
  return {
    value: only[1],
    notes: [`The rows are the list under the key ${quoted(only[0])}. The other keys were left out.`],
  }
}

function rowsOf(value: unknown): { format: string; rows: readonly Row[] } {
  if (Array.isArray(value)) return rowsOfList(value)
  if (!isObject(value)) throw new NotATable("It is valid JSON, but it is a single value and not a table.")
  const members = Object.entries(value)
  if (members.length === 0) throw new NotATable("It is an empty JSON object.")
  if (members.every((member): member is [string, unknown[]] => Array.isArray(member[1]))) {
    return { format: "JSON, an object of columns", rows: rowsOfColumns(members) }
  }
  if (members.length > 1 && members.every((member): member is [string, JsonObject] => isObject(member[1]))) {
    const rows = members.map(([key, member]): Row => [["key", cellOfWords(key)], ...cellsOf(member)])
    return { format: "JSON, an object of rows", rows }
  }
  return { format: "JSON, one object", rows: [cellsOf(value)] }
}

function rowsOfList(items: readonly unknown[]): { format: string; rows: readonly Row[] } {
  if (items.length === 0) throw new NotATable("It is an empty JSON list.")
  const columns = items.flatMap((item): [string, unknown[]][] => {
    if (!isObject(item)) return []
    const { name, values, ...rest } = item
    return typeof name === "string" && Array.isArray(values) && Object.keys(rest).length === 0 ? [[name, values]] : []
  })
  if (columns.length === items.length) return { format: "JSON, a list of columns", rows: rowsOfColumns(columns) }
  if (items.every(isObject)) return { format: "JSON, a list of objects", rows: items.map(cellsOf) }
  if (items.every((item): item is unknown[] => Array.isArray(item)))
    return { format: "JSON, a list of lists", rows: rowsOfLists(items) }
  if (items.some((item) => isObject(item) || Array.isArray(item))) {
    throw new NotATable(
      "It is a JSON list in which objects, lists and single values are mixed, so its entries are not rows of one table.",
    )
  }
  return { format: "JSON, a list of values", rows: items.map((item): Row => [["value", cellOf(item)]]) }
}

function rowsOfColumns(columns: readonly (readonly [string, readonly unknown[]])[]): Row[] {
  const length = columns[0]?.[1].length ?? 0
  const odd = columns.find(([, values]) => values.length !== length)
  if (odd) {
    throw new NotATable(
      `Its columns differ in length: ${quoted(columns[0]?.[0] ?? "")} has ${count(length, "value")}, ${quoted(odd[0])} has ${count(odd[1].length, "value")}.`,
    )
  }
  return Array.from({ length }, (_, index) => columns.map(([name, values]) => [name, cellOf(values[index])] as const))
}

function rowsOfLists(lists: readonly (readonly unknown[])[]): Row[] {
  const [first = []] = lists
  const odd = lists.findIndex((item) => item.length !== first.length)
  if (odd > 0) {
    throw new NotATable(
      `Its lists differ in length: the first has ${count(first.length, "value")}, number ${odd + 1} has ${count(lists[odd]?.length ?? 0, "value")}.`,
    )
  }
  const headed = lists.length > 1 && first.every((item) => typeof item === "string" && item !== "")
  const { names } = distinctNames(first.map((item) => (headed ? String(item) : "")))
  return lists
    .slice(headed ? 1 : 0)
    .map((items) => items.map((item, index) => [names[index] ?? "", cellOf(item)] as const))
}

function cellsOf(row: JsonObject): Row {
  return Object.entries(row).flatMap(([key, value]): Row => {
    if (!isObject(value) || Object.keys(value).length === 0) return [[key, cellOf(value)]]
    return Object.entries(value).map(([inner, member]) => [`${key}.${inner}`, cellOf(member)] as const)
  })
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return MISSING
  if (value instanceof NumberLiteral) return cellOfNumber(value.source)
  if (typeof value === "boolean") return { kind: "boolean", text: String(value) }
  if (typeof value === "string") return cellOfWords(value)
  return { kind: "text", text: jsonText(value) }
}

/** Writes a value as JSON. JSON.stringify would write a NumberLiteral as an object. */
function jsonText(value: unknown): string {
  if (value instanceof NumberLiteral) return value.source
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}:${jsonText(member)}`)
      .join(",")}}`
  return JSON.stringify(value) ?? "null"
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral)
}

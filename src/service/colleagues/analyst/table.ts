/** Tables and the values of their cells. */
import { isCalendarDay } from "../../../platform/calendar-day.ts"
import { quoted } from "../wording.ts"

/** A table that was read from an input: columns of equal length, and notes on how it was read, as whole sentences. */
export type Table = {
  readonly name: string
  readonly format: string
  readonly rows: number
  readonly columns: readonly TableColumn[]
  readonly notes: readonly string[]
}

export type TableColumn = { readonly name: string; readonly cells: readonly Cell[] }

/** The most columns of a table. Each column costs an event and a line of the report. */
export const COLUMNS_MAX = 1000

/** Thrown for an input that is no table. The message is the reason as a whole sentence. Only `readTable` catches it. */
export class NotATable extends Error {}

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
      renamed.push(`Column ${index + 1} has no unique name, so it is called ${quoted(name)} here.`)
    return name
  })
  return { names, renamed }
}

/**
 * A cell of a table. `text` is the exact text of the file for the kind `text`, without the spaces around it for the other kinds, and empty for
 * `missing`. Texts decide whether two cells are equal, because two identifiers above 2^53 may have the same `number`. A date's `number` is its
 * time in milliseconds since 1970.
 */
export type Cell =
  | { readonly kind: "missing"; readonly text: string }
  | { readonly kind: "integer" | "number" | "date"; readonly text: string; readonly number: number }
  | { readonly kind: "boolean" | "text"; readonly text: string }

/** A longer cell is text. The regular expressions below take quadratic time, so a cell of 100,000 digits would take too long. */
const LONGEST_VALUE = 400

export const MISSING: Cell = { kind: "missing", text: "" }

const INTEGER = /^[+-]?\d+$/
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const BOOLEAN = /^(?:true|false|yes|no)$/i
/** ISO 8601, with `-` or `/`, with or without a time. */
const DATE = /^(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/

/** Reads a cell of a CSV file. Only plain decimals are numbers; `1,234`, `12 %` and `Infinity` are text. */
export function cellOfText(text: string): Cell {
  const trimmed = text.trim()
  if (trimmed === "") return MISSING
  if (trimmed.length > LONGEST_VALUE) return { kind: "text", text }
  if (NUMBER.test(trimmed)) return cellOfNumber(trimmed)
  if (BOOLEAN.test(trimmed)) return { kind: "boolean", text: trimmed }
  return cellOfWords(text)
}

/** Reads a string of a JSON file as a date or as text. A number in quotation marks is text. */
export function cellOfWords(text: string): Cell {
  const trimmed = text.trim()
  if (trimmed === "") return MISSING
  const match = DATE.exec(trimmed)
  if (match === null) return { kind: "text", text }
  const [, year, month, day, time = "00:00", zone = "Z"] = match
  // A time without a zone is read as UTC, so that a file gives the same figures on every machine.
  const number = Date.parse(`${year}-${month}-${day}T${time}${zone}`)
  return isCalendarDay(`${year}-${month}-${day}`) && !Number.isNaN(number)
    ? { kind: "date", text: trimmed, number }
    : { kind: "text", text }
}

/** Reads the literal of a number. A number that is too large for a double (`1e400`) is text. */
export function cellOfNumber(literal: string): Cell {
  const number = Number(literal)
  if (!Number.isFinite(number)) return { kind: "text", text: literal }
  return { kind: INTEGER.test(literal) ? "integer" : "number", text: literal, number }
}

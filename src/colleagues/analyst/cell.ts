import { readDate } from "./date.ts"
import type { DateReading } from "./date.ts"

/**
 * One cell as it was read. `text` is what the file says, exactly; two cells are the same value when their texts are the same,
 * so that identifiers beyond 2^53 stay apart although their `number` would not.
 */
export type Cell =
  | { readonly kind: "missing"; readonly text: string }
  | { readonly kind: "integer" | "number"; readonly text: string; readonly number: number }
  | { readonly kind: "date"; readonly text: string; readonly date: DateReading }
  | { readonly kind: "boolean" | "text"; readonly text: string }

/** No number or date of a file is longer. A regular expression takes the square of a cell of 100,000 digits. */
const LONGEST_VALUE = 400

export const MISSING: Cell = { kind: "missing", text: "" }

const INTEGER = /^[+-]?\d+$/
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const BOOLEAN = /^(?:true|false|yes|no)$/i

/** What a cell of a CSV file is: only its text tells. Numbers are plain decimals; `1,234`, `12 %` and `Infinity` stay text. */
export function cellOfText(text: string): Cell {
  const trimmed = text.trim()
  if (trimmed === "") return MISSING
  if (trimmed.length > LONGEST_VALUE) return { kind: "text", text }
  if (NUMBER.test(trimmed)) return cellOfNumber(trimmed)
  if (BOOLEAN.test(trimmed)) return { kind: "boolean", text: trimmed }
  return cellOfWords(text)
}

/** What a string of a JSON file is: a date, or text. A number in quotation marks was written as text and stays text. */
export function cellOfWords(text: string): Cell {
  if (text.trim() === "") return MISSING
  const date = readDate(text.trim())
  return date ? { kind: "date", text: text.trim(), date } : { kind: "text", text }
}

/** A number by its literal; one too large for a double (`1e400`) stays text, because nothing could be computed with it. */
export function cellOfNumber(literal: string): Cell {
  const number = Number(literal)
  if (!Number.isFinite(number)) return { kind: "text", text: literal }
  return { kind: INTEGER.test(literal) ? "integer" : "number", text: literal, number }
}

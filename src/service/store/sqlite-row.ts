/** Reads the columns of a row with their types. */
import type { SQLOutputValue } from "node:sqlite"

/** A row of node:sqlite. Every INTEGER is a bigint, because a number cannot hold an int64. */
export type Row = Readonly<Record<string, SQLOutputValue>>

/** Returns the text in `column`. This function and the following ones throw a TypeError when the column has another type. */
export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== "string") throw new TypeError(`${column} is not text`)
  return value
}

/** Returns the text in `column`, or undefined for NULL. */
export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column)
}

/** Returns the int64 in `column`, exactly. */
export function int64(row: Row, column: string): bigint {
  const value = row[column]
  if (typeof value !== "bigint") throw new TypeError(`${column} is not an integer`)
  return value
}

/** Returns the integer in `column` as a number. Only for small values: milliseconds, counts, positions. */
export function integer(row: Row, column: string): number {
  return Number(int64(row, column))
}

/** Returns the integer in `column` as a number, or undefined for NULL. */
export function optionalInteger(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : integer(row, column)
}

/** Returns the bytes in `column`. */
export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw new TypeError(`${column} is not a blob`)
  return value
}

/** Returns the text in `column` as one of `values`. The table's CHECK allows the same values. */
export function oneOf<Value extends string>(row: Row, column: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === row[column])
  if (found === undefined) throw new TypeError(`${column} is not one of ${values.join(", ")}`)
  return found
}

import type { SQLOutputValue } from "node:sqlite"

/** A row as node:sqlite gives it, with every INTEGER as bigint (an int64 does not fit a number). */
export type Row = Readonly<Record<string, SQLOutputValue>>

/** Gives the text in `column`. Throws when there is none: then the schema and the query disagree. */
export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== "string") throw new TypeError(`${column} is no text`)
  return value
}

/** Gives the text in `column`, or undefined for NULL. */
export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column)
}

/** Gives the int64 in `column`, exactly. */
export function int64(row: Row, column: string): bigint {
  const value = row[column]
  if (typeof value !== "bigint") throw new TypeError(`${column} is no integer`)
  return value
}

/** Gives the integer in `column` as a number, for what is small: milliseconds, counts, positions. */
export function integer(row: Row, column: string): number {
  return Number(int64(row, column))
}

/** Gives the integer in `column` as a number, or undefined for NULL. */
export function optionalInteger(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : integer(row, column)
}

/** Gives the bytes in `column`. */
export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw new TypeError(`${column} is no blob`)
  return value
}

/** Gives the text in `column` as one of `values`, which the table's CHECK admits as well. */
export function oneOf<Value extends string>(row: Row, column: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === row[column])
  if (found === undefined) throw new TypeError(`${column} is none of ${values.join(", ")}`)
  return found
}

/** Gives a stored time (milliseconds since 1970) as the API writes it. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** An object with the member, or without it where there is no value: an optional member of openapi.yaml is left out and never null. */
export function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  const member: { [Key in Name]?: Value } = {}
  if (value !== undefined) member[name] = value
  return member
}

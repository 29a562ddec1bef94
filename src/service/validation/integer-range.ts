import { MAX_INT64 } from "../../contract/int64.ts"

/** The integers that a schema allows. A bound is undefined when the schema has none. */
export type IntegerRange = { readonly minimum: bigint | undefined; readonly maximum: bigint | undefined }

/** Reads the range from an integer's schema. The format int64 gives the bounds that the schema leaves out. */
export function rangeOf(schema: object): IntegerRange {
  const isInt64 = Reflect.get(schema, "format") === "int64"
  return {
    minimum: readBound(schema, "minimum") ?? (isInt64 ? -MAX_INT64 - 1n : undefined),
    maximum: readBound(schema, "maximum") ?? (isInt64 ? MAX_INT64 : undefined),
  }
}

/** Whether `value` is an integer of the range: a bigint, or a number without a fraction. */
export function isWithin(range: IntegerRange, value: unknown): boolean {
  if (typeof value !== "bigint" && (typeof value !== "number" || !Number.isInteger(value))) return false
  const integer = BigInt(value)
  return (range.minimum ?? integer) <= integer && integer <= (range.maximum ?? integer)
}

/** Says a range: "a whole number between 1 and 100". */
export function sayRange({ minimum, maximum }: IntegerRange): string {
  if (minimum !== undefined && maximum !== undefined) return `a whole number between ${minimum} and ${maximum}`
  if (minimum !== undefined) return `a whole number of at least ${minimum}`
  return maximum === undefined ? "a whole number" : `a whole number of at most ${maximum}`
}

function readBound(schema: object, name: "minimum" | "maximum"): bigint | undefined {
  const bound: unknown = Reflect.get(schema, name)
  return typeof bound === "number" ? BigInt(bound) : undefined
}

/** Reads and writes the int64 members of openapi.yaml as bigint, because a double has only 53 bits. So a version is exact in `If-Match`. */

// TypeScript 7's library does not have these three yet.
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

/** The greatest int64, 2^63 - 1. */
export const MAX_INT64 = 9_223_372_036_854_775_807n

// Every member of format int64 in openapi.yaml. A test compares this list with openapi.yaml.
const INT64_MEMBERS: ReadonlySet<string> = new Set(["version", "size", "active_execution_limit_seconds"])

const INTEGER_LITERAL = /^-?\d+$/
/** The longest integer that becomes a bigint, with its sign. */
const DIGITS_MAX = 1_000

function revive(key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context.source === undefined) return value
  const isInt64Member = INT64_MEMBERS.has(key)
  if (INTEGER_LITERAL.test(context.source)) {
    // A bigint of a million digits takes seconds. JSON.stringify writes this object as the same digits again.
    if (context.source.length > DIGITS_MAX) return JSON.rawJSON(context.source)
    return isInt64Member || !Number.isSafeInteger(value) ? BigInt(context.source) : value
  }
  // JSON Schema counts `1e3` and `3.0` as integers too. An unsafe integer in such a form stays a number, because it may have lost digits already.
  return isInt64Member && Number.isSafeInteger(value) ? BigInt(value) : value
}

/**
 * Parses JSON with exact int64: INT64_MEMBERS at every depth, and every other integer beyond 2^53 - 1, become bigint. An integer of more than 1,000
 * characters becomes an object of JSON.rawJSON instead, which is written again as it was. @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, revive)
}

/** Parses JSON so that JSON.stringify writes every number again as it was, such as 1.0 and 9007199254740993. @throws SyntaxError */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, { source }) =>
    typeof value !== "number" || source === undefined || String(value) === source ? value : JSON.rawJSON(source),
  )
}

/** Writes a JSON value as JSON.stringify does, and a bigint as a bare integer. `indent` is the number of spaces for each level. */
export function stringifyJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, member: unknown) => (typeof member === "bigint" ? JSON.rawJSON(member.toString()) : member),
    indent,
  )
}

/** Reads decimal digits up to 2^63 - 1, without sign, leading zeros, exponent or spaces. Undefined for any other text. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^(?:0|[1-9]\d{0,18})$/.test(text)) return undefined
  const value = BigInt(text)
  return value <= MAX_INT64 ? value : undefined
}

import { rangeOf, sayRange } from "./integer-range.ts"

/** A JSON Schema keyword that a value does not satisfy: the keyword's name, its value, and the schema around it. */
export type Violation = { readonly keyword: string; readonly value: unknown; readonly schema: object }

/**
 * Says a violated constraint in plain English: "limit must be a whole number between 1 and 100".
 * `subject` begins the sentence and is usually the field's name.
 */
export function sayViolation(subject: string, { keyword, value, schema }: Violation): string {
  switch (keyword) {
    case "required":
      return `${subject} is required`
    case "additionalProperties":
      return `${subject} is not a known property`
    case "type":
      return `${subject} must be ${sayType(String(value))}`
    case "int64":
    case "minimum":
    case "maximum":
      return `${subject} must be ${sayRange(rangeOf(schema))}`
    case "enum":
      return `${subject} must be ${sayChoice(Array.isArray(value) ? value.map(String) : [])}`
    case "minLength":
      return value === 1 ? `${subject} must not be empty` : `${subject} must have at least ${String(value)} characters`
    case "maxLength":
      return `${subject} must have at most ${String(value)} characters`
    case "maxItems":
      return `${subject} must have at most ${String(value)} items`
    case "uniqueItems":
      return `${subject} must not have the same item twice`
    case "format":
    case "pattern":
      return `${subject} must be a date and time with its offset, such as 2026-11-20T12:00:00Z`
    default:
      return `${subject} does not satisfy "${keyword}"`
  }
}

function sayType(type: string): string {
  if (type === "integer") return "a whole number"
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function sayChoice(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`
}

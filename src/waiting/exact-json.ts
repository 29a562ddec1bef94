/**
 * JSON whose values keep their text. JavaScript would write some numbers differently (9007199254740993, 1.0, 1e3): they stay as the upstream
 * wrote them. Uses the reviver's source text and JSON.rawJSON (ECMAScript's "JSON.parse source text access").
 */
import "../contract/int64.ts"

function keepNumberText(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context.source === undefined || String(value) === context.source) return value
  return JSON.rawJSON(context.source)
}

/**
 * Parses JSON. A number whose text is not the shortest becomes an object of JSON.rawJSON.
 * @throws SyntaxError when the text is not JSON
 */
export function parseExact(text: string): unknown {
  return JSON.parse(text, keepNumberText)
}

/**
 * Writes a value of parseExact with its properties in the order of their names. Two replicas that read the same value in a different order
 * thus write the same text.
 */
export function writeExact(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeExact).join(",")}]`
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeExact(member)}`).join(",")}}`
}

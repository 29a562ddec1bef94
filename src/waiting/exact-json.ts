/**
 * JSON in which every number keeps the upstream's text. JavaScript would write some numbers differently, such as 9007199254740993, 1.0 and
 * 1e3. Uses the reviver's source text and JSON.rawJSON (ECMAScript's "JSON.parse source text access").
 */
import "../contract/int64.ts"

function keepNumberText(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context.source === undefined || String(value) === context.source) return value
  return JSON.rawJSON(context.source)
}

/**
 * Parses JSON. A number that JavaScript would write differently becomes an object of JSON.rawJSON.
 * @throws SyntaxError when the text is not JSON
 */
export function parseExact(text: string): unknown {
  return JSON.parse(text, keepNumberText)
}

/**
 * Writes a value of parseExact with the properties sorted by name, so that two desks write the same text for the same value.
 */
export function writeExact(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeExact).join(",")}]`
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeExact(member)}`).join(",")}}`
}

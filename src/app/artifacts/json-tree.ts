/** A number as the text writes it, where JavaScript would write it in another way: `1.10`, `9007199254740993`, `1e400`. */
export class ExactNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Parses a JSON text with every number exact; undefined where the text is not JSON, or is nested too deeply. */
export function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return {
      value: JSON.parse(text, (_key, value, { source }) =>
        typeof value === "number" && source !== undefined && String(value) !== source ? new ExactNumber(source) : value,
      ),
    }
  } catch {
    return undefined
  }
}

/** The members of an object or array in their order, by name or index; undefined for other values. */
export function membersOf(value: unknown): readonly (readonly [name: string, value: unknown])[] | undefined {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) return undefined
  return Object.entries(value)
}

/** The number of members, counted without making a list. */
export function countMembers(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

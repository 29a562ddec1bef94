/** A number as it stands in the text, where JavaScript would write another one: `1.10`, `9007199254740993`, `1e400`. */
export class ExactNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Parses a JSON text with every number exact; undefined where it is none, or nested too deep to be read. */
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

/** The members of an object or array in their order, by name or index; undefined for what has none. */
export function membersOf(value: unknown): readonly (readonly [name: string, value: unknown])[] | undefined {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) return undefined
  return Object.entries(value)
}

/** How many members there are, without making a list of them. */
export function countMembers(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

/** The value of `key` in a table; undefined where the table has no such key. A plain index would find "constructor" in every table. */
export function lookUp<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

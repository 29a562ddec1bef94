/** Reads and writes the parameters of an address. An empty parameter counts as none. */

/** Reads one parameter at a time. An unknown value counts as none. */
export function queryReader<Name extends string>(search: URLSearchParams) {
  return {
    text: (name: Name) => search.get(name) || undefined,
    oneOf: <Value extends string>(name: Name, values: readonly Value[]) =>
      values.find((value) => value === search.get(name)),
  }
}

/** Writes the parameters that are set, in the order of `names`: equal values have equal queries, so that a query can be a key or a name. */
export function writeQuery<Name extends string>(
  names: readonly Name[],
  values: { readonly [name in Name]?: string | undefined },
): string {
  const query = new URLSearchParams()
  for (const name of names) if (values[name]) query.set(name, values[name])
  return query.toString()
}

export const withQuery = (path: string, query: string): string => (query === "" ? path : `${path}?${query}`)

/** The filters of the record. They have the same names in the address of the page and in `/desk/record`. */
const names = ["work", "item", "person", "operation", "outcome"] as const
type Name = (typeof names)[number]

/** The filters that are set. */
export type RecordQuery = Readonly<Partial<Record<Name, string>>>

/** Reads the filters from the page's address. An empty filter counts as none. */
export function recordQueryOf(search: URLSearchParams): RecordQuery {
  const pairs = names.flatMap((name) => {
    const value = search.get(name) ?? ""
    return value === "" ? [] : [[name, value] as const]
  })
  return Object.fromEntries(pairs)
}

/** The address of the page with one filter changed; undefined removes the filter. */
export function recordAddress(query: RecordQuery, change: { readonly [name in Name]?: string | undefined }): string {
  const merged = Object.entries({ ...query, ...change }).filter(([, value]) => value)
  const text = new URLSearchParams(merged.map(([name, value = ""]) => [name, value])).toString()
  return text === "" ? "/record" : `/record?${text}`
}

/** Finds the entry of a raw path in a table of addresses, and says which ids an address can hold. */

/** An address of a table. In `path`, braces stand for one raw segment. */
type Address = { readonly method: string; readonly path: string }

type Found<Entry> = {
  /** Undefined: no entry has both the path and the method. */
  readonly entry: Entry | undefined
  /** The decoded segments that stand for braces. */
  readonly ids: readonly string[]
  /** Every entry of the path. Empty: the path is unknown. */
  readonly served: readonly Entry[]
}

/**
 * Makes a function that finds a method and a raw path in a table. The path is compared as it was sent, so a path with `..`, `//`, other letter
 * case or a trailing slash isn't found. A path with a segment for which `decode` gives undefined is unknown.
 */
export function pathTable<Entry extends Address>(
  entries: readonly Entry[],
  decode = decodeId,
): (method: string, path: string) => Found<Entry> {
  const byPath = Map.groupBy(entries, ({ path }) => path)
  const templates = [...byPath]
    .filter(([template]) => template.includes("{"))
    .map(([template, served]) => ({ served, segmentsIn: segmentMatcher(template) }))
  return (method, path) => {
    // A request's path may contain braces. Such a path must not find the template of the same text.
    const exact = path.includes("{") ? undefined : byPath.get(path)
    if (exact !== undefined) return { entry: exact.find((entry) => entry.method === method), ids: [], served: exact }
    for (const { served, segmentsIn } of templates) {
      const segments = segmentsIn(path)
      if (segments === undefined) continue
      const ids = segments.map(decode).filter((id) => id !== undefined)
      if (ids.length < segments.length) break
      return { entry: served.find((entry) => entry.method === method), ids, served }
    }
    return { entry: undefined, ids: [], served: [] }
  }
}

function segmentMatcher(template: string): (path: string) => readonly string[] | undefined {
  const beginning = template.slice(0, template.indexOf("{"))
  // Apart from its braces, a template has no special character of a regular expression.
  const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, "([^/]*)")}$`)
  return (path) => (path.startsWith(beginning) ? pattern.exec(path)?.slice(1) : undefined)
}

/** Decodes an id once, as an upstream would. */
function decodeId(segment: string): string | undefined {
  if (/^[\w-]+$/.test(segment)) return segment
  // A request target may not have `#` (RFC 9112, 3.2), because an upstream could end the path there.
  if (segment.includes("#")) return undefined
  try {
    const id = decodeURIComponent(segment)
    return isAddressable(id) ? id : undefined
  } catch {
    return undefined
  }
}

/** Whether an address can hold the id: not empty, well-formed Unicode, no control character, and no `.` or `..` that a server takes for a path step. */
export function isAddressable(id: string): boolean {
  return id !== "" && id.isWellFormed() && !/\p{Cc}|(^|[/\\])\.{1,2}($|[/\\])/u.test(id)
}

/** The address of getWork, below which the addresses of its items are. An id with a lone surrogate throws: ask `isAddressable` first. */
export const addressOfWork = (workId: string) => `/api/v1/work/${encodeURIComponent(workId)}`

/**
 * Whether an id stays one segment where a balancer before the service decodes the path (measured with nginx and a path in `proxy_pass`). An id with
 * a slash could name another address there, so people with sign-in, who do not all see the same Work, cannot use one.
 */
export const isOneSegment = (id: string) => !/[/\\]/.test(id)

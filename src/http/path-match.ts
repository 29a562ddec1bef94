/** Compares raw paths with templates, and says which ids an address can hold. */

/**
 * Makes a function that compares a raw path with a template, in which braces stand for one raw segment. The function gives the decoded ids, or
 * undefined when the path does not match or has a segment that is no id.
 */
export function pathMatcher(template: string): (path: string) => readonly string[] | undefined {
  if (!template.includes("{")) return (path) => (path === template ? [] : undefined)
  // A template has no special character of a regular expression outside of its braces.
  const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, "([^/]*)")}$`)
  return (path) => {
    const ids = pattern.exec(path)?.slice(1).map(decodeId)
    return ids?.every((id) => id !== undefined) === true ? ids : undefined
  }
}

/** Decodes an id once, as an upstream would. Gives undefined when no address can hold the result. */
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

/**
 * Whether an address can hold the id. Not: an empty id, a control character, `.` or `..` between slashes or backslashes, which a server could take
 * for steps in the path, and a lone surrogate, which has no UTF-8.
 */
export function isAddressable(id: string): boolean {
  return id !== "" && id.isWellFormed() && !/\p{Cc}|(^|[/\\])\.{1,2}($|[/\\])/u.test(id)
}

/**
 * Whether an id stays one segment where a balancer before the service decodes the path (measured with nginx and a path in `proxy_pass`). An id with
 * a slash could name another address there, so people with sign-in, who do not all see the same Work, cannot use one.
 */
export const isOneSegment = (id: string) => !/[/\\]/.test(id)

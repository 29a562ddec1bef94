import { operations } from "../../contract/operations.ts"
import type { Operation } from "../../contract/operation.ts"
import { pathTable } from "../../http/path-match.ts"
import { ProblemError, invalidRequest } from "../problems.ts"

export type Route = { readonly operation: Operation; readonly path: Readonly<Record<string, string>> }

const BRACES = /\{(\w+)\}/g

const find = pathTable(Object.values(operations), decode)

/**
 * Splits a request target into its raw path and query. RFC 9112, section 3.2.2, requires servers to accept the absolute form; its scheme
 * and authority are ignored.
 */
export function splitTarget(target: string): { path: string; query: string } {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? ""
  const [, path = "", query = ""] = /^([^?#]*)\??([^#]*)/.exec(target.slice(origin.length)) ?? []
  return { path, query }
}

/**
 * Finds the operation of a method and a raw path. Letter case counts, a trailing slash is not allowed, and an id is one segment.
 * @throws ProblemError 404 when no operation has the path, 405 when an operation has the path with another method
 */
export function findRoute(method: string, path: string): Route {
  const { entry, ids, served } = find(method, path)
  if (served.length === 0) throw new ProblemError("UNKNOWN_PATH", "This path is not part of the API")
  if (entry === undefined) {
    const allow = served.map((operation) => operation.method).join(", ")
    throw new ProblemError("METHOD_NOT_ALLOWED", `This path takes ${allow} only`, { headers: { Allow: allow } })
  }
  const names = [...entry.path.matchAll(BRACES)].map(([, name = ""]) => name)
  return { operation: entry, path: Object.fromEntries(names.map((name, index) => [name, ids[index] ?? ""])) }
}

/**
 * Replaces the ids of a path, for instance `/api/v1/work/:id`. A 404 Problem must not repeat the id, because unknown and concealed
 * resources "all return the same 404 problem" (openapi.yaml, getWork).
 */
export function withoutIds(path: string): string {
  return find("", path).served[0]?.path.replaceAll(BRACES, ":$1") ?? path
}

/**
 * Reads the query parameters of the operation. Other parameters are ignored. Bytes that are not UTF-8 become U+FFFD, which no parameter may have.
 * @throws ProblemError 400 when a parameter of the operation is repeated or empty
 */
export function readQuery(operation: Operation, query: string): Readonly<Record<string, string>> {
  const sent = new URLSearchParams(query)
  const values: Record<string, string> = {}
  for (const name of operation.query) {
    const [value, ...more] = sent.getAll(name)
    if (value === "") throw invalidRequest(`${name} must not be empty`)
    if (more.length > 0) throw invalidRequest(`${name} must not be repeated`)
    if (value !== undefined) values[name] = value
  }
  return values
}

/** No path has an empty id. A segment that cannot be decoded stays as it is. No resource has such an id, so the answer is 404. */
function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment) || undefined
  } catch {
    return segment
  }
}

/** Splits the target of a request, and finds its route. */
import { operations } from "../../contract/operations.ts"
import type { Operation } from "../../contract/operation.ts"
import { pathTable } from "../../platform/http/path-match.ts"
import { ProblemError, invalidRequest } from "../problems.ts"

export type Route = { readonly operation: Operation; readonly path: Readonly<Record<string, string>> }

const BRACES = /\{(\w+)\}/g

const find = pathTable(Object.values(operations), decode)

/** Splits a request target into its raw path and query. Of the absolute form (RFC 9112, 3.2.2) the scheme and authority are ignored. */
export function splitTarget(target: string): { path: string; query: string } {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? ""
  const [, path = "", query = ""] = /^([^?#]*)\??([^#]*)/.exec(target.slice(origin.length)) ?? []
  return { path, query }
}

/** Finds the operation of a method and a raw path. @throws ProblemError 404 for the path, 405 for the method */
export function findRoute(method: string, path: string): Route {
  const { entry, ids, served } = find(method, path)
  if (served.length === 0) throw new ProblemError("UNKNOWN_PATH", "This path is not part of the API")
  if (entry === undefined) {
    const allow = served.map((operation) => operation.method).join(", ")
    throw new ProblemError("METHOD_NOT_ALLOWED", `This path accepts only ${allow}`, { headers: { Allow: allow } })
  }
  const names = [...entry.path.matchAll(BRACES)].map(([, name = ""]) => name)
  return { operation: entry, path: Object.fromEntries(names.map((name, index) => [name, ids[index] ?? ""])) }
}

/** Replaces the ids of a path: `/api/v1/work/:id`. Unknown and concealed resources have the same 404 Problem (openapi.yaml, getWork). */
export function withoutIds(path: string): string {
  return find("", path).served[0]?.path.replaceAll(BRACES, ":$1") ?? path
}

/** Reads the query parameters of the operation. Bytes that are not UTF-8 become U+FFFD. @throws ProblemError 400 for a repeated or empty one */
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

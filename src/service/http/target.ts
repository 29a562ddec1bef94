import { operations } from "../../contract/document.ts"
import type { Operation } from "../../contract/document.ts"
import { invalidRequest, unknownPath, wrongMethod } from "../problems.ts"

export type Route = { readonly operation: Operation; readonly path: Readonly<Record<string, string>> }

type Template = { readonly operation: Operation; readonly segments: readonly string[] }

const templates: readonly Template[] = Object.values(operations).map((operation) => ({
  operation,
  segments: operation.path.split("/"),
}))

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
 * @throws Refusal 404 when no operation has the path, 405 when an operation has the path with another method
 */
export function findRoute(method: string, path: string): Route {
  const segments = path.split("/")
  const candidates = templates.filter((template) => matches(template.segments, segments))
  if (candidates.length === 0) throw unknownPath()
  const found = candidates.find(({ operation }) => operation.method === method)
  if (found === undefined) throw wrongMethod(candidates.map(({ operation }) => operation.method))
  return { operation: found.operation, path: parameters(found.segments, segments) }
}

/**
 * Replaces the ids of a path, for instance `/api/v1/work/:id`. A 404 Problem must not repeat the id, because unknown and concealed
 * resources "all return the same 404 problem" (openapi.yaml, getWork).
 */
export function withoutIds(path: string): string {
  const segments = path.split("/")
  const template = templates.find((candidate) => matches(candidate.segments, segments))
  return template?.operation.path.replaceAll(/\{(\w+)\}/g, ":$1") ?? path
}

/**
 * Reads and decodes the query parameters of the operation. Other parameters are ignored.
 * @throws Refusal 400 when a parameter of the operation is repeated, empty or badly encoded
 */
export function readQuery(operation: Operation, query: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const pair of query === "" ? [] : query.split("&")) {
    const [rawName = "", ...rest] = pair.split("=")
    const name = decode(rawName)
    if (name === undefined || !operation.query.includes(name)) continue
    const value = decode(rest.join("="))
    if (value === undefined) throw invalidRequest(`${name} is not percent-encoded UTF-8`)
    if (value === "") throw invalidRequest(`${name} must not be empty`)
    if (Object.hasOwn(values, name)) throw invalidRequest(`${name} must not be repeated`)
    values[name] = value
  }
  return values
}

function matches(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => (isParameter(part) ? segments[index] !== "" : segments[index] === part))
  )
}

/** A segment that cannot be decoded stays as it is. No resource has such an id, so the answer is 404. */
function parameters(template: readonly string[], segments: readonly string[]): Record<string, string> {
  const path: Record<string, string> = {}
  for (const [index, part] of template.entries()) {
    const segment = segments[index] ?? ""
    if (isParameter(part)) path[part.slice(1, -1)] = decodeSegment(segment) ?? segment
  }
  return path
}

function isParameter(part: string): boolean {
  return part.startsWith("{")
}

/** Decodes a name or value of a query. `+` is a space (WHATWG URL, application/x-www-form-urlencoded). Undefined: badly encoded. */
function decode(value: string): string | undefined {
  return decodeSegment(value.replaceAll("+", " "))
}

function decodeSegment(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

/** Finds which of the 13 operations a request is for. The table comes from openapi.yaml. */
import { operations, type Operation } from "../contract/document.ts"
import { parseInt64 } from "../contract/int64.ts"
import type { Refusal } from "../contract/refusal.ts"
import { methodRefused, pathUnknown, positionInvalid } from "./refusals.ts"

/** A request for one of the 13 operations. */
export type OperationCall = {
  readonly operation: Operation
  /** The raw path, and the query parameters that are passed on: the target below the upstream's base address. */
  readonly target: string
  /** The ids in the path, decoded, in their order. */
  readonly ids: readonly string[]
  /** The stream position in the query. */
  readonly after: bigint | undefined
}

type Route = { readonly template: string; readonly pattern: RegExp; readonly byMethod: ReadonlyMap<string, Operation> }

const routes: readonly Route[] = [...Map.groupBy(Object.values(operations), (operation) => operation.path)].map(
  ([template, served]) => ({
    template,
    // An id is one raw segment. The fixed parts have no character with a meaning in a pattern.
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "([^/]*)")}$`),
    byMethod: new Map(served.map((operation) => [operation.method, operation])),
  }),
)

/**
 * Matches the raw path, before any normalising or decoding. So `..`, `//`, another case or a trailing slash make another path, and no
 * operation has it.
 */
export function findOperation(method: string, path: string, query: string): OperationCall | Refusal {
  for (const { pattern, byMethod } of routes) {
    const match = pattern.exec(path)
    if (match === null) continue
    const ids: string[] = []
    for (let index = 1; index < match.length; index++) {
      const id = decodeId(match[index] ?? "")
      if (id === undefined) return pathUnknown
      ids.push(id)
    }
    const operation = byMethod.get(method)
    if (operation === undefined) return methodRefused([...byMethod.keys()].join(", "))
    return withQuery(operation, path, ids, query)
  }
  return pathUnknown
}

/**
 * The id that a raw segment stands for; undefined where it stands for none. The raw segment passes unchanged, `%2F` included. But decoded
 * once, as an upstream would, it must not be empty, climb, or hold a control character. `#` cannot stand in a request target
 * (RFC 9112, 3.2): an upstream could end the path there.
 */
function decodeId(segment: string): string | undefined {
  if (/^[\w-]+$/.test(segment)) return segment
  if (segment.includes("#")) return undefined
  let decoded: string
  try {
    decoded = decodeURIComponent(segment)
  } catch {
    return undefined
  }
  if (decoded === "" || /\p{Cc}/u.test(decoded)) return undefined
  return decoded.split(/[/\\]/).some((part) => part === "." || part === "..") ? undefined : decoded
}

/** Passes only the parameters that the operation has, byte for byte. */
function withQuery(operation: Operation, path: string, ids: readonly string[], query: string): OperationCall | Refusal {
  if (query === "" || operation.query.length === 0) return { operation, target: path, ids, after: undefined }
  const pairs = query.split("&").filter((pair) => operation.query.includes(nameOf(pair)))
  const target = pairs.length === 0 ? path : `${path}?${pairs.join("&")}`
  const positions = pairs.filter((pair) => nameOf(pair) === "after")
  if (positions.length === 0) return { operation, target, ids, after: undefined }
  const after = parsePosition(positions[0]?.slice("after=".length) ?? "")
  return after === undefined || positions.length > 1 ? positionInvalid : { operation, target, ids, after }
}

const nameOf = (pair: string) => pair.split("=", 1)[0] ?? ""

function parsePosition(raw: string): bigint | undefined {
  try {
    return parseInt64(decodeURIComponent(raw))
  } catch {
    return undefined
  }
}

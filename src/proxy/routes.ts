import { operations, type Operation } from "../contract/document.ts"
import { parseInt64 } from "../contract/int64.ts"
import { type Refusal } from "../contract/refusal.ts"
import { methodRefused, pathUnknown, positionInvalid } from "./problem.ts"

/** One of the 13 operations, asked. */
export type Ask = {
  readonly operation: Operation
  /** The raw path with what is passed of the raw query: what the upstream is asked, below its base address. */
  readonly target: string
  /** The stream position that the query names. */
  readonly after: bigint | undefined
}

type Route = { readonly template: string; readonly pattern: RegExp; readonly byMethod: ReadonlyMap<string, Operation> }

/** The route table is the contract's, not written a second time. */
const routes: readonly Route[] = [...Map.groupBy(Object.values(operations), (operation) => operation.path)].map(
  ([template, served]) => ({
    template,
    // An id is one raw segment; the fixed parts have no character that a pattern knows.
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "([^/]*)")}$`),
    byMethod: new Map(served.map((operation) => [operation.method, operation])),
  }),
)

/**
 * Finds the operation that a method and raw target ask, before any normalising or decoding: so `..`, `//`, another case or a trailing slash
 * are other paths, which nothing serves.
 */
export function findOperation(method: string, path: string, query: string): Ask | Refusal {
  for (const { pattern, byMethod } of routes) {
    const match = pattern.exec(path)
    if (match === null) continue
    if (!match.slice(1).every(isId)) return pathUnknown
    const operation = byMethod.get(method)
    return operation === undefined ? methodRefused([...byMethod.keys()].join(", ")) : withQuery(operation, path, query)
  }
  return pathUnknown
}

/**
 * Whether a raw segment may stand for an id. It passes unchanged, `%2F` included; but decoded once, as an upstream would, it must not
 * be empty, climb, or hold a control character. `#` cannot stand in a request target (RFC 9112, 3.2): an upstream could end the path there.
 */
function isId(segment: string): boolean {
  if (/^[\w-]+$/.test(segment)) return true
  if (segment.includes("#")) return false
  let decoded: string
  try {
    decoded = decodeURIComponent(segment)
  } catch {
    return false
  }
  return (
    decoded !== "" && !/\p{Cc}/u.test(decoded) && decoded.split(/[/\\]/).every((part) => part !== "." && part !== "..")
  )
}

/** Only the parameters that the operation has are passed, byte for byte. */
function withQuery(operation: Operation, path: string, query: string): Ask | Refusal {
  if (query === "" || operation.query.length === 0) return { operation, target: path, after: undefined }
  const pairs = query.split("&").filter((pair) => operation.query.includes(nameOf(pair)))
  const target = pairs.length === 0 ? path : `${path}?${pairs.join("&")}`
  const positions = pairs.filter((pair) => nameOf(pair) === "after")
  if (positions.length === 0) return { operation, target, after: undefined }
  const after = parsePosition(positions[0]?.slice("after=".length) ?? "")
  return after === undefined || positions.length > 1 ? positionInvalid : { operation, target, after }
}

const nameOf = (pair: string) => pair.split("=", 1)[0] ?? ""

function parsePosition(raw: string): bigint | undefined {
  try {
    return parseInt64(decodeURIComponent(raw))
  } catch {
    return undefined
  }
}

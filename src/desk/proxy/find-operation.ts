/** Finds the operation of a request below `/api/v1`. The table of the 13 operations comes from openapi.yaml. */
import type { Operation } from "../../contract/operation.ts"
import { operations } from "../../contract/operations.ts"
import { parseInt64 } from "../../contract/int64.ts"
import { pathTable } from "../../platform/http/path-match.ts"
import { notServed, type Refusal } from "../../platform/http/refusals.ts"
import { positionInvalid } from "./proxy-refusals.ts"

/** A request for one of the 13 operations. */
export type OperationCall = {
  readonly operation: Operation
  /** The target below the upstream's base address: the raw path, and the query parameters that are passed on. */
  readonly target: string
  /** Decoded. */
  readonly ids: readonly string[]
  /** The query parameter `after` of streamWorkEvents. */
  readonly after: bigint | undefined
}

const find = pathTable(Object.values(operations))

/** Finds the operation by method and raw path. `query` has no question mark. @returns the refusal (400, 404, 405) if there is none */
export function findOperation(method: string, path: string, query: string): OperationCall | Refusal {
  const { entry, ids, served } = find(method, path)
  if (entry === undefined) return notServed(served)
  return withQuery(entry, path, ids, query)
}

/** Keeps only the query parameters that the operation has, byte for byte. */
function withQuery(operation: Operation, path: string, ids: readonly string[], query: string): OperationCall | Refusal {
  if (query === "") return { operation, target: path, ids, after: undefined }
  const pairs = query.split("&").filter((pair) => operation.query.includes(nameOf(pair)))
  const target = pairs.length === 0 ? path : `${path}?${pairs.join("&")}`
  const [position, ...more] = pairs.filter((pair) => nameOf(pair) === "after")
  const after = position === undefined ? undefined : parsePosition(position.slice("after=".length))
  if (more.length > 0 || (position !== undefined && after === undefined)) return positionInvalid
  return { operation, target, ids, after }
}

const nameOf = (pair: string) => pair.split("=", 1)[0] ?? ""

function parsePosition(raw: string): bigint | undefined {
  try {
    return parseInt64(decodeURIComponent(raw))
  } catch {
    return undefined
  }
}

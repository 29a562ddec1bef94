import { parseJson } from "../../contract/int64.ts"
import { DeskError, errorFromResponse, unreachable, unreadable } from "./desk-error.ts"
import { ANSWER_TIMEOUT_MS, deskFetch } from "./desk-fetch.ts"
import { assertOpen, closeUntil } from "./retry-gate.ts"

/**
 * Reads one of the desk's own addresses below `/desk`.
 *
 * @param options `isFresh` asks for an answer that the desk reads after the request has arrived
 * @throws DeskError
 */
export async function readDesk(
  address: string,
  signal: AbortSignal,
  { isFresh = false }: { isFresh?: boolean } = {},
): Promise<Response> {
  assertOpen(address)
  const headers = { accept: "application/json", ...(isFresh && { "cache-control": "no-cache" }) }
  const response = await deskFetch(address, { signal, headers }, ANSWER_TIMEOUT_MS).catch((cause: unknown) => {
    throw signal.aborted || cause instanceof DeskError ? cause : unreachable(cause)
  })
  if (response.ok) return response
  const error = await errorFromResponse(response)
  if (error.retryAt !== undefined) closeUntil(address, error)
  throw error
}

/**
 * Reads JSON from an address below `/desk`; int64 members arrive as bigint. The caller names the type of `contract/desk.ts`. A
 * desk of another build only adds members to these types, or leaves out those that are optional.
 *
 * @throws DeskError
 */
export async function readDeskJson<Data>(
  address: string,
  signal: AbortSignal,
  options: { isFresh?: boolean } = {},
): Promise<Data> {
  const response = await readDesk(address, signal, options)
  const text = await response.text().catch((cause: unknown) => {
    throw signal.aborted ? cause : unreachable(cause)
  })
  try {
    return parseJson(text) as Data
  } catch {
    throw unreadable(response)
  }
}

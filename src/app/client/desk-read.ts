import { parseJson } from "../../contract/int64.ts"
import { DeskError, errorFromResponse, unreachable } from "./desk-error.ts"
import { deskFetch } from "./desk-fetch.ts"
import { assertOpen, closeUntil } from "./retry-gate.ts"

const TIMEOUT_MS = 40_000

/**
 * `isFresh` asks the desk for an answer that is newer than the request. Reads one of the desk's own addresses below `/desk`, whose types stand in `contract/desk.ts`. The desk and the app are built from the
 * same commit, so the caller names the type. @throws DeskError
 */
export async function readDesk(
  address: string,
  signal: AbortSignal,
  { accept = "application/json", isFresh = false }: { accept?: string; isFresh?: boolean } = {},
): Promise<Response> {
  assertOpen(address)
  const headers = { accept, ...(isFresh && { "cache-control": "no-cache" }) }
  const response = await deskFetch(address, { signal, headers }, TIMEOUT_MS).catch((cause: unknown) => {
    throw signal.aborted || cause instanceof DeskError ? cause : unreachable(cause)
  })
  if (response.ok) return response
  const error = await errorFromResponse(response)
  if (error.retryAt !== undefined) closeUntil(address, error)
  throw error
}

/** The same, for an answer in JSON; int64 stays exact. @throws DeskError */
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
    throw new DeskError({
      kind: "unreadable",
      title: "The answer could not be read",
      detail: "The desk answered with something that is not JSON.",
      code: "",
      status: response.status,
      retryable: true,
    })
  }
}

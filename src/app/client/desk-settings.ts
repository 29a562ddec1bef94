/** What a person may change at the desk itself: saved views, and the choices of the page Notices. Each answer has an ETag. */
import { parseJson, stringifyJson } from "../../contract/int64.ts"
import { DeskError, errorFromResponse, unreachable, unreadable } from "./desk-error.ts"
import { ANSWER_TIMEOUT_MS, deskFetch } from "./desk-fetch.ts"
import { readDesk } from "./desk-read.ts"
import { ownedName } from "./owner.ts"

/** A value with its version: the `ETag` of the answer. */
export type Tagged<Value> = { readonly value: Value; readonly etag: string | undefined }

type Check<Value> = (value: unknown) => value is Value

/** So often a change is made again after another browser was faster. */
const ATTEMPTS = 5

/** Reads a value with its version. @throws DeskError */
export async function readTagged<Value>(
  address: string,
  isValue: Check<Value>,
  signal: AbortSignal,
): Promise<Tagged<Value>> {
  return taggedOf(await readDesk(address, signal), isValue)
}

/**
 * Changes a value: reads it, and writes what `change` makes of it. The tabs of a browser do so one after the other (Web Locks). Where another
 * browser was faster, the desk refuses (412), and the change is made again from the newer value.
 *
 * @throws DeskError
 */
export function changeTagged<Value>(
  address: string,
  isValue: Check<Value>,
  change: (value: Value) => Value,
): Promise<Tagged<Value>> {
  return navigator.locks.request(ownedName(address), async () => {
    for (let attempt = 1; ; attempt++) {
      const { value, etag } = await readTagged(address, isValue, AbortSignal.timeout(ANSWER_TIMEOUT_MS))
      try {
        return await write(address, isValue, change(value), etag)
      } catch (error) {
        if (!(error instanceof DeskError) || error.failure !== "stale" || attempt === ATTEMPTS) throw error
      }
    }
  })
}

async function write<Value>(
  address: string,
  isValue: Check<Value>,
  value: Value,
  etag: string | undefined,
): Promise<Tagged<Value>> {
  const headers = { "content-type": "application/json", ...(etag !== undefined && { "if-match": etag }) }
  const request = { method: "PUT", headers, body: stringifyJson(value) }
  const response = await deskFetch(address, request, ANSWER_TIMEOUT_MS).catch((cause: unknown) => {
    throw cause instanceof DeskError ? cause : unreachable(cause)
  })
  if (!response.ok) throw await errorFromResponse(response)
  return taggedOf(response, isValue)
}

async function taggedOf<Value>(response: Response, isValue: Check<Value>): Promise<Tagged<Value>> {
  const text = await response.text().catch((cause: unknown) => {
    throw unreachable(cause)
  })
  const value = parsedOr(text)
  if (!isValue(value)) throw unreadable(response)
  return { value, etag: response.headers.get("etag") ?? undefined }
}

function parsedOr(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

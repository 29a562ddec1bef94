/** What a person may change at the desk itself: saved views, and the choices of the page Notices. Each answer has an ETag. */
import { DeskError, unreadable } from "./desk-error.ts"
import { askDesk, jsonOf, jsonRequest } from "./desk-request.ts"
import { ownedName } from "./storage.ts"

/** A value with its version: the `ETag` of the answer. */
export type Tagged<Value> = { readonly value: Value; readonly etag: string | null }

type Check<Value> = (value: unknown) => value is Value

/** So often a change is made again after another browser was faster. */
const ATTEMPTS = 5

/** Reads a value with its version. @throws DeskError */
export async function readTagged<Value>(
  address: string,
  isValue: Check<Value>,
  signal: AbortSignal | null = null,
): Promise<Tagged<Value>> {
  return taggedOf(await askDesk(address, { signal }), isValue)
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
      const { value, etag } = await readTagged(address, isValue)
      try {
        const request = jsonRequest("PUT", change(value), etag === null ? {} : { "if-match": etag })
        return await taggedOf(await askDesk(address, request), isValue)
      } catch (error) {
        if (!(error instanceof DeskError) || error.failure !== "stale" || attempt === ATTEMPTS) throw error
      }
    }
  })
}

async function taggedOf<Value>(response: Response, isValue: Check<Value>): Promise<Tagged<Value>> {
  const value = await jsonOf(response)
  if (!isValue(value)) throw unreadable(response)
  return { value, etag: response.headers.get("etag") }
}

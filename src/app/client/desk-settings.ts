/** What a person may change at the desk itself: saved views, and the choices of the page Notices. Each answer has an ETag. */
import { DeskError, unreadable } from "./desk-error.ts"
import { askDesk, jsonOf, jsonRequest } from "./desk-request.ts"

type Check<Value> = (value: unknown) => value is Value

/** How often a change is tried before the 412 of the last attempt is thrown. */
const ATTEMPTS = 5

/** @throws DeskError */
export async function readSetting<Value>(
  address: string,
  isValue: Check<Value>,
  signal: AbortSignal | null = null,
): Promise<Value> {
  return valueOf(await askDesk(address, { signal }), isValue)
}

/**
 * Reads a value, writes and returns what `change` makes of the value. Where another tab or browser was faster, the desk refuses (412), and the
 * change is made again from the newer value.
 *
 * @throws DeskError
 */
export async function changeSetting<Value>(
  address: string,
  isValue: Check<Value>,
  change: (value: Value) => Value,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    const before = await askDesk(address)
    const etag = before.headers.get("etag")
    const value = change(await valueOf(before, isValue))
    try {
      const request = jsonRequest("PUT", value, etag === null ? {} : { "if-match": etag })
      return await valueOf(await askDesk(address, request), isValue)
    } catch (error) {
      if (!(error instanceof DeskError) || error.failure !== "stale" || attempt === ATTEMPTS) throw error
    }
  }
}

async function valueOf<Value>(response: Response, isValue: Check<Value>): Promise<Value> {
  const value = await jsonOf(response)
  if (!isValue(value)) throw unreadable(response)
  return value
}

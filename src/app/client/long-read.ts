import { throwNoAnswer } from "./desk-error.ts"
import { ANSWER_TIMEOUT_MS, askDesk } from "./desk-request.ts"

/** A long answer may take any time in all, but the next chunk must come within this time. */
const IDLE_MS = 30_000

/**
 * Asks for an answer that may be long: a download, or an export. Only its head has a time limit. `readChunks` reads the rest.
 *
 * @throws DeskError where it is refused or not answered; what fetch throws where `signal` aborts
 */
export async function openLongRead(address: string, accept: string, signal: AbortSignal): Promise<Response> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(tooSlow()), ANSWER_TIMEOUT_MS)
  const request = { signal: AbortSignal.any([signal, limit.signal]), headers: { accept } }
  return askDesk(address, request, null).finally(() => clearTimeout(timer))
}

/**
 * The chunks of an answer as they arrive. Leaving the loop cancels the rest.
 *
 * @throws DeskError where the connection breaks or stands still; what fetch throws where the signal of `openLongRead` aborts
 */
export async function* readChunks({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const stopped = Promise.withResolvers<never>()
      const timer = setTimeout(() => stopped.reject(tooSlow()), IDLE_MS)
      const { done, value } = await Promise.race([reader.read(), stopped.promise])
        .catch(throwNoAnswer)
        .finally(() => clearTimeout(timer))
      if (done) return
      yield value
    }
  } finally {
    // A connection that has broken has nothing to cancel.
    reader.cancel().catch(() => undefined)
  }
}

const tooSlow = () => new DOMException("No response in time", "TimeoutError")

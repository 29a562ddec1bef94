import type { RequestContext } from "./request-context.ts"

/** Checks at intervals whether a client still reads its answer. */
export class ReadingCheck {
  readonly #context: RequestContext
  #flushed = 0
  #stalledSince: number | undefined

  constructor(context: RequestContext) {
    this.#context = context
  }

  /** Whether bytes wait for the client and it has read none of them for `milliseconds`, as far as earlier calls have seen. */
  isStalled(milliseconds: number): boolean {
    const { response, request } = this.#context
    const flushed = request.socket.bytesWritten - request.socket.writableLength
    if (response.writableLength === 0 || flushed !== this.#flushed) {
      this.#flushed = flushed
      this.#stalledSince = undefined
      return false
    }
    this.#stalledSince ??= performance.now()
    return performance.now() - this.#stalledSince >= milliseconds
  }
}

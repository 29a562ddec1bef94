import { readRetryAfter } from "../http/http-fields.ts"
import { isRefusal, type Refusal } from "../http/refusal.ts"
import type { Answer } from "../http/send.ts"
import { sendUpstream, type Abort, type UpstreamRequest } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"

type Reader = (answer: Answer | Refusal) => void

type Read = { readonly readers: Set<Reader>; abort: Abort }

const nothing = () => undefined

const TOO_MANY_REQUESTS = 429
/** After a 429 without a Retry-After. */
const PAUSE_MS = 1_000

/** Sends identical GETs that are in flight to the upstream once. No answer is kept. */
export class SharedReads {
  /** The upstream answered 429 and wants no reads before this moment, in milliseconds since 1970. Reads that people ask for are sent all the same. */
  pausedUntil = 0
  readonly #upstream: Upstream
  readonly #inFlight = new Map<string, Read>()

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  /**
   * Lets nobody join the reads that are in flight now. Their readers still get the answer. Call this when a mutation was answered or an event
   * was relayed, because a later reader must see the effect.
   */
  expire(): void {
    this.#inFlight.clear()
  }

  /**
   * Sends the request, or joins an identical one that is in flight. A fresh read joins none, but others may join the fresh read.
   * Gives a function with which the reader leaves. When the last reader has left, the request is aborted.
   */
  read(request: UpstreamRequest, reader: Reader, { isFresh = false } = {}): Abort {
    const key = JSON.stringify([request.target, request.headers])
    const read = (isFresh ? undefined : this.#inFlight.get(key)) ?? this.#start(key, request)
    read.readers.add(reader)
    return () => {
      if (!read.readers.delete(reader) || read.readers.size > 0) return
      this.#forget(key, read)
      read.abort()
    }
  }

  /** Reads as `read` does, for a reader that does not leave. */
  get(request: UpstreamRequest, { isFresh = false } = {}): Promise<Answer | Refusal> {
    const { promise, resolve } = Promise.withResolvers<Answer | Refusal>()
    this.read(request, resolve, { isFresh })
    return promise
  }

  #start(key: string, request: UpstreamRequest): Read {
    const read: Read = { readers: new Set(), abort: nothing }
    this.#inFlight.set(key, read)
    read.abort = sendUpstream(this.#upstream, request, (answer) => {
      this.#forget(key, read)
      if (!isRefusal(answer) && answer.status === TOO_MANY_REQUESTS) {
        this.pausedUntil = Date.now() + (readRetryAfter(answer.headers["Retry-After"]) ?? PAUSE_MS)
      }
      for (const reader of read.readers) reader(answer)
      // Releases the readers at once: an old table of a Map may keep the read in memory for longer.
      read.readers.clear()
      read.abort = nothing
    })
    return read
  }

  #forget(key: string, read: Read): void {
    if (this.#inFlight.get(key) === read) this.#inFlight.delete(key)
  }
}

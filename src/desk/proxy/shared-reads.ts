/** Shares reads: equal requests at the same time are one request to the upstream. */
import { readRetryAfter } from "../../platform/http/http-fields.ts"
import { isRefusal, type Refusal } from "../../platform/http/refusals.ts"
import type { Answer } from "../../platform/http/send.ts"
import { sendUpstream, type Abort, type UpstreamRequest, ACCEPT_JSON } from "./upstream-request.ts"
import { upstreamTimeout } from "./proxy-refusals.ts"
import type { Upstream } from "./upstream.ts"
import { operations } from "../../contract/operations.ts"
import type { JsonObject } from "../../platform/http/json-object.ts"
import type { RequestContext } from "../../platform/http/request-context.ts"
import type { Watcher } from "../watcher/watcher.ts"
import { readIf } from "./visibility-reads.ts"

type Reader = (answer: Answer | Refusal) => void

type Read = { readonly readers: Set<Reader>; abort?: Abort | undefined }

const TOO_MANY_REQUESTS = 429
/** After a 429 without a Retry-After. */
const PAUSE_MS = 1_000

/** Sends identical GETs that are in flight to the upstream once. No answer is kept. */
export class SharedReads {
  /** The upstream answered 429 and wants no reads before this moment, in milliseconds since 1970. Reads that people ask for are still sent. */
  pausedUntil = 0
  readonly #upstream: Upstream
  readonly #inFlight = new Map<string, Read>()

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  /** Lets nobody join the reads in flight. Call this after a mutation or an event, because a later reader must see its effect. */
  expire(): void {
    this.#inFlight.clear()
  }

  /**
   * Sends the request, or joins an identical one that is in flight. A fresh read joins none, but others may join the fresh read.
   * Returns a function with which the reader leaves. When the last reader has left, the request is aborted.
   */
  read(request: UpstreamRequest, reader: Reader, { isFresh = false } = {}): Abort {
    const key = `${request.target} ${JSON.stringify(request.headers)}`
    const read = (isFresh ? undefined : this.#inFlight.get(key)) ?? this.#start(key, request)
    read.readers.add(reader)
    return () => {
      if (!read.readers.delete(reader) || read.readers.size > 0) return
      this.#forget(key, read)
      read.abort?.()
    }
  }

  /** Reads as `read` does, for a reader that does not leave. */
  get(request: UpstreamRequest, { isFresh = false } = {}): Promise<Answer | Refusal> {
    const { promise, resolve } = Promise.withResolvers<Answer | Refusal>()
    this.read(request, resolve, { isFresh })
    return promise
  }

  #start(key: string, request: UpstreamRequest): Read {
    const read: Read = { readers: new Set() }
    this.#inFlight.set(key, read)
    read.abort = sendUpstream(this.#upstream, request, (answer) => {
      this.#forget(key, read)
      if (!isRefusal(answer) && answer.status === TOO_MANY_REQUESTS) {
        this.pausedUntil = Date.now() + (readRetryAfter(answer.headers["Retry-After"]) ?? PAUSE_MS)
      }
      for (const reader of read.readers) reader(answer)
      // Releases the readers at once: an old table of a Map may keep the read in memory for longer.
      read.readers.clear()
      read.abort = undefined
    })
    return read
  }

  #forget(key: string, read: Read): void {
    if (this.#inFlight.get(key) === read) this.#inFlight.delete(key)
  }
}

/** All people share the credential's quota, so a list of a thousand Works must not cost a thousand reads. */
const CHECKS_MAX = 20

/** Reads pages, and at most CHECKS_MAX resources that decide who sees an entry: none while the upstream wants no reads, or once the client has left. */
export class ListReads {
  /** Whether everything that was asked for was read. If not, the answer must say so. */
  isComplete = true
  readonly #context: RequestContext
  readonly #reads: SharedReads
  readonly #watcher: Pick<Watcher, "wake">
  #checks = 0

  constructor(context: RequestContext, reads: SharedReads, watcher: Pick<Watcher, "wake">) {
    this.#context = context
    this.#reads = reads
    this.#watcher = watcher
  }

  /** Reads a resource for a check. Undefined: it doesn't exist, or it wasn't read and `isComplete` is false. */
  async check<Resource extends object>(
    operation: "getWork" | "listWorkApprovals",
    target: string,
    readResource: (json: JsonObject) => Resource,
  ): Promise<Resource | undefined> {
    const isAllowed = this.#checks++ < CHECKS_MAX && Date.now() >= this.#reads.pausedUntil
    const request = { operation: operations[operation], target, headers: ACCEPT_JSON, origin: this.#context }
    const resource = isAllowed ? readIf(await this.read(request), readResource) : "failed"
    if (resource === "failed") this.#noteFailure()
    return typeof resource === "object" ? resource : undefined
  }

  /** Starts the watcher, whose reads have no limit for one list, so that the person's next try can be complete. */
  #noteFailure(): void {
    this.isComplete = false
    if (!this.#context.response.closed) this.#watcher.wake()
  }

  /** Reads a page. Once the client has left, nobody gets the refusal. */
  async read(request: UpstreamRequest, isFresh = false): Promise<Answer | Refusal> {
    return this.#context.response.closed ? upstreamTimeout : this.#reads.get(request, { isFresh })
  }
}

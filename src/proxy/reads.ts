import type { Refusal } from "../contract/refusal.ts"
import type { Answer } from "./request-context.ts"
import { sendUpstream, type Abort, type UpstreamListener, type UpstreamRequest } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"

type Reader = (answer: Answer | Refusal) => void

type Read = { readonly readers: Set<Reader>; abort: Abort }

const nothing = () => undefined

/** Streams and downloads alone flow. */
export const neverFlows = () => {
  throw new Error("a JSON operation does not flow")
}

/** Sends identical GETs that are in flight to the upstream once. Nothing is kept after the answer. */
export class SharedReads {
  readonly #upstream: Upstream
  readonly #inFlight = new Map<string, Read>()

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  /**
   * From now on nobody joins the reads that are in flight; their readers still get the answer. Called when a mutation was answered or an
   * event was relayed: a later reader must see its effect.
   */
  expire(): void {
    this.#inFlight.clear()
  }

  /**
   * Sends the request, or joins one that is in flight. A fresh read joins none, but others may join it. When the last reader has left, the
   * request is aborted.
   */
  read(request: UpstreamRequest, reader: Reader, { isFresh = false } = {}): Abort {
    // Neither a target nor a header can hold a line end.
    const key = `${request.target}\n${request.headers.join("\n")}`
    const read = (isFresh ? undefined : this.#inFlight.get(key)) ?? this.#start(key, request)
    read.readers.add(reader)
    return () => {
      if (!read.readers.delete(reader) || read.readers.size > 0) return
      this.#forget(key, read)
      read.abort()
    }
  }

  #start(key: string, request: UpstreamRequest): Read {
    const read: Read = { readers: new Set(), abort: nothing }
    this.#inFlight.set(key, read)
    read.abort = sendUpstream(this.#upstream, request, this.#listen(key, read))
    return read
  }

  #listen(key: string, read: Read): UpstreamListener {
    return {
      answered: (answer) => {
        this.#forget(key, read)
        for (const reader of read.readers) reader(answer)
        // Frees the readers at once: a map's old tables may hold the read for longer.
        read.readers.clear()
        read.abort = nothing
      },
      opened: neverFlows,
      data: neverFlows,
      ended: neverFlows,
      cut: neverFlows,
    }
  }

  #forget(key: string, read: Read): void {
    if (this.#inFlight.get(key) === read) this.#inFlight.delete(key)
  }
}

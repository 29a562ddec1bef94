/** The event streams of the API. */
import type { ServerResponse } from "node:http"
import type { Credential, Credentials } from "./admission/credentials.ts"
import type { LiveConfiguration } from "./configuration.ts"
import type { EventLog } from "./event-log.ts"
import type { ServiceContext } from "./context.ts"
import { handler, type Headers } from "./http/handler.ts"
import { ProblemError } from "./problems.ts"
import { text } from "./store/sqlite-row.ts"

/** The most events that are read from the event log at once. */
const PAGE_EVENTS = 64

// The `Retry-After` of a refused stream. Nobody knows when another stream of the credential will end.
const RETRY_SECONDS = 5

// A client that reads nothing for this time is disconnected. It can resume after its last event.
const STALL_MS = 5000

const HEARTBEAT = ": heartbeat\n\n"

type Parts = {
  readonly events: EventLog
  readonly configuration: LiveConfiguration
  readonly credentials: Credentials
}

/** The open event streams of all Works. */
export class Streams {
  readonly #parts: Parts
  readonly #streams = new Set<EventStream>()
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
    parts.events.listen((workId) => {
      for (const stream of this.#streams) if (stream.workId === workId) stream.send()
    })
    parts.configuration.listen(() => {
      for (const stream of this.#streams) stream.shortenHeartbeat()
    })
  }

  /** @throws ProblemError 429 when the credential has as many open streams as it may have */
  checkRoom(credentialId: string): void {
    const { streamsPerCredential } = this.#parts.configuration.current.limits
    const openStreams = [...this.#streams].filter(({ credential }) => credential.id === credentialId)
    if (openStreams.length < streamsPerCredential) return
    const detail = "The credential has reached its limit of open streams"
    throw new ProblemError("RATE_LIMITED", detail, { retryable: true, retryAfter: RETRY_SECONDS })
  }

  /** Answers with the events of a Work that have a sequence above `after`. @throws ProblemError 429 as `checkRoom` does */
  open(workId: string, after: bigint, credential: Credential, response: ServerResponse, headers: Headers): void {
    this.checkRoom(credential.id)
    response.writeHead(200, {
      ...headers,
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store, no-transform",
    })
    // Otherwise Node would send the headers with the first event, and a quiet stream would seem not to open.
    response.flushHeaders()
    // The `close` of this connection has passed, so nothing would remove the stream.
    if (response.req.socket.destroyed) return
    const stream = new EventStream(this.#parts, workId, after, credential, response)
    this.#streams.add(stream)
    const close = () => {
      stream.stop()
      this.#streams.delete(stream)
    }
    response.once("close", close)
    // A response emits no `close` when its connection closes while a pipelined request before it is still answered.
    response.req.socket.once("close", close)
    if (this.#closed) stream.end()
  }

  /** Ends every stream. A stream that starts later ends at once. */
  close(): void {
    this.#closed = true
    for (const stream of this.#streams) stream.end()
  }
}

/** One stream. While its buffer is full it reads nothing, so a slow client costs no memory. Each heartbeat checks the credential again. */
class EventStream {
  readonly workId: string
  readonly credential: Credential
  readonly #parts: Parts
  readonly #response: ServerResponse
  #position: bigint
  #isFull = false
  #stalled: NodeJS.Timeout | undefined
  #lastBeat = performance.now()
  #intervalMs = 0
  #beat: NodeJS.Timeout | undefined

  constructor(parts: Parts, workId: string, after: bigint, credential: Credential, response: ServerResponse) {
    this.#parts = parts
    this.workId = workId
    this.#position = after
    this.credential = credential
    this.#response = response
    this.#scheduleHeartbeat()
    this.send()
  }

  send(): void {
    try {
      for (;;) {
        const page = this.#parts.events.page(this.workId, this.#position, PAGE_EVENTS)
        for (const { sequence, text } of page) {
          if (!this.#isWritable) return
          this.#position = sequence
          this.#write(text)
        }
        if (page.length < PAGE_EVENTS) return
      }
    } catch {
      // The event log cannot be read now. The client connects again and resumes.
      this.#response.destroy()
    }
  }

  /** Only a shorter interval moves the next heartbeat, so that no change of the configuration delays the check of the credential. */
  shortenHeartbeat(): void {
    if (this.#parts.configuration.current.heartbeatSeconds * 1000 < this.#intervalMs) this.#scheduleHeartbeat()
  }

  end(): void {
    this.stop()
    this.#response.end()
    this.#cutWhenStalled()
  }

  stop(): void {
    clearTimeout(this.#beat)
    clearTimeout(this.#stalled)
  }

  #scheduleHeartbeat(): void {
    this.#intervalMs = this.#parts.configuration.current.heartbeatSeconds * 1000
    clearTimeout(this.#beat)
    const wait = this.#lastBeat + this.#intervalMs - performance.now()
    this.#beat = setTimeout(() => this.#sendHeartbeat(), Math.max(0, wait))
  }

  #sendHeartbeat(): void {
    const current = this.#parts.credentials.find(this.credential.id)
    const mayStillRead = current?.account === this.credential.account && current.scopes.has("work:read")
    if (!mayStillRead) return this.end()
    if (this.#isWritable) this.#write(HEARTBEAT)
    this.#lastBeat = performance.now()
    this.#scheduleHeartbeat()
  }

  /** Whether the stream has not ended, and its response has room. */
  get #isWritable(): boolean {
    return !this.#response.writableEnded && !this.#isFull
  }

  #write(text: string): void {
    if (this.#response.write(text)) return
    this.#isFull = true
    this.#cutWhenStalled()
    this.#response.once("drain", () => {
      clearTimeout(this.#stalled)
      this.#isFull = false
      this.send()
    })
  }

  #cutWhenStalled(): void {
    this.#stalled = setTimeout(() => this.#response.destroy(), STALL_MS)
  }
}

/** The handler of streamWorkEvents. The stream starts after `after`, or else after `Last-Event-ID`, or else at the first event. */
export function streamHandlers({ state }: ServiceContext, streams: Streams) {
  return {
    streamWorkEvents: handler("streamWorkEvents", ({ path, query, credential, lastEventId }) => {
      const workId = text(state.find(path("id"), credential), "id")
      const after = BigInt(query("after") ?? lastEventId ?? 0)
      return { kind: "stream", open: (...to) => streams.open(workId, after, credential, ...to) }
    }),
  }
}

import type { ServerResponse } from "node:http"
import type { Credential, Credentials } from "./admission/credentials.ts"
import type { LiveConfiguration } from "./configuration.ts"
import type { EventLog, Frame } from "./event-log.ts"
import { requestTo } from "./http/handler.ts"
import type { Handler } from "./http/handler.ts"
import { tooManyRequests } from "./problems.ts"
import { text } from "./store/rows.ts"
import type { WorkState } from "./work-state.ts"

/** The most events that are read from the log at once. */
const PAGE_EVENTS = 64

const RETRY_SECONDS = 5

// A client that reads nothing for this time is disconnected. It can resume after its last event.
const STALL_MS = 5000

// A heartbeat that is late makes the next wait shorter, by this time at most. A machine that slept would otherwise cause a burst.
const MOST_LATE_MS = 1000

const HEARTBEAT = ": heartbeat\n\n"

/** The timer of a stream's heartbeats. It is set again when the interval becomes shorter. */
type Heartbeat = { restart(): void; stop(): void }

/** The open event streams of all Works, and their number for each credential. */
export class Streams {
  readonly #log: EventLog
  readonly #configuration: LiveConfiguration
  readonly #credentials: Credentials
  readonly #streams = new Map<string, Set<EventStream>>()
  /** The number of streams of each credential that has one. */
  readonly #counts = new Map<string, number>()
  readonly #heartbeats = new Set<Heartbeat>()
  #closed = false

  constructor(log: EventLog, configuration: LiveConfiguration, credentials: Credentials) {
    this.#log = log
    this.#configuration = configuration
    this.#credentials = credentials
    log.listen((workId, frame) => {
      for (const stream of this.#streams.get(workId) ?? []) stream.deliver(frame)
    })
    configuration.listen(() => {
      for (const heartbeat of this.#heartbeats) heartbeat.restart()
    })
  }

  /** @throws Refusal 429 when the credential has as many open streams as it may have */
  checkRoom(credentialId: string): void {
    const { streamsPerCredential } = this.#configuration.current.limits
    if ((this.#counts.get(credentialId) ?? 0) < streamsPerCredential) return
    throw tooManyRequests("The credential has as many open streams as it may have", RETRY_SECONDS)
  }

  /**
   * Counts a stream of the events with a sequence above `after`. The stream starts when the returned function is called with a response
   * whose headers are sent. When the connection closes, the stream no longer counts.
   * @throws Refusal 429 as `checkRoom` does
   */
  reserve(workId: string, after: bigint, credential: Credential): (response: ServerResponse) => void {
    this.checkRoom(credential.id)
    this.#counts.set(credential.id, (this.#counts.get(credential.id) ?? 0) + 1)
    return (response) => this.#open(response, workId, after, credential)
  }

  #open(response: ServerResponse, workId: string, after: bigint, credential: Credential): void {
    this.#log.follow(workId)
    const streams = this.#streams.get(workId) ?? new Set()
    this.#streams.set(workId, streams)
    const stream = new EventStream(response, (position) => this.#log.page(workId, position, PAGE_EVENTS), after)
    streams.add(stream)
    const heartbeat = this.#startHeartbeat(stream, credential)
    this.#heartbeats.add(heartbeat)
    const close = () => {
      if (!streams.delete(stream)) return
      heartbeat.stop()
      this.#heartbeats.delete(heartbeat)
      stream.stop()
      this.#release(credential.id)
      if (streams.size > 0 || this.#streams.get(workId) !== streams) return
      this.#streams.delete(workId)
      this.#log.unfollow(workId)
    }
    response.once("close", close)
    // A response emits no `close` when its connection closes while a pipelined request before it is still answered.
    response.req.socket.once("close", close)
    if (response.req.socket.destroyed) close()
    else if (this.#closed) stream.end()
    else stream.start()
  }

  #release(credentialId: string): void {
    const left = (this.#counts.get(credentialId) ?? 1) - 1
    if (left === 0) this.#counts.delete(credentialId)
    else this.#counts.set(credentialId, left)
  }

  /** Ends every stream. A stream that opens later ends at once. */
  close(): void {
    this.#closed = true
    for (const streams of this.#streams.values()) for (const stream of streams) stream.end()
  }

  /** Sends heartbeats at the configured interval. Each checks the credential again and ends a stream without `work:read`. */
  #startHeartbeat(stream: EventStream, { id, account }: Credential): Heartbeat {
    let last = performance.now()
    let seconds = 0
    let timer: NodeJS.Timeout
    const schedule = () => {
      seconds = this.#configuration.current.heartbeatSeconds
      timer = setTimeout(beat, Math.max(0, last + seconds * 1000 - performance.now()))
    }
    const beat = () => {
      const now = this.#credentials.find(id)
      if (now?.account !== account || !now.scopes.has("work:read")) return stream.end()
      stream.heartbeat()
      last = Math.max(last + seconds * 1000, performance.now() - MOST_LATE_MS)
      schedule()
    }
    const stop = () => clearTimeout(timer)
    const restart = () => {
      // Only a shorter interval moves the next heartbeat, so that no change of the configuration delays the check of the credential.
      if (this.#configuration.current.heartbeatSeconds >= seconds) return
      stop()
      schedule()
    }
    schedule()
    return { restart, stop }
  }
}

/**
 * One open stream. It is live while its response accepts all frames. When the response's buffer is full, the stream waits, and then reads the
 * missed frames from the log. So a slow client costs a position, and no buffer of its own.
 */
class EventStream {
  readonly #response: ServerResponse
  readonly #page: (position: bigint) => readonly Frame[]
  #position: bigint
  #live = false
  #stalled: NodeJS.Timeout | undefined

  constructor(response: ServerResponse, page: (position: bigint) => readonly Frame[], after: bigint) {
    this.#response = response
    this.#page = page
    this.#position = after
  }

  /** Sends the events after the position, and from then on each new event. */
  start(): void {
    this.#live = true
    let page = this.#page(this.#position)
    while (page.length > 0) {
      for (const frame of page) {
        this.#position = frame.sequence
        this.#write(frame.text)
        if (!this.#live) return
      }
      page = this.#page(this.#position)
    }
  }

  deliver(frame: Frame): void {
    if (!this.#live || frame.sequence <= this.#position) return
    this.#position = frame.sequence
    this.#write(frame.text)
  }

  heartbeat(): void {
    if (this.#live) this.#write(HEARTBEAT)
  }

  end(): void {
    this.stop()
    this.#response.end()
    this.#stalled = setTimeout(() => this.#response.destroy(), STALL_MS)
  }

  stop(): void {
    this.#live = false
    clearTimeout(this.#stalled)
  }

  #write(text: string): void {
    if (this.#response.writableEnded) return this.stop()
    if (this.#response.write(text)) return
    this.#live = false
    this.#stalled = setTimeout(() => this.#response.destroy(), STALL_MS)
    this.#response.once("drain", () => this.#goOn())
  }

  #goOn(): void {
    clearTimeout(this.#stalled)
    if (this.#response.writableEnded) return
    try {
      this.start()
    } catch {
      // The log cannot be read now. The client connects again and resumes.
      this.#response.destroy()
    }
  }
}

/**
 * The handler of streamWorkEvents. The stream starts after `after`, or else after `Last-Event-ID`, or
 * else at the first event.
 */
export function streamHandlers(state: WorkState, streams: Streams) {
  const streamWorkEvents: Handler<"streamWorkEvents"> = {
    operation: "streamWorkEvents",
    answer(checked) {
      const { path, query, credential } = requestTo("streamWorkEvents", checked)
      const workId = text(state.find(path("id"), credential), "id")
      const after = BigInt(query("after") ?? checked.lastEventId ?? 0)
      return { kind: "stream", open: streams.reserve(workId, after, credential) }
    },
  }
  return { streamWorkEvents }
}

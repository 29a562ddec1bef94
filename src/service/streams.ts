import type { ServerResponse } from "node:http"
import type { Credential, Credentials } from "./admission/who.ts"
import type { LiveConfiguration } from "./configuration.ts"
import { toChunk } from "./event-log.ts"
import type { EventLog, Frame } from "./event-log.ts"
import { tooManyRequests } from "./problems.ts"

const PAGE = 64

const RETRY_SECONDS = 5

// A reader that reads nothing for so long is cut off. It can resume exactly, and its place is free for others.
const STALL_MS = 5000

// A timer that fires late shortens the next wait, so that the interval holds. A timer that slept with the machine does not.
const LATE_MS = 1000

const HEARTBEAT = toChunk(": heartbeat\n\n")

/** The timer of a stream's heartbeats. It is set again when the interval becomes shorter. */
type Heartbeat = { restart(): void; stop(): void }

/** The open event streams: their readers, the number that each credential holds, and how all of them end. */
export class Streams {
  readonly #log: EventLog
  readonly #configuration: LiveConfiguration
  readonly #credentials: Credentials
  readonly #readers = new Map<string, Set<Reader>>()
  readonly #held = new Map<string, number>()
  readonly #heartbeats = new Set<Heartbeat>()
  #closed = false

  constructor(log: EventLog, configuration: LiveConfiguration, credentials: Credentials) {
    this.#log = log
    this.#configuration = configuration
    this.#credentials = credentials
    log.listen((workId, frame) => {
      for (const reader of this.#readers.get(workId) ?? []) reader.deliver(frame)
    })
    configuration.listen(() => {
      for (const heartbeat of this.#heartbeats) heartbeat.restart()
    })
  }

  /** @throws Refusal 429 when the credential holds as many streams as it may */
  checkRoom(credentialId: string): void {
    const { streamsPerCredential } = this.#configuration.current.limits
    if ((this.#held.get(credentialId) ?? 0) < streamsPerCredential) return
    throw tooManyRequests("The credential holds as many streams as it may", RETRY_SECONDS)
  }

  /**
   * Takes a place for a stream of all events after `after`. The stream begins when the returned function is called with a response
   * whose headers are sent. The place is free again when the connection is closed.
   * @throws Refusal 429, as checkRoom
   */
  reserve(workId: string, after: bigint, credential: Credential): (response: ServerResponse) => void {
    this.checkRoom(credential.id)
    this.#held.set(credential.id, (this.#held.get(credential.id) ?? 0) + 1)
    return (response) => this.#open(response, workId, after, credential)
  }

  #open(response: ServerResponse, workId: string, after: bigint, credential: Credential): void {
    this.#log.follow(workId)
    const readers = this.#readers.get(workId) ?? new Set()
    this.#readers.set(workId, readers)
    const reader = new Reader(response, (position) => this.#log.page(workId, position, PAGE), after)
    readers.add(reader)
    const heartbeat = this.#beat(reader, credential)
    this.#heartbeats.add(heartbeat)
    const close = () => {
      if (!readers.delete(reader)) return
      heartbeat.stop()
      this.#heartbeats.delete(heartbeat)
      reader.stop()
      this.#release(credential.id)
      if (readers.size > 0 || this.#readers.get(workId) !== readers) return
      this.#readers.delete(workId)
      this.#log.unfollow(workId)
    }
    response.once("close", close)
    // A response to a pipelined request emits no `close` when its connection closes before its turn.
    response.req.socket.once("close", close)
    if (response.req.socket.destroyed) close()
    else if (this.#closed) reader.end()
    else reader.start()
  }

  #release(credentialId: string): void {
    const held = (this.#held.get(credentialId) ?? 1) - 1
    if (held === 0) this.#held.delete(credentialId)
    else this.#held.set(credentialId, held)
  }

  /** Ends every stream, also those still to be opened. */
  close(): void {
    this.#closed = true
    for (const readers of this.#readers.values()) for (const reader of readers) reader.end()
  }

  /** Checks the credential again at each heartbeat. The stream ends when the credential has lost `work:read`. */
  #beat(reader: Reader, { id, account }: Credential): Heartbeat {
    let last = performance.now()
    let seconds = 0
    let timer: NodeJS.Timeout
    const schedule = () => {
      seconds = this.#configuration.current.heartbeatSeconds
      timer = setTimeout(beat, Math.max(0, last + seconds * 1000 - performance.now()))
    }
    const beat = () => {
      const now = this.#credentials.find(id)
      if (now?.account !== account || !now.scopes.has("work:read")) return reader.end()
      reader.heartbeat()
      last = Math.max(last + seconds * 1000, performance.now() - LATE_MS)
      schedule()
    }
    const stop = () => clearTimeout(timer)
    const restart = () => {
      // Only a shorter interval moves the next heartbeat: no change of the file may delay the check of the credential.
      if (this.#configuration.current.heartbeatSeconds >= seconds) return
      stop()
      schedule()
    }
    schedule()
    return { restart, stop }
  }
}

/**
 * One open stream. It is live while its socket takes all frames. When the socket is full, the stream waits, and then reads the frames that
 * it missed from the log. So a slow reader costs a position and no buffer.
 *
 * Frames are written to the socket as chunks that were encoded once. `response.write` would encode them again for each reader, which is
 * most of an event's cost when a Work has a thousand readers.
 */
class Reader {
  readonly #response: ServerResponse
  readonly #page: (position: bigint) => readonly Frame[]
  readonly #encoding: "chunk" | "plain"
  #position: bigint
  #live = false
  #stalled: NodeJS.Timeout | undefined

  constructor(response: ServerResponse, page: (position: bigint) => readonly Frame[], after: bigint) {
    this.#response = response
    this.#page = page
    this.#position = after
    this.#encoding = response.req.httpVersion === "1.0" ? "plain" : "chunk"
  }

  start(): void {
    const { socket } = this.#response
    // A pipelined request has to wait for its turn on the connection.
    if (socket === null) this.#response.once("socket", () => this.start())
    else this.#catchUp()
  }

  deliver(frame: Frame): void {
    if (!this.#live || frame.sequence <= this.#position) return
    this.#position = frame.sequence
    this.#write(frame)
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

  #catchUp(): void {
    this.#live = true
    let page = this.#page(this.#position)
    while (page.length > 0) {
      for (const frame of page) {
        this.#position = frame.sequence
        this.#write(frame)
        if (!this.#live) return
      }
      page = this.#page(this.#position)
    }
  }

  #write(piece: { readonly chunk: Buffer; readonly plain: Buffer }): void {
    const { socket } = this.#response
    if (socket === null || this.#response.writableEnded) return this.stop()
    if (socket.write(piece[this.#encoding])) return
    this.#live = false
    this.#stalled = setTimeout(() => socket.destroy(), STALL_MS)
    socket.once("drain", () => {
      clearTimeout(this.#stalled)
      if (this.#response.writableEnded) return
      try {
        this.#catchUp()
      } catch {
        // The log cannot be read now. The reader connects again and resumes.
        socket.destroy()
      }
    })
  }
}

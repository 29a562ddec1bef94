import type { Socket } from "node:net"
import type { Unit } from "./frames.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { FlatHeaders } from "./security-headers.ts"
import { cut, send, type Answer, type RequestContext } from "./request-context.ts"

// A viewer with more unread bytes is cut off. One event of 8 MB passes, whatever waits before it.
const UNREAD_MAX_BYTES = 16_777_216

// A viewer with more unread bytes counts as behind.
const UNREAD_BEHIND_BYTES = 262_144

/** Units that go to many viewers. What all of them need is computed once. */
export class Delivery {
  readonly units: readonly Unit[]
  /** The first and last sequence; undefined where no unit has one. */
  readonly first: bigint | undefined
  readonly last: bigint | undefined
  /** All units in one chunk of HTTP's chunked coding. */
  readonly chunk: Buffer

  constructor(units: readonly Unit[]) {
    const sequences = units.flatMap(({ sequence }) => (sequence === undefined ? [] : [sequence]))
    this.units = units
    this.first = sequences[0]
    this.last = sequences.at(-1)
    this.chunk = toChunk(units.map(({ bytes }) => bytes))
  }
}

/** RFC 9112, 7.1. */
function toChunk(parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`, "latin1"), ...parts, END_OF_CHUNK])
}

const END_OF_CHUNK = Buffer.from("\r\n")

/** One client that reads a Work's events. */
export class Viewer {
  /** The viewer needs the events after this sequence: first the one it asked for, then the last that it was given. */
  position: bigint | undefined
  /** Where the viewer named its position. A stream that is opened for the viewer names it in the same place. */
  readonly positionIn: "query" | "header"
  /** Called when the client has read what waited for it. */
  onDrain: () => void = () => undefined
  readonly #context: RequestContext
  #socket: Socket | undefined
  #isOpen = false
  #flushed = 0
  #stalledSince: number | undefined

  constructor(context: RequestContext, position: bigint | undefined, positionIn: "query" | "header") {
    this.#context = context
    this.position = position
    this.positionIn = positionIn
  }

  /** Sends the head at once, so that the client sees a quiet stream open. */
  open(headers: FlatHeaders): void {
    const { response } = this.#context
    if (this.#isOpen || response.destroyed) return
    this.#isOpen = true
    response.writeHead(200, [...headers])
    response.flushHeaders()
    // HTTP/1.0 has no chunks. A pipelined request has no socket of its own yet. Both go through the response.
    if (response.chunkedEncoding && response.socket !== null) this.#socket = response.socket
    const writable = this.#socket ?? response
    writable.on("drain", this.#drained)
  }

  readonly #drained = (): void => this.onDrain()

  /** The client has left, or has the whole answer. A socket may serve other requests after this one. */
  close(): void {
    this.#socket?.off("drain", this.#drained)
  }

  /** Writes each event once and in order, and parts without a sequence as they come. */
  give(delivery: Delivery): void {
    const { units, first, last } = delivery
    if (first === undefined || this.position === undefined || this.position < first) {
      this.#write(delivery)
      this.position = last ?? this.position
      return
    }
    const { position } = this
    const missing = units.filter(({ sequence }) => sequence === undefined || sequence > position)
    if (missing.length > 0) this.give(new Delivery(missing))
  }

  /** Writes the chunk to the socket itself: the response would make the same chunk anew for each viewer, at twice the cost. */
  #write({ chunk, units }: Delivery): void {
    const { response } = this.#context
    if (response.destroyed || response.writableEnded) return
    if (this.#socket !== undefined) this.#socket.write(chunk)
    else for (const { bytes } of units) response.write(bytes)
    if (response.writableLength > UNREAD_MAX_BYTES) cut(this.#context)
  }

  get isBehind(): boolean {
    return this.#context.response.writableLength > UNREAD_BEHIND_BYTES
  }

  /** Cuts the viewer off when bytes wait for it and it has read nothing for `stalledMs`. */
  checkReading(stalledMs: number): void {
    const { response, request } = this.#context
    const flushed = request.socket.bytesWritten - request.socket.writableLength
    if (response.writableLength === 0 || flushed !== this.#flushed) {
      this.#flushed = flushed
      this.#stalledSince = undefined
      return
    }
    this.#stalledSince ??= performance.now()
    if (performance.now() - this.#stalledSince >= stalledMs) cut(this.#context)
  }

  /** Answers with the reason if the stream has not begun; else ends the stream. */
  end(reason: Answer | Refusal): void {
    if (this.#isOpen) this.#context.response.end()
    else send(this.#context, reason)
  }

  /** As `end`, but the client sees that the stream broke off. */
  cut(reason: Refusal): void {
    if (!this.#isOpen) return send(this.#context, reason)
    this.#context.cause = reason.cause
    cut(this.#context)
  }
}

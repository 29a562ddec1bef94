import type { Socket } from "node:net"
import type { Unit } from "./frames.ts"
import type { HeaderFields, Refusal } from "../contract/refusal.ts"
import { ReadingCheck } from "./reading-check.ts"
import type { RequestContext } from "./request-context.ts"
import { cut, send, type Answer } from "./send.ts"
import type { Trace } from "./trace.ts"

// A viewer with more unread bytes is cut off. An event of 8 MB must fit behind other unread bytes.
const UNREAD_MAX_BYTES = 16_777_216

// A viewer with more unread bytes is behind.
const UNREAD_BEHIND_BYTES = 262_144

/** Units that go to many viewers. Everything that does not depend on the viewer is computed once. */
export class Delivery {
  readonly units: readonly Unit[]
  /** The first and the last sequence. Undefined when no unit has a sequence. */
  readonly first: bigint | undefined
  readonly last: bigint | undefined
  /** All units as one chunk of the chunked transfer coding (RFC 9112, 7.1). */
  readonly chunk: Buffer

  constructor(units: readonly Unit[]) {
    const sequences = units.flatMap(({ sequence }) => (sequence === undefined ? [] : [sequence]))
    this.units = units
    this.first = sequences[0]
    this.last = sequences.at(-1)
    this.chunk = toChunk(units.map(({ bytes }) => bytes))
  }
}

function toChunk(parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`, "latin1"), ...parts, END_OF_CHUNK])
}

const END_OF_CHUNK = Buffer.from("\r\n")

/** One client that reads a Work's events. */
export class Viewer {
  /** The viewer needs the events after this sequence: the position that it asked for, later the last sequence that it got. */
  position: bigint | undefined
  /** Where the viewer's request names the position. A stream that is opened for the viewer names it in the same place. */
  readonly positionIn: "query" | "header"
  /** Called when the client has read all bytes that waited for it. */
  onDrain: () => void = () => undefined
  readonly #context: RequestContext
  #socket: Socket | undefined
  #isOpen = false
  readonly #reading: ReadingCheck

  constructor(context: RequestContext, position: bigint | undefined, positionIn: "query" | "header") {
    this.#context = context
    this.#reading = new ReadingCheck(context)
    this.position = position
    this.positionIn = positionIn
  }

  get personId(): string | undefined {
    return this.#context.personId
  }

  get trace(): Trace {
    return this.#context.trace
  }

  /** Sends the head at once, so that the client sees that the stream is open before the first event. */
  open(headers: HeaderFields): void {
    const { response } = this.#context
    if (this.#isOpen || response.destroyed) return
    this.#isOpen = true
    response.writeHead(200, headers)
    response.flushHeaders()
    // HTTP/1.0 has no chunks, and a pipelined request has no socket yet. In both cases units are written to the response.
    if (response.chunkedEncoding && response.socket !== null) this.#socket = response.socket
    const writable = this.#socket ?? response
    writable.on("drain", this.#drained)
  }

  readonly #drained = (): void => this.onDrain()

  /** Stops listening to the socket, which may serve other requests next. Call this when the client has left or has the whole answer. */
  close(): void {
    this.#socket?.off("drain", this.#drained)
  }

  /** Writes the events after the viewer's position, and every unit without a sequence. */
  deliver(delivery: Delivery): void {
    const { units, first, last } = delivery
    if (first === undefined || this.position === undefined || this.position < first) {
      this.#write(delivery)
      this.position = last ?? this.position
      return
    }
    const { position } = this
    const missing = units.filter(({ sequence }) => sequence === undefined || sequence > position)
    if (missing.length > 0) this.deliver(new Delivery(missing))
  }

  /** Writes the chunk to the socket. Measured: the response would make the chunk anew for each viewer, at twice the cost. */
  #write({ chunk, units }: Delivery): void {
    const { response } = this.#context
    if (response.destroyed || response.writableEnded) return
    if (this.#socket !== undefined) this.#socket.write(chunk)
    else for (const { bytes } of units) response.write(bytes)
    if (response.writableLength > UNREAD_MAX_BYTES) cut(this.#context)
  }

  /** Whether many bytes wait for the client. */
  get isBehind(): boolean {
    return this.#context.response.writableLength > UNREAD_BEHIND_BYTES
  }

  /** Cuts the viewer off when bytes wait for it and it has read none of them for `stalledMs` milliseconds. */
  checkReading(stalledMs: number): void {
    if (this.#reading.isStalled(stalledMs)) cut(this.#context)
  }

  /** Ends the stream; the client learns why from its next request. Before the head was sent, answers with the reason instead. */
  end(reason: Answer | Refusal): void {
    if (this.#isOpen) this.#context.response.end()
    else send(this.#context, reason)
  }

  /** Breaks the stream off, so that the client sees an error. Before the head was sent, answers with the reason instead. */
  cut(reason: Refusal): void {
    if (!this.#isOpen) return send(this.#context, reason)
    this.#context.cause = reason.cause
    cut(this.#context)
  }
}

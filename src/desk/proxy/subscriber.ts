/** One client of an event stream, and what is written to it. */
import type { Socket } from "node:net"
import type { HeaderFields, Refusal } from "../../platform/http/refusals.ts"
import type { Session } from "../people/people-interface.ts"
import type { Unit } from "./event-reader.ts"
import type { RequestContext } from "../../platform/http/request-context.ts"
import { cut as cutConnection, send, type Answer } from "../../platform/http/send.ts"

// A subscriber with more unread bytes is cut off. An event of 8 MB must fit behind other unread bytes. The time-out `stalledViewer` is a second
// limit (stream-hub.ts): a subscriber that reads nothing for this time is cut off with fewer unread bytes, too.
const UNREAD_MAX_BYTES = 16_777_216

// A subscriber with more unread bytes is behind.
const UNREAD_BEHIND_BYTES = 262_144

/** The units as one chunk of the chunked transfer coding (RFC 9112, 7.1). */
export function toChunk(units: readonly Unit[]): Buffer {
  const length = units.reduce((sum, { bytes }) => sum + bytes.length, 0)
  return Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`), ...units.map(({ bytes }) => bytes), END_OF_CHUNK])
}

const END_OF_CHUNK = Buffer.from("\r\n")

/** The connection of one client that reads a Work's events. */
export class Subscriber {
  readonly context: RequestContext
  readonly session: Session
  /** The subscriber needs the events after this sequence: the position that it asked for, later the last sequence that it got. */
  position: bigint | undefined
  /** Where the request names the position. A stream that is opened for the subscriber names it in the same place. */
  readonly positionIn: "query" | "header"
  onDrain: () => void = () => undefined
  #socket: Socket | undefined
  #isOpen = false

  constructor(context: RequestContext, session: Session, position: bigint | undefined, positionIn: "query" | "header") {
    this.context = context
    this.session = session
    this.position = position
    this.positionIn = positionIn
  }

  /** Sends the head at once, so that the client sees that the stream is open before the first event. */
  open(headers: HeaderFields): void {
    const { response } = this.context
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

  /** Writes the units after the position, and those without a sequence. All subscribers share `chunk`, which has all units. @returns the number of events */
  deliver(units: readonly Unit[], chunk?: Buffer): number {
    const { position } = this
    const missing = units.filter(
      ({ sequence }) => sequence === undefined || position === undefined || sequence > position,
    )
    if (missing.length === 0) return 0
    this.position = missing.findLast(({ sequence }) => sequence !== undefined)?.sequence ?? position
    this.#write(missing, missing.length === units.length ? chunk : undefined)
    return missing.filter(({ isEvent }) => isEvent).length
  }

  /** Writes a chunk to the socket. Measured: the response would make the chunk anew for each subscriber, at twice the cost. */
  #write(units: readonly Unit[], chunk = toChunk(units)): void {
    const { response } = this.context
    if (response.destroyed || response.writableEnded) return
    if (this.#socket !== undefined) this.#socket.write(chunk)
    else for (const { bytes } of units) response.write(bytes)
    if (response.writableLength > UNREAD_MAX_BYTES) cutConnection(this.context)
  }

  get isBehind(): boolean {
    return this.context.response.writableLength > UNREAD_BEHIND_BYTES
  }

  // `end`, `stop` and `cut` finish the stream for good. What the client gets:
  //          after the head was sent                    before the head was sent
  //   end    a complete answer                          the reason
  //   stop   a complete answer                          a closed connection, so that a balancer asks another desk
  //   cut    a broken answer, so that a loss shows      the reason
  // After the head was sent, the app connects again in all three cases, and learns the reason from the next answer.

  /** The client has no right to the stream, or the upstream has ended the stream. */
  end(reason: Answer | Refusal): void {
    if (this.#isOpen) this.context.response.end()
    else send(this.context, reason)
  }

  /** The desk stops. */
  stop(): void {
    if (this.#isOpen) this.context.response.end()
    else cutConnection(this.context)
  }

  /** The upstream has broken the stream off. */
  cut(reason: Refusal): void {
    if (!this.#isOpen) return send(this.context, reason)
    this.context.cause = reason.cause
    cutConnection(this.context)
  }
}

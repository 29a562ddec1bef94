import type { Unit } from "./frames.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { FlatHeaders } from "./security-headers.ts"
import { cut, send, type Answer, type Exchange } from "./exchange.ts"

// A viewer with more unread bytes is cut off. One event of 8 MB passes, whatever waits before it.
const UNREAD_MAX_BYTES = 16_777_216

// A viewer with more unread bytes counts as behind.
const UNREAD_BEHIND_BYTES = 262_144

/** One client that reads a Work's events. */
export class Viewer {
  /** The viewer needs the events after this sequence: first the one it asked for, then the last that it was given. */
  position: bigint | undefined
  /** Where the viewer named its position. A stream that is opened for the viewer names it in the same place. */
  readonly positionIn: "query" | "header"
  readonly #exchange: Exchange
  #isOpen = false
  #flushed = 0
  #stalledSince: number | undefined

  constructor(exchange: Exchange, position: bigint | undefined, positionIn: "query" | "header") {
    this.#exchange = exchange
    this.position = position
    this.positionIn = positionIn
  }

  /** Sends the head at once, so that the client sees a quiet stream open. */
  open(headers: FlatHeaders): void {
    const { response } = this.#exchange
    if (this.#isOpen || response.destroyed) return
    this.#isOpen = true
    response.writeHead(200, [...headers])
    response.flushHeaders()
  }

  onDrain(listener: () => void): void {
    this.#exchange.response.on("drain", listener)
  }

  /** Writes each event once and in order, and parts without a sequence as they come. `whole` is all units as one buffer. */
  give(units: readonly Unit[], whole: Buffer, first: bigint | undefined, last: bigint | undefined): void {
    if (first === undefined || this.position === undefined || this.position < first) {
      this.#write(whole)
      this.position = last ?? this.position
      return
    }
    for (const { sequence, bytes } of units) {
      if (sequence !== undefined && this.position !== undefined && sequence <= this.position) continue
      this.#write(bytes)
      this.position = sequence ?? this.position
    }
  }

  #write(bytes: Buffer): void {
    const { response } = this.#exchange
    if (response.destroyed || response.writableEnded) return
    response.write(bytes)
    if (response.writableLength > UNREAD_MAX_BYTES) cut(this.#exchange)
  }

  get isBehind(): boolean {
    return this.#exchange.response.writableLength > UNREAD_BEHIND_BYTES
  }

  /** Cuts the viewer off when bytes wait for it and it has read nothing for `stalledMs`. */
  checkReading(stalledMs: number): void {
    const { response, request } = this.#exchange
    const flushed = request.socket.bytesWritten - request.socket.writableLength
    if (response.writableLength === 0 || flushed !== this.#flushed) {
      this.#flushed = flushed
      this.#stalledSince = undefined
      return
    }
    this.#stalledSince ??= performance.now()
    if (performance.now() - this.#stalledSince >= stalledMs) cut(this.#exchange)
  }

  /** Answers with the reason if the stream has not begun; else ends the stream. */
  end(reason: Answer | Refusal): void {
    if (this.#isOpen) this.#exchange.response.end()
    else send(this.#exchange, reason)
  }

  /** As `end`, but the client sees that the stream broke off. */
  cut(reason: Refusal): void {
    if (!this.#isOpen) return send(this.#exchange, reason)
    this.#exchange.cause = reason.cause
    cut(this.#exchange)
  }
}

import type { Unit } from "./frames.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { FlatHeaders } from "./security-headers.ts"
import { cut, send, type Answer, type Visit } from "./exchange.ts"

// A viewer whose unread bytes grow beyond this is cut off. One event of 8 MB passes, whatever was queued before it.
const UNREAD_MAX_BYTES = 16_777_216

// From here on a viewer counts as one that holds back, if all of its lane do.
const UNREAD_ENOUGH_BYTES = 262_144

/** One client that reads a Work's events. */
export class Viewer {
  /** The sequence after which it wants events: first what it asked, then the last it was given. */
  position: bigint | undefined
  /** Where it said its position, for a lane that is opened for it asks in the same words. */
  readonly saidIn: "query" | "header"
  readonly #visit: Visit
  #isOpen = false
  #flushed = 0
  #stalledSince: number | undefined

  constructor(visit: Visit, position: bigint | undefined, saidIn: "query" | "header") {
    this.#visit = visit
    this.position = position
    this.saidIn = saidIn
  }

  /** Sends the head, at once: a quiet stream has to be seen to open. */
  open(headers: FlatHeaders): void {
    const { response } = this.#visit
    if (this.#isOpen || response.destroyed) return
    this.#isOpen = true
    response.writeHead(200, [...headers])
    response.flushHeaders()
  }

  onDrain(listener: () => void): void {
    this.#visit.response.on("drain", listener)
  }

  /** Gives what a lane relays: each event once and in order, and what has no sequence as it comes. `whole` is all of them in one piece. */
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
    const { response } = this.#visit
    if (response.destroyed || response.writableEnded) return
    response.write(bytes)
    if (response.writableLength > UNREAD_MAX_BYTES) cut(this.#visit)
  }

  get holdsBack(): boolean {
    return this.#visit.response.writableLength > UNREAD_ENOUGH_BYTES
  }

  /** Cuts the viewer off when it has read nothing of what waits for it for `stalledMs`. */
  checkReading(stalledMs: number): void {
    const { response, request } = this.#visit
    const flushed = request.socket.bytesWritten - request.socket.writableLength
    if (response.writableLength === 0 || flushed !== this.#flushed) {
      this.#flushed = flushed
      this.#stalledSince = undefined
      return
    }
    this.#stalledSince ??= performance.now()
    if (performance.now() - this.#stalledSince >= stalledMs) cut(this.#visit)
  }

  /** The upstream's refusal, or ours, if the stream has not begun; else its end. */
  end(reason: Answer | Refusal): void {
    if (this.#isOpen) this.#visit.response.end()
    else send(this.#visit, reason)
  }

  /** The stream broke off: to the reader too that is an error. */
  cut(reason: Refusal): void {
    if (this.#isOpen) cut(this.#visit)
    else send(this.#visit, reason)
  }
}

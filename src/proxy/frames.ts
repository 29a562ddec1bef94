import { parseInt64 } from "../contract/int64.ts"

/** The smallest part of a stream that is relayed: a whole frame, or a comment line or blank line between frames. */
export type Unit = {
  readonly bytes: Buffer
  /** The event's sequence. Undefined when the frame has no `id` that is an int64. */
  readonly sequence: bigint | undefined
  /** Whether the unit has fields. A heartbeat has none. */
  readonly isEvent: boolean
}

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a

// Only `id:` lines are read, and an `id:` line with an int64 is shorter than this.
const LINE_START_BYTES = 64

/** A frame that grows beyond this is an error. An event of 8 MB must pass. */
export const FRAME_MAX_BYTES = 16_777_216

/**
 * Splits an event stream (WHATWG HTML, 9.2.6) into units, wherever the network split the stream, and changes no byte. Lines end with LF,
 * CR or CRLF. A heartbeat is complete at the end of its line, because a blank line need not follow.
 */
export class FrameSplitter {
  #held = Buffer.alloc(0)
  #heldBytes = 0
  readonly #lineStart = Buffer.alloc(LINE_START_BYTES)
  #lineBytes = 0
  #fields = 0
  #sequence: bigint | undefined
  #afterCr = false

  /** Gives the units that this chunk completes. @throws RangeError when a frame grows beyond FRAME_MAX_BYTES */
  push(chunk: Buffer): Unit[] {
    const units: Unit[] = []
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0
      if (byte === LF && this.#afterCr) {
        // The LF of a CRLF that the network split. The CR has ended the line. Between frames the LF is a unit of its own.
        this.#afterCr = false
        if (this.#fields > 0 || this.#heldBytes > 0) continue
        units.push(this.#take(chunk.subarray(start, index + 1)))
        start = index + 1
      } else if (byte === LF || byte === CR) {
        const isCrlf = byte === CR && chunk[index + 1] === LF
        if (isCrlf) index++
        this.#afterCr = byte === CR && !isCrlf
        if (!this.#endLine()) continue
        units.push(this.#take(chunk.subarray(start, index + 1)))
        start = index + 1
      } else {
        this.#afterCr = false
        if (this.#lineBytes < LINE_START_BYTES) this.#lineStart[this.#lineBytes] = byte
        this.#lineBytes++
      }
    }
    this.#hold(chunk.subarray(start))
    return units
  }

  /** Handles the end of a line. Gives whether the line ends a unit. */
  #endLine(): boolean {
    const length = this.#lineBytes
    this.#lineBytes = 0
    if (length === 0) return true
    if (this.#lineStart[0] === COLON) return this.#fields === 0
    this.#fields++
    if (length > LINE_START_BYTES) return false
    const id = /^id(?:: ?(.*))?$/.exec(this.#lineStart.toString("latin1", 0, length))
    if (id !== null) this.#sequence = parseInt64(id[1] ?? "")
    return false
  }

  #take(tail: Buffer): Unit {
    const bytes = this.#heldBytes === 0 ? tail : Buffer.concat([this.#held.subarray(0, this.#heldBytes), tail])
    const unit = { bytes, sequence: this.#sequence, isEvent: this.#fields > 0 }
    this.#heldBytes = 0
    this.#fields = 0
    this.#sequence = undefined
    return unit
  }

  /** Keeps the incomplete rest in a buffer that doubles, so that many small chunks cost no more than one large chunk. */
  #hold(rest: Buffer): void {
    const needed = this.#heldBytes + rest.length
    if (needed > FRAME_MAX_BYTES) throw new RangeError("an event is too long")
    if (needed > this.#held.length) {
      const grown = Buffer.alloc(Math.max(needed, this.#held.length * 2))
      this.#held.copy(grown, 0, 0, this.#heldBytes)
      this.#held = grown
    } else if (rest.length === 0 && this.#held.length > LINE_START_BYTES * 1024) {
      this.#held = Buffer.alloc(0)
    }
    rest.copy(this.#held, this.#heldBytes)
    this.#heldBytes = needed
  }
}

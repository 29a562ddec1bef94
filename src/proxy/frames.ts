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

// An empty buffer that has grown beyond this is released.
const HELD_EMPTY_MAX_BYTES = 65_536

/** A frame that grows beyond this is an error. An event of 8 MB must pass. */
export const FRAME_MAX_BYTES = 16_777_216

/**
 * Splits an event stream (WHATWG HTML, 9.2.6) into units, wherever the network split the stream. Leaves a byte order mark at the start out, and
 * changes no other byte. Lines end with LF, CR or CRLF. A heartbeat is complete at the end of its line, because a blank line need not follow.
 */
export class FrameSplitter {
  #held = Buffer.alloc(0)
  #heldBytes = 0
  readonly #lineStart = Buffer.alloc(LINE_START_BYTES)
  #lineBytes = 0
  #fields = 0
  #sequence: bigint | undefined
  #afterCr = false
  #hasBegun = false

  /** Gives the units that these bytes complete. @throws RangeError when a frame grows beyond FRAME_MAX_BYTES */
  push(received: Buffer): Unit[] {
    const chunk = this.#hasBegun ? received : withoutMark(received)
    this.#hasBegun = true
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
    } else if (needed === 0 && this.#held.length > HELD_EMPTY_MAX_BYTES) {
      this.#held = Buffer.alloc(0)
    }
    rest.copy(this.#held, this.#heldBytes)
    this.#heldBytes = needed
  }
}

/**
 * fetch-event-source 2.0.1, with which the app reads event streams, reads some frames unlike the standard (HTML, "Interpreting an event
 * stream"). Measured: it loses a field without a colon, accepts an `id` with a NUL, strips a byte order mark from every line, and cannot tell
 * empty data from no data. So the desk writes such a frame in a form that the package reads correctly: `id`, `event`, `data`, each with a colon and a
 * space, and `event: message` where the upstream named no type. Every other frame passes as it was sent. The package still loses empty lines
 * before the first full line of `data`, and a byte order mark at the beginning of a line.
 */
const FIELD_WITHOUT_COLON = /(?:^|[\r\n])(?:data|event|id)[\r\n]/
const TYPE_OR_DATA = /(?:^|[\r\n])(?:data|event):/
const FULL_DATA = /(?:^|[\r\n])data: ?[^\r\n ]/
const EMPTY_COMMENT = Buffer.from(":\n\n")
const BYTE_ORDER_MARK = Buffer.from("\uFEFF")

/** The first bytes of a stream without its byte order mark, which is no part of the first line. */
export function withoutMark(chunk: Buffer): Buffer {
  return chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk
}

/**
 * The bytes of a whole frame as the app reads them correctly; the same object when no change is needed. A frame without data is no event, and
 * becomes a comment.
 */
export function toReadableForm(frame: Buffer): Buffer {
  // latin1 keeps every byte, and no byte of a longer character looks like a line end.
  const text = frame.toString("latin1")
  const keepsItsData = FULL_DATA.test(text) || !TYPE_OR_DATA.test(text)
  const isReadCorrectly =
    keepsItsData && !FIELD_WITHOUT_COLON.test(text) && !text.includes("\0") && !frame.includes(BYTE_ORDER_MARK)
  if (isReadCorrectly) return frame
  let id = ""
  let type = "message"
  const data: string[] = []
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (name === "data") data.push(`data: ${value}\n`)
    else if (name === "event") type = value === "" ? "message" : value
    else if (name === "id" && !value.includes("\0")) id = `id: ${value}\n`
  }
  if (data.length === 0) return EMPTY_COMMENT
  return Buffer.from(`${id}event: ${type}\n${data.join("")}\n`, "latin1")
}

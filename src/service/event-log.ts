import { stringifyJson } from "../contract/int64.ts"
import { int64, integer, text, timestamp } from "./store/rows.ts"
import type { Row } from "./store/rows.ts"
import type { Store, Transaction } from "./store/store.ts"

/** One event as it goes over the wire, encoded once for all its readers. */
export type Frame = {
  readonly sequence: bigint
  /** The frame as a chunk of HTTP/1.1's chunked coding. */
  readonly chunk: Buffer
  /** The frame alone, a view of the same bytes. */
  readonly plain: Buffer
}

export type FrameListener = (workId: string, frame: Frame) => void

const RECENT_FRAMES = 256

/** The append-only events of each Work, and the frames of those that somebody reads. */
export class EventLog {
  readonly #store: Store
  readonly #recent = new Map<string, Frame[]>()
  #listener: FrameListener = () => {}

  constructor(store: Store) {
    this.#store = store
  }

  /** Calls `listener` for each event of a followed Work, after its commit. */
  listen(listener: FrameListener): void {
    this.#listener = listener
  }

  /** Encodes each new event of this Work as a frame, until `unfollow`. */
  follow(workId: string): void {
    if (!this.#recent.has(workId)) this.#recent.set(workId, [])
  }

  unfollow(workId: string): void {
    this.#recent.delete(workId)
  }

  /** Appends an event within the transaction of the change that it reports. The type must be one line, because a frame has one line for it. */
  append(
    transaction: Transaction,
    workId: string,
    type: string,
    payload: Readonly<Record<string, unknown>>,
    occurredAt: number,
  ): void {
    if (type === "" || /[\r\n\0]/.test(type))
      throw new TypeError(`an event's type is one line, not ${JSON.stringify(type)}`)
    const row = this.#store.get(
      `INSERT INTO event (work_id, sequence, type, payload, occurred_at)
       VALUES (?1, coalesce((SELECT max(sequence) FROM event WHERE work_id = ?1), 0) + 1, ?2, ?3, ?4)
       RETURNING sequence, type, payload, occurred_at`,
      workId,
      type,
      stringifyJson(payload),
      occurredAt,
    )
    if (row !== undefined) transaction.afterCommit(() => this.#announce(workId, row))
  }

  /** The next events after `after`, at most `limit`, oldest first. */
  page(workId: string, after: bigint, limit: number): readonly Frame[] {
    const recent = this.#recent.get(workId) ?? []
    const [first] = recent
    // Sequences have no gaps, so `recent` has every event from its first frame on.
    if (first !== undefined && after >= first.sequence - 1n) {
      const start = Number(after - first.sequence + 1n)
      return recent.slice(start, start + limit)
    }
    return this.#store
      .all(
        "SELECT sequence, type, payload, occurred_at FROM event WHERE work_id = ? AND sequence > ? ORDER BY sequence LIMIT ?",
        workId,
        after,
        limit,
      )
      .map(encode)
  }

  #announce(workId: string, row: Row): void {
    const recent = this.#recent.get(workId)
    if (recent === undefined) return
    const frame = encode(row)
    recent.push(frame)
    // Removing half of the frames at once, and not one for each event, keeps the cost of an event the same.
    if (recent.length >= 2 * RECENT_FRAMES) recent.splice(0, RECENT_FRAMES)
    this.#listener(workId, frame)
  }
}

/** The frame of openapi.yaml, streamWorkEvents: id, event, data, in this order, and a blank line. JSON has no line break of its own. */
function encode(row: Row): Frame {
  const sequence = int64(row, "sequence")
  const time = JSON.stringify(timestamp(integer(row, "occurred_at")))
  const payload = text(row, "payload")
  const data = `{"occurred_at":${time}${payload === "{}" ? "" : ","}${payload.slice(1)}`
  return { sequence, ...toChunk(`id: ${sequence}\nevent: ${text(row, "type")}\ndata: ${data}\n\n`) }
}

/** Encodes a piece of a stream for HTTP/1.1 (a chunk) and for HTTP/1.0 (as it is). */
export function toChunk(piece: string): { chunk: Buffer; plain: Buffer } {
  const length = Buffer.byteLength(piece)
  const size = `${length.toString(16)}\r\n`
  const chunk = Buffer.from(`${size}${piece}\r\n`)
  return { chunk, plain: chunk.subarray(size.length, size.length + length) }
}

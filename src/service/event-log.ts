import { timestamp } from "./api-values.ts"
import { stringifyJson } from "../contract/int64.ts"
import { int64, integer, text } from "./store/rows.ts"
import type { Row } from "./store/rows.ts"
import type { Store, Transaction } from "./store/store.ts"

/** One event, encoded once for all streams that send it. */
export type Frame = { readonly sequence: bigint; readonly text: string }

export type FrameListener = (workId: string, frame: Frame) => void

const RECENT_FRAMES = 256

/** The append-only events of each Work. It keeps the latest frames of the Works that have an open stream. */
export class EventLog {
  readonly #store: Store
  readonly #recent = new Map<string, Frame[]>()
  #listener: FrameListener = () => {}

  constructor(store: Store) {
    this.#store = store
  }

  /** Calls `listener` for each event of a followed Work, after the event's commit. */
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

  /** Appends an event within the transaction of the change that the event reports. `type` is one line. */
  append(
    transaction: Transaction,
    workId: string,
    type: string,
    payload: Readonly<Record<string, unknown>>,
    occurredAt: number,
  ): void {
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

  /** The events with a sequence above `after`, at most `limit`, oldest first. */
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
    // Removing one frame for each event would move the whole array each time.
    if (recent.length >= 2 * RECENT_FRAMES) recent.splice(0, RECENT_FRAMES)
    this.#listener(workId, frame)
  }
}

/**
 * Encodes the frame of openapi.yaml, streamWorkEvents: id, event and data in this order, then an empty line. JSON text has no line break.
 */
function encode(row: Row): Frame {
  const sequence = int64(row, "sequence")
  const time = JSON.stringify(timestamp(integer(row, "occurred_at")))
  const payload = text(row, "payload")
  const data = `{"occurred_at":${time}${payload === "{}" ? "" : ","}${payload.slice(1)}`
  return { sequence, text: `id: ${sequence}\nevent: ${text(row, "type")}\ndata: ${data}\n\n` }
}

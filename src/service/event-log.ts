/** The events of Works: appended within an effect, and announced after the commit. */
import { timestamp } from "./api-values.ts"
import { stringifyJson } from "../contract/int64.ts"
import { int64, integer, type Row, text } from "./store/sqlite-row.ts"
import type { Store } from "./store/store.ts"

/** One event, as a stream sends it. */
export type Frame = { readonly sequence: bigint; readonly text: string }

/** The append-only events of each Work. */
export class EventLog {
  readonly #store: Store
  #listener: (workId: string) => void = () => {}

  constructor(store: Store) {
    this.#store = store
  }

  /** Calls `listener` for each event, after the event's commit. */
  listen(listener: (workId: string) => void): void {
    this.#listener = listener
  }

  /** Appends an event within the effect of the change that the event reports. `type` is one line. */
  append(workId: string, type: string, payload: Readonly<Record<string, unknown>>): void {
    this.#store.run(
      `INSERT INTO event (work_id, sequence, type, payload, occurred_at)
       VALUES (?1, coalesce((SELECT max(sequence) FROM event WHERE work_id = ?1), 0) + 1, ?2, ?3, ?4)`,
      workId,
      type,
      stringifyJson(payload),
      Date.now(),
    )
    this.#store.afterCommit(() => this.#listener(workId))
  }

  /** The events with a sequence above `after`, at most `limit`, oldest first. */
  page(workId: string, after: bigint, limit: number): readonly Frame[] {
    return this.#store
      .all(
        "SELECT sequence, type, payload, occurred_at FROM event WHERE work_id = ? AND sequence > ? ORDER BY sequence LIMIT ?",
        workId,
        after,
        limit,
      )
      .map(encode)
  }
}

/** Encodes a frame as streamWorkEvents of openapi.yaml says. `data` is one JSON object: `occurred_at`, then the members of the payload. */
function encode(row: Row): Frame {
  const sequence = int64(row, "sequence")
  const time = JSON.stringify(timestamp(integer(row, "occurred_at")))
  const payload = text(row, "payload")
  const comma = payload === "{}" ? "" : ","
  const data = `{"occurred_at":${time}${comma}${payload.slice(1)}`
  return { sequence, text: `id: ${sequence}\nevent: ${text(row, "type")}\ndata: ${data}\n\n` }
}

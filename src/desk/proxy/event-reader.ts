/** Reads an event stream (WHATWG HTML, 9.2.6), and writes each event anew for the viewers. */
import { createParser } from "eventsource-parser"
import { parseInt64 } from "../../contract/int64.ts"

/** An event, or a heartbeat. */
export type Unit = {
  readonly bytes: Buffer
  /** The event's sequence. Undefined when it has no `id` that is an int64. */
  readonly sequence: bigint | undefined
  /** False for a heartbeat. */
  readonly isEvent: boolean
}

/** An event that grows beyond this is an error. An event of 8 MB must pass. */
export const EVENT_MAX_BYTES = 16_777_216

const HEARTBEAT: Unit = { bytes: Buffer.from(": heartbeat\n\n"), sequence: undefined, isEvent: false }

const [LF, CR] = [0x0a, 0x0d]

/**
 * Makes a function that returns the units which the next bytes complete. The bytes of `id`, `event` and `data` stay the same. A comment becomes a
 * heartbeat, and so does a chunk without events that ends a line, because it shows that the upstream lives. Throws a RangeError for an event above
 * EVENT_MAX_BYTES.
 */
export function createEventReader(): (chunk: Buffer) => readonly Unit[] {
  let units: Unit[] = []
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: EVENT_MAX_BYTES,
    onEvent({ id, event = "message", data }) {
      const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data
      const text = `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${lines}\n\n`
      const sequence = id === undefined ? undefined : parseInt64(id)
      units.push({ bytes: Buffer.from(text, "latin1"), sequence, isEvent: true })
    },
    onComment: () => units.push(HEARTBEAT),
    onError: ({ type }) => (isTooLong ||= type === "max-buffer-size-exceeded"),
  })
  return (chunk) => {
    units = []
    // latin1 keeps every byte, and no byte of a longer character looks like a line end.
    parser.feed(chunk.toString("latin1"))
    if (isTooLong) throw new RangeError("an event is too long")
    const last = chunk.at(-1)
    return units.length === 0 && (last === LF || last === CR) ? [HEARTBEAT] : units
  }
}

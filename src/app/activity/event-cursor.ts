import { MAX_INT64 } from "../../contract/int64.ts"

/** The sequence after which a stream goes on, and the guard against replays (openapi.yaml, streamWorkEvents). */
export type EventCursor = {
  /** Takes an event's id in. False for a replay; an id that is no sequence is taken and moves nothing. */
  readonly take: (id: string | undefined) => boolean
  /** The greatest sequence taken in, as the decimal digits for `after`; `0` before the first. */
  readonly position: () => string
}

/** A cursor at the beginning. Sequences are int64, so they are compared as bigint and never pass through a double. */
export function createEventCursor(): EventCursor {
  let last: bigint | undefined
  return {
    take: (id) => {
      const sequence = readSequence(id)
      if (sequence === undefined) return true
      if (last !== undefined && sequence <= last) return false
      last = sequence
      return true
    },
    position: () => (last ?? 0n).toString(),
  }
}

/** The sequence that an `id` names; undefined where it is missing or no int64. */
export function readSequence(id: string | undefined): bigint | undefined {
  if (id === undefined || !/^\d{1,40}$/.test(id)) return undefined
  const sequence = BigInt(id)
  return sequence <= MAX_INT64 ? sequence : undefined
}

import { MAX_INT64 } from "../../contract/int64.ts"

/** The greatest sequence received so far. A stream continues after it, and no event up to it is taken again (openapi.yaml, streamWorkEvents). */
export type EventCursor = {
  /** Whether to take the event with this id: false for a replay. A new sequence moves the cursor; an id that is not a sequence does not. */
  readonly take: (id: string | undefined) => boolean
  /** The greatest sequence so far, as decimal digits for `after`; `0` before the first event. */
  readonly position: () => string
}

/** A cursor before the first event. Sequences are int64, so they are compared as bigint and never pass through a double. */
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

/** The sequence that an `id` names; undefined where it is missing or not an int64. */
export function readSequence(id: string | undefined): bigint | undefined {
  if (id === undefined || !/^\d{1,40}$/.test(id)) return undefined
  const sequence = BigInt(id)
  return sequence <= MAX_INT64 ? sequence : undefined
}

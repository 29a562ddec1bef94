import { MAX_INT64 } from "../../contract/int64.ts"

/** The sequence that an event's id names; undefined where the id is no int64. It is a BigInt, because a double rounds a large sequence. */
export function readSequence(id: string | undefined): bigint | undefined {
  if (id === undefined || !/^\d{1,40}$/.test(id)) return undefined
  const sequence = BigInt(id)
  return sequence <= MAX_INT64 ? sequence : undefined
}

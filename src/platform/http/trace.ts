/** The trace of a request (W3C Trace Context, `traceparent`), which the upstream gets and the log names. */
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"

export type Trace = {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits: the parent id that the desk sends. */
  readonly spanId: string
  /** `01` when a balancer before the desk has sampled the trace, else `00`. */
  readonly flags: "00" | "01"
}

// Version 00 has four parts. A later version may have more, and its first four parts are read as those of version 00 (3.2.4).
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-[^,]*)?$/

/** The trace that a trusted balancer sent, or a new one. Two `traceparent` count as none, because Node joins them to a value that is not valid. */
export function traceOf({ headers }: IncomingMessage, isTrusted: boolean): Trace {
  const sent = isTrusted ? headers["traceparent"] : undefined
  const [, version, traceId, flags = "", more] = TRACEPARENT.exec(typeof sent === "string" ? sent : "") ?? []
  if (traceId === undefined || (version === "00" && more !== undefined)) return newTrace()
  const isSampled = Number.parseInt(flags, 16) % 2 === 1
  return { traceId, spanId: newSpanId(), flags: isSampled ? "01" : "00" }
}

/** A trace that begins at the desk. */
export function newTrace(): Trace {
  return { traceId: newTraceId(), spanId: newSpanId(), flags: "00" }
}

/** The value of the header that the upstream gets. */
export function traceparentOf({ traceId, spanId, flags }: Trace): string {
  return `00-${traceId}-${spanId}-${flags}`
}

// A UUID is never all zeros, which would be no valid id, and Node reads random bytes for many of them at once.
const newTraceId = () => {
  const uuid = randomUUID()
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24)
}
// The last two groups of a UUID have 16 digits.
const newSpanId = () => {
  const uuid = randomUUID()
  return uuid.slice(19, 23) + uuid.slice(24)
}

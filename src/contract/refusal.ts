import type { Cause } from "./cause.ts"
import type { Problem } from "./resources.ts"

/** An error that the desk itself makes. It becomes a Problem with the request id of the request that it answers. */
export type Refusal = {
  readonly code: `PROXY_${string}`
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly retryable: boolean
  /** The methods that would be served, for the Allow header of a 405. */
  readonly allow?: string
  /** More headers: names and values in turn. */
  readonly headers?: readonly string[]
  /** Whole seconds, for the Retry-After header. */
  readonly retryAfterSeconds?: number
  /** Why the desk has no better answer, for the log; `fault`: the desk itself failed. The Problem does not say it. */
  readonly cause?: Cause | "fault" | undefined
}

/** The Problem that a refusal is to one request (RFC 9457). */
export function toProblem(refusal: Refusal, requestId: string): Problem {
  const { code, status, title, detail, retryable } = refusal
  const type = `urn:workdesk:problem:${code.toLowerCase().replaceAll("_", "-")}`
  return {
    type,
    title,
    status,
    detail,
    instance: `urn:workdesk:request:${requestId}`,
    code,
    request_id: requestId,
    retryable,
  }
}

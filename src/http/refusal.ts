import type { Cause } from "../platform/cause.ts"
import type { Problem } from "../contract/resources.ts"

/** Headers by their names, each sent once. */
export type HeaderFields = Readonly<Record<string, string>>

/** An error answer of the desk itself. `toProblem` makes the Problem that one client gets. */
export type Refusal = {
  readonly code: `PROXY_${string}`
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly retryable: boolean
  /** For the Allow header of a 405: the methods that the path takes. */
  readonly allow?: string
  /** Further headers, by name. */
  readonly headers?: HeaderFields
  /** For the Retry-After header: whole seconds. */
  readonly retryAfterSeconds?: number
  /** For the log alone: why the desk has no better answer. `fault` means that the desk itself failed. */
  readonly cause?: Cause | "fault" | undefined
  /** For the record alone: nothing of the request has left the desk. */
  readonly unsent?: true | undefined
}

/** Whether an answer is a refusal. No other answer of the desk has a member `code`. */
export function isRefusal(answer: object): answer is Refusal {
  return "code" in answer
}

/** The Problem (RFC 9457) for the request with this id. */
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

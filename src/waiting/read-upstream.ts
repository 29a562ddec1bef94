/** How the watcher reads the upstream, and how a Problem of the upstream is passed on to a client. */
import { PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import type { HeaderFields, Refusal } from "../http/refusal.ts"
import { Refused } from "../http/send.ts"
import { apiAnswer } from "../http/security-headers.ts"
import { readProblem } from "./resources.ts"

/** The operations that the watcher uses. */
export type ReadOperation = "listWork" | "getWork" | "listWorkApprovals" | "listWorkAttention"

/** The answer to a read. The body is the upstream's JSON text, and a Problem when the status is 400 or more. */
export type UpstreamAnswer = {
  readonly status: number
  /** By their names in lower case. The watcher uses `retry-after`, `ratelimit` and `ratelimit-policy`. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** For the log: why the upstream gave no valid answer. */
  readonly cause?: Refusal["cause"]
}

/**
 * Reads one address of the upstream with the desk's credential, and joins no other read. Never rejects: when the upstream gives no valid
 * answer in time, the answer is a Problem of the desk with 502 or 504. `signal` aborts the read, and the promise may then stay pending.
 */
export type ReadUpstream = (
  operation: ReadOperation,
  /** Path and query, beginning with `/api/v1`. */
  target: string,
  signal: AbortSignal,
) => Promise<UpstreamAnswer>

/** Ends a request with a Problem of the upstream. `json` is its text. `cause` is that of the upstream's answer. */
export function refusedByUpstream(
  status: number,
  json: string,
  cause: Refusal["cause"],
  more: HeaderFields = {},
): Refused {
  const headers = { ...apiAnswer, "Content-Type": PROBLEM_MEDIA_TYPE, ...more }
  const upstreamRequestId = readProblem(json)?.problem.request_id
  return new Refused({ status, headers, body: Buffer.from(json), cause, upstreamRequestId })
}

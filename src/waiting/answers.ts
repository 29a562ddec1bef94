/** The upstream's answers to the watcher, and the desk's answers to requests about what the watcher has read. */
import { PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import type { HeaderFields, Refusal } from "../http/refusal.ts"

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

/** An answer of the desk. The proxy adds Content-Length and the security headers. */
export type DeskAnswer = {
  readonly status: number
  readonly headers: HeaderFields
  readonly body: Buffer
  /** Why the upstream gave no valid answer, when this answer is the upstream's Problem. */
  readonly cause?: Refusal["cause"]
}

/** An answer with 200. `text` is JSON. */
export function jsonAnswer(text: string): DeskAnswer {
  return { status: 200, headers: { "Content-Type": "application/json" }, body: Buffer.from(text) }
}

/** Passes on a Problem of the upstream. `json` is its text. */
export function problemAnswer(
  status: number,
  json: string,
  cause: DeskAnswer["cause"],
  headers: HeaderFields = {},
): DeskAnswer {
  return { status, headers: { "Content-Type": PROBLEM_MEDIA_TYPE, ...headers }, body: Buffer.from(json), cause }
}

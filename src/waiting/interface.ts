/** The interface between the proxy and the watcher. `createWatcher` of watcher.ts implements it. */
import type { ApprovalInQuestion } from "../contract/approvals.ts"
import type { DecisionContext } from "../contract/desk.ts"
import type { Refusal } from "../contract/refusal.ts"

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

/** A request to `GET /desk/waiting`. */
export type DeskRequest = {
  /** Without the question mark. */
  readonly query: string
  readonly ifNoneMatch?: string | undefined
}

/** An answer of the watcher. `headers` are alternating names and values. The proxy adds Content-Length and the security headers. */
export type DeskAnswer = {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Buffer
  /** Why the upstream gave no valid answer, when this answer is the upstream's Problem. */
  readonly cause?: Refusal["cause"]
}

/** An item that was decided or answered through this desk. */
export type Decided = {
  readonly kind: "attention" | "approval"
  /** Decoded, as the Work's `id` is. */
  readonly workId: string
  readonly itemId: string
}

export type FoundContext = {
  readonly context: DecisionContext
  /** The approval, for the check of the rules. Undefined when it is resolved. */
  readonly pending: ApprovalInQuestion | undefined
}

/** Reads all open Work and its waiting items, once for everybody. */
export type Watcher = {
  /**
   * Answers `GET /desk/waiting` by calling `reply` once: at once, or at the next change when the query has `wait`. Gives a function that
   * drops the request without an answer. Call it when the client has left or the session has ended.
   */
  waiting(request: DeskRequest, reply: (answer: DeskAnswer | Refusal) => void): () => void
  /** Answers `GET /desk/overview?zone=`. */
  overview(query: string): Promise<DeskAnswer | Refusal>
  /**
   * Answers `GET /desk/work`: open Work, filtered, grouped and sorted. With `isFresh` (the request has `no-cache`) the answer waits a moment
   * for a list that was read after the request. While the list cannot be read, the first page is the upstream's Problem.
   */
  work(query: string, isFresh: boolean): Promise<DeskAnswer | Refusal>
  /** Gives the answer of `GET /desk/context?work=&approval=` without `may`, or the upstream's Problem, or a refusal. */
  context(query: string): Promise<FoundContext | DeskAnswer | Refusal>
  /** Asks for a Work to be read again soon. Call this after an event of the Work was relayed or a mutation of the Work. The id is decoded. */
  hint(workId: string): void
  /** Asks for the list of open Work to be read again soon. Call this when Work was created. */
  hintList(): void
  /** Removes an item from the answers. Call this when the upstream has answered a decision with 200, before the client gets the answer. */
  decided(item: Decided): void
  /** For the metrics. `oldestCheckSeconds` is undefined before the first check. */
  figures(): { readonly openWorks: number; readonly oldestCheckSeconds: number | undefined }
  /** Stops reading, answers all held requests, and saves the known approvals. */
  stop(): Promise<void>
}

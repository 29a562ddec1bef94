/** What the watcher takes from the proxy and gives to it. */
import type { DecisionContext } from "../contract/desk.ts"
import type { Refusal } from "../contract/refusal.ts"

/** The four operations that the watcher reads. */
export type ReadOperation = "listWork" | "getWork" | "listWorkApprovals" | "listWorkAttention"

/** One answer to a read. The body is the upstream's JSON text, a Problem's where the status is 400 or more. */
export type UpstreamAnswer = {
  readonly status: number
  /** By lower-case names: `retry-after`, `ratelimit`, `ratelimit-policy`. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** For the log: why the upstream gave no valid answer. */
  readonly cause?: Refusal["cause"]
}

/**
 * Reads one address of the upstream with the desk's credential, without joining another read. Never rejects: where the upstream cannot
 * be reached, is late or gives no valid answer, the answer is the desk's own Problem with 502 or 504. After `signal` nobody waits for the answer.
 */
export type ReadUpstream = (
  operation: ReadOperation,
  /** Path and query, from `/api/v1`. */
  target: string,
  signal: AbortSignal,
) => Promise<UpstreamAnswer>

/** A request to one of the watcher's addresses. */
export type DeskRequest = {
  /** Without the question mark. */
  readonly query: string
  readonly ifNoneMatch?: string | undefined
}

/** An answer to such a request. `headers` holds names and values in turn; Content-Length and the security headers are the proxy's. */
export type DeskAnswer = {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Buffer
  /** Of the upstream's answer that this answer passes on. */
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
  /** The approval, for the rules; undefined where nothing is left to decide. */
  readonly pending: { readonly workId: string; readonly destination: string; readonly colleague: string } | undefined
}

/** Reads what waits across all open Work, once for everybody. */
export type Watcher = {
  /**
   * Answers `GET /desk/waiting`: at once, or at the first change where the query has `wait`. Gives a function that leaves
   * without an answer: the client left, or its session ended.
   */
  waiting(request: DeskRequest, reply: (answer: DeskAnswer | Refusal) => void): () => void
  /** Answers `GET /desk/overview?zone=`: figures, in the days of a time zone. */
  overview(query: string): Promise<DeskAnswer | Refusal>
  /**
   * Answers `GET /desk/work`: open Work, filtered, grouped and sorted. `isFresh` (the request says `no-cache`) waits a moment for a list that
   * was read after the request. The first page is the upstream's Problem while the list cannot be read.
   */
  work(query: string, isFresh: boolean): Promise<DeskAnswer | Refusal>
  /** What `GET /desk/context?work=&approval=` answers, without `may`; or the upstream's own Problem. */
  context(query: string): Promise<FoundContext | DeskAnswer | Refusal>
  /** An event of this Work was relayed, or a mutation of it was answered (whatever the answer, or none). Ids are decoded. */
  hint(workId: string): void
  /** Work was created, or something changed whose Work is not known: the list is read again soon. */
  hintList(): void
  /** The upstream answered a resolve operation with 200. Call it before the answer is passed on. */
  decided(item: Decided): void
  /** For the metrics. `oldestCheckSeconds` is undefined before the first check. */
  figures(): { readonly openWorks: number; readonly oldestCheckSeconds: number | undefined }
  /** Reads no more, answers everybody who waits, and saves what is known. */
  stop(): Promise<void>
}

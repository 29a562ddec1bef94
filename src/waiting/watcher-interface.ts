/** The interface between the proxy and the watcher. `createWatcher` of watcher.ts implements it. */
import type { HeaderFields, Refusal } from "../contract/refusal.ts"
import type { Audience, Views } from "./views.ts"
import type { ListedItem } from "./resources.ts"
import type { WatchedWork, WatchState } from "./watch-state.ts"

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
  /** Whom the answer is for, as it is now. Asked again while the request is held. */
  readonly audience: () => Audience
}

/** An answer of the watcher. The proxy adds Content-Length and the security headers. */
export type DeskAnswer = {
  readonly status: number
  readonly headers: HeaderFields
  readonly body: Buffer
  /** Why the upstream gave no valid answer, when this answer is the upstream's Problem. */
  readonly cause?: Refusal["cause"]
}

/** An item that was decided or answered through this desk. */
export type Decided = {
  readonly kind: "clarification" | "approval"
  /** Decoded, as the Work's `id` is. */
  readonly workId: string
  readonly itemId: string
}

/** What the watcher has read so far. The functions give the present value at each call. */
export type Watched = {
  readonly state: WatchState
  /** Whether the approvals of all done Work were read. */
  readonly isDoneRead: () => boolean
}

/** What the desk adds to the entries of `GET /desk/waiting`, for each person. */
export type EntryMembers = {
  /** The same for people whose entries have the same members. */
  keyOf(audience: Audience): string
  /** JSON members that each begin with a comma, or an empty text. */
  write(key: string, watched: WatchedWork, item: ListedItem): string
  /** Each number grows with a change. A change of who looks at what (`presence`) wakes people less often than any other. */
  readonly changes: { readonly item: number; readonly presence: number }
}

/** Reads all open Work and its waiting items, once for everybody. */
export type Watcher = {
  /** What each person sees of it. */
  readonly views: Views
  /**
   * An open Work that the upstream told within the last seconds, at most `withinMs` ago. Undefined when the watcher rests, or does not know the
   * Work. Begins nothing.
   */
  known(workId: string, withinMs: number): WatchedWork | undefined
  /** Whether all open and done Work was listed, and the open Work again within the last `withinMs`. */
  knowsEveryWork(withinMs: number): boolean
  /** Whether a read of the list or of a Work fails at present. */
  readonly isFailing: boolean
  /**
   * Answers `GET /desk/waiting` by calling `reply` once: at once, or at the next change when the query has `wait`. Gives a function that
   * drops the request without an answer. Call it when the client has left or the session has ended.
   */
  waiting(request: DeskRequest, reply: (answer: DeskAnswer | Refusal) => void): () => void
  /** Begins reading, if the watcher rests. Gives what was read so far. */
  use(): Watched
  /**
   * The same, after the first round of the list. With `isFresh`, after a round that began after this call. Waits for a bounded time.
   * `pauseMs` is the time until the next request to the upstream.
   */
  useList(isFresh: boolean): Promise<{ readonly state: WatchState; readonly pauseMs: number }>
  /** Asks for a Work to be read again soon. Call this after an event of the Work was relayed or a mutation of the Work. The id is decoded. */
  hint(workId: string): void
  /** Asks for the list of open Work to be read again soon. Call this when Work was created. */
  hintList(): void
  /**
   * Removes an item from the answers. Call this when the upstream has answered a decision with 200, before the client gets the answer. `answer` is
   * its body: the desk may not have read the item before.
   */
  decided(item: Decided, answer?: string): void
  /**
   * The open Work with an item that waits. `absent`: no such item waits, or the person does not see the Work. What was not read yet is waited
   * for, at most `withinMs`. Then `unread`: nobody can say yet whether the item is there and the person sees it.
   */
  find(audience: Audience, workId: string, itemId: string, withinMs: number): Promise<WatchedWork | "absent" | "unread">
  /** Whether the watcher reads: somebody has asked within the last minute, or a request is held. */
  readonly isWatched: boolean
  /** Call this when the members of entries have changed. `atOnce`: the very next answer has the change. */
  membersChanged(atOnce: boolean): void
  /** For the metrics. `oldestCheckSeconds` is undefined before the first check. */
  figures(): {
    readonly waitingRequests: number
    readonly openWorks: number
    readonly oldestCheckSeconds: number | undefined
  }
  /** Stops reading, and answers all held requests. */
  stop(): void
}

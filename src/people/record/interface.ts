/** What the record and the rules of approvals give to the proxy. `openRecord` of record.ts makes one for a desk. */
import type { MayApprove, RecordPage } from "../../contract/desk.ts"
import type { OperationId } from "../../contract/resources.ts"
import type { Refusal } from "../../contract/refusal.ts"
import type { Session } from "../people.ts"
import type { ApprovalInQuestion } from "../rules/rules.ts"

/** One of the five mutations, as a client asked it. The guards that every mutation has have let it pass. */
export type Mutation = {
  readonly operation: OperationId
  /** The path that the upstream is asked, ids as the client wrote them. */
  readonly target: string
  /** Decoded ids of the path: the Work's, and the clarification's or approval's; of an upload as `itemId`. */
  readonly workId?: string
  readonly itemId?: string
  readonly idempotencyKey: string
  readonly ifMatch: string | undefined
  /** Undefined where the operation has no body. */
  readonly body: Buffer | undefined
  /** The desk's id of the request. */
  readonly requestId: string
}

/** The answer to listWorkApprovals of the mutation's Work, or what to answer to the client where it cannot be read. */
export type ApprovalsRead<Failure> =
  | { readonly kind: "read"; readonly body: Buffer }
  | { readonly kind: "failed"; readonly answer: Failure }

/** What becomes of a mutation. */
export type Prepared<Failure> =
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The approvals could not be read: the client gets this answer, and nothing is sent. */
  | { readonly kind: "failed"; readonly answer: Failure }
  | {
      readonly kind: "send"
      /** Exactly these bytes are sent. */
      readonly body: Buffer | undefined
      /**
       * Stores the outcome. Call it once, when the upstream has answered or cannot be waited for any longer, and answer the client when the
       * promise resolves: at once when the row is stored, soon where it cannot be stored. Never rejects.
       */
      readonly settle: (answer: MutationAnswer) => Promise<void>
    }

export type MutationAnswer =
  /** A success of the operation's own. */
  | { readonly kind: "success"; readonly status: number; readonly body: Buffer; readonly replayed: boolean }
  /** A Problem of the upstream, of any status. */
  | { readonly kind: "problem"; readonly status: number }
  /** No answer, or an answer that is not the operation's; `status` where there was one. */
  | { readonly kind: "none"; readonly status?: number }

export type DeskRecord = {
  /**
   * All steps between the guards and the sending: the body is read, the key belongs to who used it, the version and the rules are checked
   * on what `readApprovals` gives (called for a decision only), and the intent is stored. `readApprovals` must not join another read.
   */
  prepare<Failure>(
    session: Session,
    mutation: Mutation,
    readApprovals: () => Promise<ApprovalsRead<Failure>>,
  ): Promise<Prepared<Failure>>

  /** Whether the rules let the person approve, told before the click. Undefined in local mode, and while the record cannot be read. */
  mayApprove(session: Session, approval: ApprovalInQuestion): Promise<MayApprove | undefined>

  /** `GET /desk/record`; `query` without the question mark. */
  list(query: string): Promise<RecordPage | Refusal>

  /** The same as JSON Lines, whole: the filters of `query` count, its limit and cursor do not. Each text is one or more lines. */
  lines(query: string): Promise<AsyncIterable<string> | Refusal>

  /** The decisions that the service has recorded for this desk since a moment (milliseconds), oldest first. */
  decisionsSince(moment: number): Promise<readonly RecordedDecision[]>

  stop(): Promise<void>
}

export type RecordedDecision = {
  readonly workId: string
  readonly approvalId: string
  readonly decision: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly person: string
}

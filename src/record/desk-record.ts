/** The interface between the proxy and the record with its rules. `openRecord` of record.ts implements it. */
import type { ApprovalInQuestion, RecordedDecision } from "../contract/approvals.ts"
import type { ApproveHeld, MayApprove, RecordPage } from "../contract/desk-work.ts"
import type { OperationId } from "../contract/resources.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { ChooseEntries } from "./visible-entries.ts"
import type { Session } from "../people/people.ts"
import type { HeldApprovals } from "./held-approvals-watch.ts"
import type { Statements } from "../store/database.ts"

/** A request for one of the five mutations that has passed the proxy's guards. */
export type Mutation = {
  readonly operation: OperationId
  /** The raw path for the upstream, with the ids as the client wrote them. */
  readonly target: string
  /** The decoded id of the Work, if the path has one. */
  readonly workId?: string
  /** The decoded id of the clarification, approval or upload, if the path has one. */
  readonly itemId?: string
  readonly idempotencyKey: string
  readonly ifMatch: string | undefined
  /** Undefined when the operation has no body. */
  readonly body: Buffer | undefined
  /** The desk's id of the request. */
  readonly requestId: string
}

/** What happens to a mutation next. */
export type Prepared =
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** The approvals could not be read, and nothing is sent. */
  | { readonly kind: "failed" }
  /** The desk keeps an approve until the last one that is needed. The client gets this answer with 202, and nothing is sent. */
  | { readonly kind: "held"; readonly answer: ApproveHeld }
  | {
      readonly kind: "send"
      /** The bytes to send, unchanged. */
      readonly body: Buffer | undefined
      /**
       * Stores the outcome. Call this once, when the upstream has answered or has given no answer in time. Then wait for the promise and
       * answer the client. The promise resolves when the row is stored, or soon when it cannot be stored. It never rejects.
       */
      readonly storeOutcome: (answer: MutationAnswer) => Promise<void>
    }

export type ReadApprovals = () => Promise<Buffer | undefined>

/** The upstream's answer to a mutation. */
export type MutationAnswer =
  /** A success that openapi.yaml has for the operation. */
  | { readonly kind: "success"; readonly status: number; readonly body: Buffer; readonly replayed: boolean }
  /** A Problem of the upstream, with any status. */
  | { readonly kind: "problem"; readonly status: number }
  /** No valid answer. `unsent`: nothing of the request left the desk, because there was no connection. */
  | { readonly kind: "none"; readonly unsent?: true | undefined }

/** What a person did at the desk alone. The service does not hear of it. */
export type Deed = {
  readonly operation: "takeItem" | "handItem" | "giveBackItem"
  readonly workId: string
  readonly itemId: string
  readonly version: bigint
  readonly requestId: string
}

/** A request to take back an approve that the desk keeps. */
export type Withdrawal = Pick<Mutation, "target" | "idempotencyKey" | "requestId"> & {
  readonly workId: string
  readonly itemId: string
}

export type DeskRecord = {
  /** The approves that the desk keeps until the last one that is needed. */
  readonly held: Pick<HeldApprovals, "of" | "onChange">

  /** Takes back the person's approve that the desk keeps. Undefined: done. */
  withdrawApproval(session: Session, withdrawal: Withdrawal): Promise<Refusal | undefined>

  /**
   * Stores a deed and what it changes in one transaction. `change` gets the sequence of the deed's row, and gives false when it has changed
   * nothing: then the record gets no row.
   * @returns whether the deed is stored
   * @throws StoreUnavailableError
   */
  storeDeed(
    session: Session,
    deed: Deed,
    change: (statements: Statements, sequence: number) => Promise<boolean>,
  ): Promise<boolean>

  /**
   * Does all steps between the guards and the upstream: parses the body, checks that the key belongs to the person, checks the version and
   * the rules on the body of the answer to listWorkApprovals, and stores the intent. `readApprovals` reads it (called only for a decision):
   * it must not join another read, and gives undefined when the approvals cannot be read.
   */
  prepare(session: Session, mutation: Mutation, readApprovals: ReadApprovals): Promise<Prepared>

  /** Whether the rules let the person approve. Undefined in local mode, and while the record cannot be read. */
  mayApprove(session: Session, approval: ApprovalInQuestion): Promise<MayApprove | undefined>

  /**
   * Answers `GET /desk/record`. `query` is without the question mark. `choose` gives the entries that the person may see; left out in local
   * mode.
   */
  list(query: string, choose?: ChooseEntries): Promise<RecordPage | Refusal>

  /**
   * All entries that match the filters of `query`, as JSON Lines. The limit and the cursor of `query` do not count. Each text has one or more
   * lines.
   */
  lines(query: string, choose?: ChooseEntries): Promise<AsyncIterable<string> | Refusal>

  /** The decisions that the service has recorded for this desk after a sequence of the record, in the order of their sequences. */
  decisionsAfter(sequence: number): Promise<readonly RecordedDecision[]>

  /** Resolves when every outcome row that is on its way is stored, or cannot be stored. */
  stop(): Promise<void>
}

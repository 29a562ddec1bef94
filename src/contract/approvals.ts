/** What the folders from `people` to `overview` exchange about approvals. */

/** What the desk remembers of a done Work whose approvals it has read. */
export type KnownWork = {
  readonly version: string
  /** What decides who sees the Work. Undefined in a store of an older desk. */
  readonly facts: { readonly scope: string; readonly colleague: string } | undefined
}

/** The members of an approval that the rules of the access file look at. */
export type ApprovalInQuestion = {
  readonly workId: string
  readonly destination: string
  /** `requested_by_colleague` */
  readonly colleague: string
}

/** A decision that was made at this desk and that the service has recorded. */
export type RecordedDecision = {
  /** The sequence of its outcome in the record. */
  readonly sequence: number
  readonly workId: string
  readonly approvalId: string
  /** `approve` or `decline`. */
  readonly decision: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The name of the person who decided. */
  readonly person: string
}

/** Gives the decisions after a sequence, in the order of their sequences. Rejects while the record cannot be read. */
export type ReadDecisions = (after: number) => Promise<readonly RecordedDecision[]>

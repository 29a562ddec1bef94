/** What the folders `people` and `waiting` exchange about approvals. */

/** What the desk remembers of an approval that it has read: no summary, subject, body or comment. */
export type KnownApproval = {
  readonly workId: string
  readonly approvalId: string
  readonly destination: string
  readonly colleague: string
  readonly status: string
  /** ISO 8601 in UTC; empty when the upstream's text is no date. */
  readonly createdAt: string
  /** ISO 8601 in UTC; undefined while the approval is pending. */
  readonly resolvedAt: string | undefined
  /** When this desk read the approval for the first time, in milliseconds since 1970. */
  readonly knownAt: number
}

/** What the desk remembers of a done Work whose approvals it has read. */
export type KnownWork = {
  readonly version: string
  /** What decides who sees the Work. Undefined in a store of an older desk. */
  readonly facts: { readonly scope: string; readonly colleague: string } | undefined
}

/** Keeps known approvals beyond the life of a process. Every method rejects while the store is away. */
export type KnownApprovalStore = {
  /** Gives the newest approvals and done Works, at most `limit` of each. The Works are by their id. */
  load(limit: number): Promise<{
    readonly approvals: readonly KnownApproval[]
    readonly doneWorks: ReadonlyMap<string, KnownWork>
  }>
  /** Adds approvals, of which none may be there twice. Of a stored approval it replaces destination, status and time of resolution. */
  save(approvals: readonly KnownApproval[]): Promise<void>
  /** Removes approvals. */
  forget(approvals: readonly KnownApproval[]): Promise<void>
  /** Stores in which version each done Work was read (by the Work's id), so that the Work is not read again. */
  saveDoneWorks(works: ReadonlyMap<string, KnownWork>): Promise<void>
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

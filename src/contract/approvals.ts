/** What the desk remembers of the approvals that it has read: no summary, subject, body or comment. */

export type KnownApproval = {
  readonly workId: string
  readonly approvalId: string
  readonly destination: string
  readonly colleague: string
  readonly status: string
  /** ISO 8601, as the upstream wrote it; so is `resolvedAt`. */
  readonly createdAt: string
  readonly resolvedAt: string | undefined
  /** When this desk read the approval for the first time, in milliseconds since 1970. */
  readonly knownAt: number
}

/** Where known approvals are kept beyond the life of a process. Every method rejects while the store is away. */
export type KnownApprovalStore = {
  /** The newest approvals, `limit` at most, and the version of each done Work that was read, by its id. */
  load(limit: number): Promise<{
    readonly approvals: readonly KnownApproval[]
    readonly doneWorks: ReadonlyMap<string, string>
  }>
  /** Adds what is new (no approval may be there twice), and replaces the status and the time of its resolution of what is known. */
  save(approvals: readonly KnownApproval[]): Promise<void>
  /** The approvals of these done Works were read in these versions: they are not read again. */
  saveDoneWorks(versions: ReadonlyMap<string, string>): Promise<void>
}

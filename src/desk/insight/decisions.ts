/** The decisions of the record, in memory. Only new decisions are read. */
import type { Directory } from "../people/directory.ts"
import type { ReadDecisions, RecordedDecision } from "../record/recorded-decisions.ts"
import { idOf, type KnownApprovals } from "./known-approvals.ts"

/** A decision of the record. `requestedAt` is undefined when the desk has not read the approval. Both are in milliseconds since 1970. */
export type Decision = { readonly decision: string; readonly at: number; readonly requestedAt: number | undefined }

export type DecisionsSince = { readonly decisions: readonly Decision[]; readonly first: number | undefined }

export class Decisions {
  readonly #read: ReadDecisions | undefined
  readonly #directory: Directory | undefined
  readonly #byApproval = new Map<string, RecordedDecision>()
  /** The sequence of the newest decision that was read. */
  #lastSequence = 0
  #reading: Promise<void> | undefined

  /** `directory` has the names of the persons. */
  constructor(read: ReadDecisions | undefined, directory: Directory | undefined) {
    this.#read = read
    this.#directory = directory
  }

  /** Reads the decisions since the last call. Calls at the same time share a read. While the record cannot be read, the known decisions stay. */
  refresh(): Promise<void> {
    this.#reading ??= this.#readNew().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #readNew(): Promise<void> {
    const decisions = (await this.#read?.(this.#lastSequence).catch(() => [])) ?? []
    await this.#directory?.recent().catch(() => undefined)
    for (const decision of decisions) {
      this.#byApproval.set(idOf(decision.workId, decision.approvalId), decision)
      this.#lastSequence = decision.sequence
    }
  }

  /** The name of the person who decided an approval, as it is now: a person may have been forgotten since. */
  personOf(workId: string, approvalId: string): string | undefined {
    const decided = this.#byApproval.get(idOf(workId, approvalId))
    return decided && this.#directory?.nameOf(decided.personId)
  }

  /** The Works of all decisions. */
  get workIds(): Iterable<string> {
    return this.#byApproval.values().map(({ workId }) => workId)
  }

  /** The decisions since a moment about Works that `sees` accepts. `first`: when the first of all decisions about such Works was made. */
  since(moment: number, approvals: KnownApprovals, sees: (workId: string) => boolean): DecisionsSince {
    const seen = [...this.#byApproval.values()].filter(({ workId }) => sees(workId))
    const first = seen.reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY)
    const decisions = seen.flatMap(({ at, decision, workId, approvalId }) => {
      if (at < moment) return []
      const requestedAt = Date.parse(approvals.get(workId, approvalId)?.createdAt ?? "")
      return { at, decision, requestedAt: Number.isNaN(requestedAt) ? undefined : requestedAt }
    })
    return { decisions, first: seen.length === 0 ? undefined : first }
  }
}

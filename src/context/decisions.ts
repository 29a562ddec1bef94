/** Keeps the decisions of the record in memory, so that only new decisions are read. */
import type { ReadDecisions, RecordedDecision } from "../contract/approvals.ts"
import type { KnownApprovals } from "./known-approvals.ts"

/** A decision of the record. `requestedAt` is undefined when the desk has not read the approval. Both are in milliseconds since 1970. */
export type Decision = { readonly decision: string; readonly at: number; readonly requestedAt: number | undefined }

/** How far back `refresh` reads again, because a row may become visible after a row with a later time. */
const OVERLAP_MS = 60_000

export type DecisionsSince = { readonly decisions: readonly Decision[]; readonly first: number | undefined }

export class Decisions {
  readonly #read: ReadDecisions | undefined
  readonly #byApproval = new Map<string, RecordedDecision>()
  #latest = Number.NEGATIVE_INFINITY

  constructor(read: ReadDecisions | undefined) {
    this.#read = read
  }

  /** Reads the decisions since the last call. While the record cannot be read, the decisions stay as they are. */
  async refresh(): Promise<void> {
    const since = Math.max(0, this.#latest - OVERLAP_MS)
    const decisions = (await this.#read?.(since).catch(() => [])) ?? []
    for (const decision of decisions) {
      this.#byApproval.set(idOf(decision.workId, decision.approvalId), decision)
      this.#latest = Math.max(this.#latest, decision.at)
    }
  }

  /** The name of the person who decided an approval. */
  personOf(workId: string, approvalId: string): string | undefined {
    return this.#byApproval.get(idOf(workId, approvalId))?.person
  }

  /**
   * The decisions about Works that `sees` accepts since a moment (milliseconds since 1970), with the creation time of each approval that the
   * desk has read, and when the first of all such decisions was made.
   */
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

const idOf = (workId: string, approvalId: string) => JSON.stringify([workId, approvalId])

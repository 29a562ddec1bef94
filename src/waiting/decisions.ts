/** The decisions that the record has, kept in memory: only new ones are asked for again. */
import type { Decision } from "./overview.ts"
import type { KnownApprovals } from "./known-approvals.ts"

export type RecordedDecision = {
  readonly workId: string
  readonly approvalId: string
  readonly decision: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly person: string
}

/** Gives the decisions since a moment, oldest first; rejects while the record cannot be read. */
export type ReadDecisions = (since: number) => Promise<readonly RecordedDecision[]>

/** A decision's row may become visible after one with a later time. */
const OVERLAP_MS = 60_000

export class Decisions {
  readonly #read: ReadDecisions | undefined
  readonly #byApproval = new Map<string, RecordedDecision>()
  #latest = Number.NEGATIVE_INFINITY
  #first: number | undefined

  constructor(read: ReadDecisions | undefined) {
    this.#read = read
  }

  /** Takes in what was decided since the last time. While the record cannot be read, what is known stays. */
  async refresh(): Promise<void> {
    const since = Math.max(0, this.#latest - OVERLAP_MS)
    const decisions = (await this.#read?.(since).catch(() => [])) ?? []
    for (const decision of decisions) {
      this.#byApproval.set(idOf(decision.workId, decision.approvalId), decision)
      this.#latest = Math.max(this.#latest, decision.at)
      this.#first = Math.min(this.#first ?? decision.at, decision.at)
    }
  }

  /** The first decision of the record, in milliseconds since 1970. */
  get first(): number | undefined {
    return this.#first
  }

  personOf(workId: string, approvalId: string): string | undefined {
    return this.#byApproval.get(idOf(workId, approvalId))?.person
  }

  since(moment: number, approvals: KnownApprovals): readonly Decision[] {
    return [...this.#byApproval.values()].flatMap(({ at, decision, workId, approvalId }) => {
      if (at < moment) return []
      const requestedAt = Date.parse(approvals.get(workId, approvalId)?.createdAt ?? "")
      return { at, decision, requestedAt: Number.isNaN(requestedAt) ? undefined : requestedAt }
    })
  }
}

const idOf = (workId: string, approvalId: string) => JSON.stringify([workId, approvalId])

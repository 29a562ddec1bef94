/** Answers `GET /desk/overview`, `GET /desk/work` and `GET /desk/context` from what the watcher knows. */
import type { KnownApprovalStore } from "../contract/approvals.ts"
import type { Refusal } from "../contract/refusal.ts"
import { readZone } from "./days.ts"
import { takeContext } from "./decision-context.ts"
import { Decisions, type ReadDecisions } from "./decisions.ts"
import { DoneWork } from "./done-work.ts"
import type { DeskAnswer, FoundContext, ReadUpstream } from "./interface.ts"
import { isAddressable, type Known } from "./watch-state.ts"
import { KnownApprovals } from "./known-approvals.ts"
import { listOpenWork, readOpenWorkQuery } from "./open-work.ts"
import { takeOverview } from "./overview.ts"
import { INVALID, type Plan } from "./plan.ts"
import { readApprovalList, type ListedApproval } from "./resources.ts"

const COLLEAGUES_MAX = 500
const FIFTEEN_DAYS_MS = 15 * 86_400_000

export type GlanceSources = {
  readonly readUpstream: ReadUpstream
  /** Left out: what was read is forgotten with the process. */
  readonly knownApprovals?: KnownApprovalStore | undefined
  /** Left out: there is no record. */
  readonly readDecisions?: ReadDecisions | undefined
}

export class Glance {
  readonly approvals: KnownApprovals
  readonly done: DoneWork
  readonly #decisions: Decisions
  readonly #readUpstream: ReadUpstream

  constructor({ readUpstream, knownApprovals, readDecisions }: GlanceSources) {
    this.approvals = new KnownApprovals(knownApprovals)
    this.done = new DoneWork(this.approvals.doneWorks)
    this.#decisions = new Decisions(readDecisions)
    this.#readUpstream = readUpstream
  }

  /** Approvals of a Work were read; `doneVersion` where the Work is done. */
  readonly take = (workId: string, approvals: readonly ListedApproval[], doneVersion?: string): void => {
    this.approvals.read(workId, approvals)
    if (doneVersion !== undefined) this.approvals.readDoneWork(workId, doneVersion)
  }

  async overview(query: string, { known, isComplete }: Plan): Promise<DeskAnswer | Refusal> {
    const zone = readZone(new URLSearchParams(query).get("zone") ?? "UTC")
    if (zone === undefined) return invalid("zone must be the name of a time zone, as Europe/Oslo is.")
    await this.#decisions.refresh()
    const now = Date.now()
    const overview = takeOverview(
      {
        known,
        isComplete,
        done: this.done.created,
        isDoneListed: this.done.isListed,
        decisions: this.#decisions.since(now - FIFTEEN_DAYS_MS, this.approvals),
        recordedSince: this.#decisions.first,
      },
      now,
      zone,
    )
    return json(JSON.stringify(overview))
  }

  /** `pauseMs` is the time until the upstream is asked again. */
  work(query: string, { known }: Plan, pauseMs: number): DeskAnswer | Refusal {
    const asked = readOpenWorkQuery(query)
    if ("wrong" in asked) return invalid(`${asked.wrong} has a value that it does not take, or is there twice.`)
    const failure = asked.cursor === undefined ? known.listProblem : undefined
    if (failure !== undefined) {
      const retryAfter = pauseMs > 0 ? ["Retry-After", String(Math.ceil(pauseMs / 1_000))] : []
      const headers = ["Content-Type", "application/problem+json", ...retryAfter]
      return { status: failure.problem.status, headers, body: Buffer.from(failure.json), cause: failure.cause }
    }
    const { works, nextCursor, total, groups } = listOpenWork(known.works.values(), asked, Date.now())
    const members = [
      `"data":[${works.map((work) => work.json).join(",")}]`,
      ...(nextCursor === undefined ? [] : [`"next_cursor":${JSON.stringify(nextCursor)}`]),
      `"total":${total},"of":${known.total},"complete":${known.isListed && known.unwatched === 0}`,
      `"colleagues":${JSON.stringify(listColleagues(known))}`,
      ...(groups === undefined ? [] : [`"groups":${JSON.stringify(groups)}`]),
    ]
    return json(`{${members.join(",")}}`)
  }

  /** Reads the Work's approvals where the watcher does not know the approval. */
  async context(query: string, { known, isComplete }: Plan): Promise<FoundContext | DeskAnswer | Refusal> {
    const parameters = new URLSearchParams(query)
    const workId = parameters.get("work") ?? ""
    const approvalId = parameters.get("approval") ?? ""
    const isTwice = parameters.getAll("work").length + parameters.getAll("approval").length > 2
    if (workId === "" || approvalId === "" || isTwice) return invalid("work and approval must each be one id.")
    const approval =
      known.works.get(workId)?.approvals.find(({ id }) => id === approvalId) ??
      (await this.#readApproval(workId, approvalId))
    if (!("destination" in approval)) return approval
    await this.#decisions.refresh()
    const deciders = (work: string, id: string) => this.#decisions.personOf(work, id)
    const isAllRead = isComplete && this.done.isAllRead
    const { status, destination, colleague } = approval
    return {
      context: takeContext(workId, approval, this.approvals, known, isAllRead, deciders),
      pending: status === "pending" ? { workId, destination, colleague } : undefined,
    }
  }

  async #readApproval(workId: string, approvalId: string): Promise<ListedApproval | DeskAnswer | Refusal> {
    if (!isAddressable(workId)) return NOT_FOUND
    const target = `/api/v1/work/${encodeURIComponent(workId)}/approvals`
    const answer = await this.#readUpstream("listWorkApprovals", target, new AbortController().signal)
    if (answer.status !== 200) {
      const headers = ["Content-Type", "application/problem+json"]
      return { status: answer.status, headers, body: Buffer.from(answer.body), cause: answer.cause }
    }
    try {
      const approvals = readApprovalList(answer.body)
      this.approvals.read(workId, approvals)
      return approvals.find(({ id }) => id === approvalId) ?? NOT_FOUND
    } catch {
      return INVALID
    }
  }
}

/** Whose Work is open, so that a person can choose among them. */
function listColleagues({ works }: Known): readonly string[] {
  const colleagues = new Set([...works.values()].map(({ work }) => work.colleague))
  return [...colleagues].sort().slice(0, COLLEAGUES_MAX)
}

const NOT_FOUND: Refusal = {
  code: "PROXY_NOT_FOUND",
  status: 404,
  title: "Not Found",
  detail: "The service has no such approval.",
  retryable: false,
}

function invalid(detail: string): Refusal {
  return { code: "PROXY_QUERY_INVALID", status: 400, title: "Bad Request", detail, retryable: false }
}

function json(text: string): DeskAnswer {
  return { status: 200, headers: ["Content-Type", "application/json"], body: Buffer.from(text) }
}

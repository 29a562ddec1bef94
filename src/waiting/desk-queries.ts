/** Answers `GET /desk/overview`, `GET /desk/work` and `GET /desk/context` from the state of the watcher. */
import type { KnownApprovalStore, ReadDecisions } from "../contract/approvals.ts"
import { PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import { queryInvalid, type Refusal } from "../contract/refusal.ts"
import { readZone } from "./days.ts"
import { buildContext } from "./decision-context.ts"
import { Decisions } from "./decisions.ts"
import { DoneWork } from "./done-work.ts"
import type { DeskAnswer, FoundContext, ReadUpstream } from "./interface.ts"
import { isAddressable, type WatchState } from "./watch-state.ts"
import { KnownApprovals } from "./known-approvals.ts"
import { listOpenWork, readOpenWorkQuery } from "./open-work.ts"
import { buildOverview } from "./overview.ts"
import { upstreamInvalid, type ReadPlan } from "./read-plan.ts"
import { readApprovalList, type ListedApproval } from "./resources.ts"

const COLLEAGUES_MAX = 500
const FIFTEEN_DAYS_MS = 15 * 86_400_000

export type DeskQueriesSources = {
  readonly readUpstream: ReadUpstream
  /** Left out: known approvals are forgotten at the end of the process. */
  readonly knownApprovals?: KnownApprovalStore | undefined
  /** Left out: there is no record. */
  readonly readDecisions?: ReadDecisions | undefined
}

export class DeskQueries {
  readonly approvals: KnownApprovals
  readonly done: DoneWork
  readonly #decisions: Decisions
  readonly #readUpstream: ReadUpstream

  constructor({ readUpstream, knownApprovals, readDecisions }: DeskQueriesSources) {
    this.approvals = new KnownApprovals(knownApprovals)
    this.done = new DoneWork(this.approvals.doneWorks)
    this.#decisions = new Decisions(readDecisions)
    this.#readUpstream = readUpstream
  }

  /** Takes in the approvals of a Work. `doneVersion` is the version of a Work that is done. */
  readonly takeApprovals = (workId: string, approvals: readonly ListedApproval[], doneVersion?: string): void => {
    this.approvals.take(workId, approvals)
    if (doneVersion !== undefined) this.approvals.takeDoneWork(workId, doneVersion)
  }

  /** Answers `GET /desk/overview?zone=`. */
  async overview(query: string, { state, isComplete }: ReadPlan): Promise<DeskAnswer | Refusal> {
    const zone = readZone(new URLSearchParams(query).get("zone") ?? "UTC")
    if (zone === undefined) return queryInvalid("zone must be the name of a time zone, such as Europe/Oslo.")
    await this.#decisions.refresh()
    const now = Date.now()
    const overview = buildOverview(
      {
        state,
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

  /** Answers `GET /desk/work`. `pauseMs` is the time until the next request to the upstream. */
  work(query: string, { state }: ReadPlan, pauseMs: number): DeskAnswer | Refusal {
    const asked = readOpenWorkQuery(query)
    if ("wrong" in asked) return queryInvalid(`${asked.wrong} has a bad value, or is given twice.`)
    const failure = asked.cursor === undefined ? state.listFailure : undefined
    if (failure !== undefined) {
      const retryAfter = pauseMs > 0 ? ["Retry-After", String(Math.ceil(pauseMs / 1_000))] : []
      const headers = ["Content-Type", PROBLEM_MEDIA_TYPE, ...retryAfter]
      return { status: failure.problem.status, headers, body: Buffer.from(failure.json), cause: failure.cause }
    }
    const { works, nextCursor, total, groups } = listOpenWork(state.works.values(), asked, Date.now())
    const members = [
      `"data":[${works.map((work) => work.json).join(",")}]`,
      ...(nextCursor === undefined ? [] : [`"next_cursor":${JSON.stringify(nextCursor)}`]),
      `"total":${total},"of":${state.total},"complete":${state.isListed && state.unwatched === 0}`,
      `"colleagues":${JSON.stringify(listColleagues(state))}`,
      ...(groups === undefined ? [] : [`"groups":${JSON.stringify(groups)}`]),
    ]
    return json(`{${members.join(",")}}`)
  }

  /** Answers `GET /desk/context`. Reads the Work's approvals from the upstream when the watcher does not have the approval. */
  async context(query: string, { state, isComplete }: ReadPlan): Promise<FoundContext | DeskAnswer | Refusal> {
    const parameters = new URLSearchParams(query)
    const workId = parameters.get("work") ?? ""
    const approvalId = parameters.get("approval") ?? ""
    const isRepeated = parameters.getAll("work").length + parameters.getAll("approval").length > 2
    if (workId === "" || approvalId === "" || isRepeated) return queryInvalid("work and approval must each be one id.")
    const approval =
      state.works.get(workId)?.approvals.find(({ id }) => id === approvalId) ??
      (await this.#readApproval(workId, approvalId))
    if (!("destination" in approval)) return approval
    await this.#decisions.refresh()
    const findDecider = (work: string, id: string) => this.#decisions.personOf(work, id)
    const isAllRead = isComplete && this.done.isAllRead
    const { status, destination, colleague } = approval
    return {
      context: buildContext(workId, approval, this.approvals, state, isAllRead, findDecider),
      pending: status === "pending" ? { workId, destination, colleague } : undefined,
    }
  }

  async #readApproval(workId: string, approvalId: string): Promise<ListedApproval | DeskAnswer | Refusal> {
    if (!isAddressable(workId)) return approvalNotFound
    const target = `/api/v1/work/${encodeURIComponent(workId)}/approvals`
    const answer = await this.#readUpstream("listWorkApprovals", target, new AbortController().signal)
    if (answer.status !== 200) {
      const headers = ["Content-Type", PROBLEM_MEDIA_TYPE]
      return { status: answer.status, headers, body: Buffer.from(answer.body), cause: answer.cause }
    }
    try {
      const approvals = readApprovalList(answer.body)
      this.approvals.take(workId, approvals)
      return approvals.find(({ id }) => id === approvalId) ?? approvalNotFound
    } catch {
      return upstreamInvalid
    }
  }
}

/** The colleagues that have open Work, so that a person can choose one. */
function listColleagues({ works }: WatchState): readonly string[] {
  const colleagues = new Set([...works.values()].map(({ work }) => work.colleague))
  return [...colleagues].sort().slice(0, COLLEAGUES_MAX)
}

const approvalNotFound: Refusal = {
  code: "PROXY_NOT_FOUND",
  status: 404,
  title: "Not Found",
  detail: "The service has no such approval.",
  retryable: false,
}

function json(text: string): DeskAnswer {
  return { status: 200, headers: ["Content-Type", "application/json"], body: Buffer.from(text) }
}

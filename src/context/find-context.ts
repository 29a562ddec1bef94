/** Answers `GET /desk/context`: what a person should know before they decide about an approval. */
import { isRefusal, type Refusal } from "../http/refusal.ts"
import type { ApprovalInQuestion } from "../people/rules/rules.ts"
import type { DecisionContext } from "../contract/desk-work.ts"
import { readApprovalList, type ListedApproval } from "../waiting/resources.ts"
import { isAddressable } from "../http/path-match.ts"
import { type DeskAnswer, problemAnswer, type ReadUpstream } from "../waiting/answers.ts"
import type { DoneWorkReads } from "../waiting/done-work-reads.ts"
import type { Watcher } from "../waiting/watcher.ts"
import type { Audience } from "../waiting/views.ts"
import { buildContext } from "./build-context.ts"
import type { Decisions } from "./decisions.ts"
import type { KnownApprovals } from "./known-approvals.ts"
import { notFound, queryInvalid, upstreamInvalid } from "../http/refusals.ts"

export type FoundContext = {
  readonly context: DecisionContext
  /** The approval, for the check of the rules. Undefined when it is resolved. */
  readonly pending: ApprovalInQuestion | undefined
}

export type ContextSources = {
  readonly readUpstream: ReadUpstream
  readonly watcher: Watcher
  readonly done: DoneWorkReads
  readonly approvals: KnownApprovals
  readonly decisions: Decisions
}

/**
 * Finds the context of an approval in one version (`work=&approval=&version=`), or without `version` in the present version. The caller has
 * checked that the person sees the Work. When the watcher does not have this version, the Work's approvals are read from the upstream.
 * @returns the context without `may`, or the upstream's Problem, or a refusal
 */
export async function findContext(
  query: string,
  audience: Audience,
  sources: ContextSources,
): Promise<FoundContext | DeskAnswer | Refusal> {
  const { watcher, done, approvals, decisions } = sources
  const state = watcher.use()
  await approvals.load()
  const asked = readContextQuery(query)
  if (isRefusal(asked)) return asked
  const { workId, approvalId, version } = asked
  const isAskedVersion = (of: ListedApproval) => version === undefined || String(of.version) === version
  const watched = state.works.get(workId)?.approvals.find(({ id }) => id === approvalId)
  const approval =
    watched !== undefined && isAskedVersion(watched) ? watched : await readApproval(workId, approvalId, sources)
  if (!("destination" in approval)) return approval
  if (!isAskedVersion(approval)) return versionNotCurrent
  await decisions.refresh()
  const { status, destination, colleague } = approval
  const view = watcher.views.of(audience)
  const seen = {
    works: view.works,
    sees: (id: string) => watcher.views.seesWork(audience, id),
    isComplete: state.isCompleteFor(view.works) && done.isAllRead,
  }
  return {
    context: await buildContext(workId, approval, approvals, seen, decisions),
    pending: status === "pending" ? { workId, destination, colleague } : undefined,
  }
}

async function readApproval(
  workId: string,
  approvalId: string,
  { readUpstream, approvals }: ContextSources,
): Promise<ListedApproval | DeskAnswer | Refusal> {
  if (!isAddressable(workId)) return notFound
  const target = `/api/v1/work/${encodeURIComponent(workId)}/approvals`
  const answer = await readUpstream("listWorkApprovals", target, new AbortController().signal)
  if (answer.status === 404) return notFound
  if (answer.status !== 200) return problemAnswer(answer.status, answer.body, answer.cause)
  try {
    const read = readApprovalList(answer.body)
    approvals.take(workId, read)
    return read.find(({ id }) => id === approvalId) ?? notFound
  } catch {
    return upstreamInvalid
  }
}

type ContextQuery = { readonly workId: string; readonly approvalId: string; readonly version: string | undefined }

/** Reads the query of `GET /desk/context`. */
export function readContextQuery(query: string): ContextQuery | Refusal {
  const parameters = new URLSearchParams(query)
  const workId = parameters.get("work") ?? ""
  const approvalId = parameters.get("approval") ?? ""
  const version = parameters.get("version") ?? undefined
  const isRepeated = ["work", "approval", "version"].some((name) => parameters.getAll(name).length > 1)
  if (workId === "" || approvalId === "" || isRepeated) return queryInvalid("work and approval must each be one id.")
  if (version !== undefined && !/^-?\d+$/.test(version)) return queryInvalid("version must be a whole number.")
  return { workId, approvalId, version }
}

const versionNotCurrent: Refusal = { ...notFound, detail: "The approval has another version now." }

/** Answers `GET /desk/context`: what a person should know before a decision about an approval. */
import * as v from "valibot"
import { type Refusal, notFound, upstreamInvalid } from "../../platform/http/refusals.ts"
import { readQuery } from "../../platform/http/query-parameters.ts"
import { Refused } from "../../platform/http/send.ts"
import type { ApprovalInQuestion } from "../people/rules/rules.ts"
import type { DecisionContext } from "../../contract/desk-work.ts"
import { readApprovalList, type ListedApproval } from "../watcher/read-resources.ts"
import { addressOfWork, isAddressable } from "../../platform/http/path-match.ts"
import type { Origin } from "../../platform/http/request-context.ts"
import type { ReadUpstream } from "../watcher/read-plan.ts"
import type { DoneWorkReads } from "../watcher/done-work-reads.ts"
import type { Watcher } from "../watcher/watcher.ts"
import type { Audience } from "../watcher/visible-work.ts"
import { buildContext } from "./build-context.ts"
import type { Decisions } from "./decisions.ts"
import type { KnownApprovals } from "./known-approvals.ts"

const id = v.pipe(v.string(), v.minLength(1))
const parameters = v.object({
  work: id,
  approval: id,
  version: v.optional(v.pipe(v.string(), v.regex(/^-?\d+$/))),
})

export type ContextQuery = v.InferOutput<typeof parameters>

/** Reads the query of `GET /desk/context`. @throws Refused */
export const readContextQuery = (query: string): ContextQuery => readQuery(parameters, query)

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
  /** The id of the Work that a Work replaces. */
  readonly findInsteadOf: (workId: string) => Promise<string | undefined>
}

/**
 * Finds the context of an approval in one version (`work=&approval=&version=`), or without `version` in the present version. The caller has
 * checked that the person sees the Work. When the watcher does not have this version, the Work's approvals are read from the upstream.
 * @returns the context without `may`
 * @throws Refused
 */
export async function findContext(
  { work: workId, approval: approvalId, version }: ContextQuery,
  audience: Audience,
  sources: ContextSources,
  origin: Origin,
): Promise<FoundContext> {
  const { watcher, done, approvals, decisions, findInsteadOf } = sources
  const state = watcher.wake()
  await approvals.load()
  const isAskedVersion = (of: ListedApproval) => version === undefined || String(of.version) === version
  const watched = state.works.get(workId)?.approvals.find(({ id }) => id === approvalId)
  const approval =
    watched !== undefined && isAskedVersion(watched) ? watched : await readApproval(workId, approvalId, sources, origin)
  if (!isAskedVersion(approval)) throw new Refused(versionNotCurrent)
  await decisions.refresh()
  await watcher.visibleWork.readPeople(Iterator.from(approvals.all()).map(({ workId }) => workId))
  const { status, destination, colleague } = approval
  const visible = watcher.visibleWork.of(audience)
  const seen = {
    works: visible.works,
    sees: (id: string) => watcher.visibleWork.seesWork(audience, id),
    isComplete: state.isCompleteFor(visible.works) && done.isAllRead,
  }
  return {
    context: await buildContext(
      { workId, approval, insteadOf: await findInsteadOf(workId) },
      approvals,
      seen,
      decisions,
    ),
    pending: status === "pending" ? { workId, destination, colleague } : undefined,
  }
}

async function readApproval(
  workId: string,
  approvalId: string,
  { readUpstream, approvals }: ContextSources,
  origin: Origin,
): Promise<ListedApproval> {
  if (!isAddressable(workId)) throw new Refused(notFound)
  const target = `${addressOfWork(workId)}/approvals`
  const answer = await readUpstream("listWorkApprovals", target, new AbortController().signal, origin)
  if (answer.status === 404) throw new Refused(notFound)
  if (answer.status !== 200) throw new Refused(answer)
  const read = readIfValid(String(answer.body))
  if (read === undefined) throw new Refused(upstreamInvalid)
  approvals.apply(workId, read)
  const approval = read.find(({ id }) => id === approvalId)
  if (approval === undefined) throw new Refused(notFound)
  return approval
}

function readIfValid(body: string): readonly ListedApproval[] | undefined {
  try {
    return readApprovalList(body)
  } catch {
    return undefined
  }
}

const versionNotCurrent: Refusal = { ...notFound, detail: "The approval has a newer version." }

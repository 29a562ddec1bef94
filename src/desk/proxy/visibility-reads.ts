/** How a check of visibility reads what the watcher does not know. */
import { operations } from "../../contract/operations.ts"
import { isObject, type JsonObject } from "../../platform/http/json-object.ts"
import { addressOfWork } from "../../platform/http/path-match.ts"
import { isRefusal, type Refusal, upstreamInvalid } from "../../platform/http/refusals.ts"
import { readPendingForVisibility, readWorkForVisibility } from "../watcher/visibility-members.ts"
import type { SharedReads } from "./shared-reads.ts"
import type { Answer } from "../../platform/http/send.ts"
import type { Origin } from "../../platform/http/request-context.ts"
import { ACCEPT_JSON } from "./upstream-request.ts"

export const NOT_FOUND = 404

/** A Work that a person asks for. */
export type AskedWork = {
  readonly workId: string
  /** The address of getWork, with the id as the client wrote it. */
  readonly target: string
  readonly origin: Origin
  /** Whether the read must not join one that began earlier. */
  readonly isFresh?: boolean
}

/** A Work whose id is not in an address of the API. */
export function askedWork(workId: string, origin: Origin): AskedWork {
  return { workId, target: addressOfWork(workId), origin }
}

/** Reads a Work and, with `hasApprovals`, its approvals. An unknown Work costs both reads too, so that the time does not show what is unknown. */
export async function readVisibility(reads: SharedReads, asked: AskedWork, hasApprovals: boolean) {
  const [answer, approvals] = await Promise.all([
    readForCheck(reads, "getWork", asked.target, asked),
    hasApprovals ? readForCheck(reads, "listWorkApprovals", `${asked.target}/approvals`, asked) : undefined,
  ])
  const work = readIf(answer, (json) => readWorkForVisibility(json, asked.workId))
  const pending = approvals === undefined ? "absent" : readIf(approvals, readPendingForVisibility)
  return {
    /** Undefined: the Work is absent, or the read failed. */
    work: typeof work === "object" ? work : undefined,
    pending: typeof pending === "object" ? pending : [],
    /** The answer to getWork. */
    answer,
    /** Why it is not known whether the Work or its approvals are there. Undefined: both answers said so. */
    failure: failureIf(work === "failed", answer) ?? failureIf(pending === "failed", approvals),
  }
}

const failureIf = (hasFailed: boolean, answer: Answer | Refusal | undefined) =>
  hasFailed && answer !== undefined ? toFailure(answer) : undefined

/** What the client gets of an answer that does not say what was asked. A success that cannot be read is a failure too. */
export function toFailure(answer: Answer | Refusal): Answer | Refusal {
  const isUnreadable = !isRefusal(answer) && answer.status < 400
  return isUnreadable ? { ...upstreamInvalid, cause: "not_the_operation" } : answer
}

/** Reads a resource for a check, or joins a read of it that is in flight. */
export function readForCheck(
  reads: SharedReads,
  operation: "getWork" | "listWorkApprovals" | "listWorkAttention" | "listWorkArtifacts" | "getInputUpload",
  target: string,
  { origin, isFresh = false }: Pick<AskedWork, "origin" | "isFresh">,
): Promise<Answer | Refusal> {
  return reads.get({ operation: operations[operation], target, headers: ACCEPT_JSON, origin }, { isFresh })
}

/** Reads an answer. `failed`: the upstream did not say whether the resource is there. */
export function readIf<Resource extends object>(
  answer: Answer | Refusal,
  read: (json: JsonObject) => Resource,
): Resource | "absent" | "failed" {
  if (isRefusal(answer)) return "failed"
  if (answer.status === NOT_FOUND) return "absent"
  return answer.status === 200 && answer.json !== undefined ? read(answer.json) : "failed"
}

/** The ids of a list. */
export function idsInList({ data }: JsonObject): readonly unknown[] {
  return Array.isArray(data) ? data.map((item: unknown) => (isObject(item) ? item["id"] : undefined)) : []
}

/** How many Works are read at once for one list. */
const READS_AT_ONCE = 4

/** Calls `work` for each item, for at most READS_AT_ONCE of them at the same time. */
export async function inParallel<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const left = Iterator.from(items)
  const workOnNext = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, workOnNext))
}

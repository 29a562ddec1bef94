/** Reads the upstream's answers. Checks the members that the watcher needs, and keeps each whole object as JSON text. */
import * as v from "valibot"
import { parseExact } from "../contract/int64.ts"
import { isProblem } from "../contract/problem.ts"
import type { Problem } from "../contract/resources.ts"
import { readTime } from "../contract/waiting-change.ts"
import { isObject } from "../http/json-object.ts"
import type { AskedApproval } from "../people/rules/rules.ts"
import { canonicalJson } from "../record/canonical-json.ts"
import { optional } from "../store/tables.ts"

/** The body of an answer with 200 is not what openapi.yaml says of the operation. */
export class InvalidAnswerError extends Error {}

/** A moment in milliseconds since 1970, and NaN when the text is no date. */
const time = v.pipe(v.string(), v.transform(readTime))

/** A member that may be left out. Some services write null for such a member. */
const optionalText = v.optional(optional(v.string()))
const optionalTime = v.optional(optional(time))

const integer = v.pipe(
  v.unknown(),
  v.transform((value) => {
    const written = JSON.stringify(value) ?? ""
    if (/^-?\d+$/.test(written)) return BigInt(written)
    // JSON Schema counts `1e3` and `3.0` as integers too.
    const number = /^[-\d]/.test(written) ? Number(written) : Number.NaN
    return Number.isSafeInteger(number) ? BigInt(number) : undefined
  }),
  v.bigint(),
)

const workMembers = v.object({
  id: v.pipe(v.string(), v.nonEmpty()),
  title: v.string(),
  objective: v.string(),
  status: v.string(),
  colleague_id: v.string(),
  visibility_scope: optionalText,
  priority: v.string(),
  version: integer,
  created_at: time,
  updated_at: time,
  due_at: optionalTime,
  current_attention_id: optionalText,
  attention_question: optionalText,
})

const itemMembers = { id: v.string(), version: integer, status: v.string(), created_at: time }

const clarificationMembers = v.object({ ...itemMembers, title: v.string() })

const approvalMembers = v.object({
  ...itemMembers,
  summary: v.string(),
  resolved_at: optionalTime,
  requested_by_colleague: v.string(),
  destination: v.string(),
  subject: v.string(),
  body: v.string(),
})

const list = v.object({ data: v.array(v.unknown()), next_cursor: optionalText })

/** A Work as the upstream last sent it. `json` is the whole Work, its values as the upstream wrote them. */
export type ListedWork = Readonly<ReturnType<typeof readWork>>
export type ListedClarification = Readonly<ReturnType<typeof readClarification>>
export type ListedApproval = Readonly<ReturnType<typeof readApproval>>
export type ListedItem = ListedClarification | ListedApproval

/** Reads an answer to listWork: a page, and the cursor of the next page. @throws InvalidAnswerError */
export function readWorkPage(body: string): {
  readonly works: readonly ListedWork[]
  readonly nextCursor: string | undefined
} {
  const { data, next_cursor: nextCursor } = check(list, parse(body))
  return { works: data.map(readWork), nextCursor }
}

/** Reads an answer to getWork. @throws InvalidAnswerError */
export const readOneWork = (body: string): ListedWork => readWork(parse(body))

/** Reads an answer to listWorkAttention. @throws InvalidAnswerError */
export const readClarifications = (body: string): readonly ListedClarification[] =>
  check(list, parse(body)).data.map(readClarification)

/** Reads an answer to listWorkApprovals. @throws InvalidAnswerError */
export const readApprovalList = (body: string): readonly ListedApproval[] =>
  check(list, parse(body)).data.map(readApproval)

/** Reads an answer to resolveWorkApproval. @throws InvalidAnswerError */
export const readOneApproval = (body: string): ListedApproval => readApproval(parse(body))

function readWork(value: unknown) {
  const work = check(workMembers, value)
  const { id, title, objective, status, priority, version } = work
  return {
    id,
    title,
    objective,
    status,
    priority,
    version,
    colleague: work.colleague_id,
    // Without a scope the Work is concealed, as with any unknown scope.
    scope: work.visibility_scope ?? "",
    createdAt: work.created_at,
    updatedAt: work.updated_at,
    dueAt: work.due_at,
    clarificationId: work.current_attention_id,
    question: work.attention_question ?? "",
    json: canonicalJson(value),
  }
}

function readClarification(value: unknown) {
  const { created_at: createdAt, ...item } = check(clarificationMembers, value)
  return { kind: "clarification" as const, ...item, createdAt, json: canonicalJson(value) }
}

function readApproval(value: unknown) {
  const found = check(approvalMembers, value)
  const {
    summary: title,
    created_at: createdAt,
    resolved_at: resolvedAt,
    requested_by_colleague: colleague,
    ...item
  } = found
  return { kind: "approval" as const, ...item, title, createdAt, resolvedAt, colleague, json: canonicalJson(value) }
}

function parse(body: string): unknown {
  try {
    return parseExact(body)
  } catch {
    throw new InvalidAnswerError("the body is not JSON")
  }
}

function check<Output>(schema: v.GenericSchema<unknown, Output>, value: unknown): Output {
  const found = v.safeParse(schema, value, { abortEarly: true })
  if (found.success) return found.output
  throw new InvalidAnswerError(`${v.getDotPath(found.issues[0]) ?? "the value"} is not as openapi.yaml says`)
}

/** Reads the body of an error. Gives undefined when it is not a Problem. */
export function readProblem(body: string): { readonly problem: Problem; readonly json: string } | undefined {
  try {
    const value = parseExact(body)
    return isProblem(value) ? { problem: value, json: canonicalJson(value) } : undefined
  } catch {
    return undefined
  }
}

/** The members of a Work that decide who sees it. */
export type WorkInSight = Pick<ListedWork, "id" | "scope" | "colleague" | "createdAt" | "status">

const textInSight = v.fallback(v.string(), "")
const optionalTextInSight = v.fallback(v.optional(v.string()), undefined)
const listInSight = v.fallback(v.array(v.unknown()), [])

const workInSight = v.object({
  id: optionalTextInSight,
  visibility_scope: textInSight,
  colleague_id: textInSight,
  created_at: textInSight,
  status: textInSight,
})

/**
 * Reads what decides who sees a Work. A member that is missing or is no text conceals the Work. The other members are not checked, because the
 * client gets them as the upstream sent them. `otherId` stands in for a missing id.
 */
export function readWorkInSight(work: object, otherId: string): WorkInSight {
  const { id = otherId, visibility_scope: scope, colleague_id: colleague, ...more } = v.parse(workInSight, work)
  return { id, scope, colleague, createdAt: readTime(more.created_at), status: more.status }
}

/** A Work of a page of listWork. JSON.stringify writes `value` as the upstream wrote it: the same numbers, the members in the same order. */
export type WorkOnPage = WorkInSight & { readonly value: object }

const pageInSight = v.object({ data: listInSight, next_cursor: optionalTextInSight })

/** Reads a page of listWork as `readWorkInSight` reads a Work. Undefined when the body is no object. */
export function readPageInSight(
  body: string,
): { readonly works: readonly WorkOnPage[]; readonly nextCursor?: string } | undefined {
  const page = parseExactObject(body)
  if (page === undefined) return undefined
  const { data, next_cursor: nextCursor } = v.parse(pageInSight, page)
  const works = data.filter((value) => typeof value === "object" && value !== null)
  return {
    works: works.map((value) => ({ ...readWorkInSight(value, ""), value })),
    ...(nextCursor !== undefined && { nextCursor }),
  }
}

const pendingInSight = v.object({
  status: v.literal("pending"),
  destination: v.string(),
  requested_by_colleague: v.string(),
})

/** The pending approvals of an answer to listWorkApprovals, as the rules look at them. */
export function readPendingInSight(list: object): readonly AskedApproval[] {
  return v.parse(pageInSight, list).data.flatMap((value) => {
    const { success, output } = v.safeParse(pendingInSight, value)
    return success ? [{ destination: output.destination, colleague: output.requested_by_colleague }] : []
  })
}

function parseExactObject(body: string): object | undefined {
  try {
    const value = parseExact(body)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

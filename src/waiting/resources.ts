/** Reads the upstream's answers. Checks the members that the watcher needs, and keeps each whole object as JSON text. */
import { isProblem } from "../contract/problem.ts"
import type { Problem } from "../contract/resources.ts"
import type { AskedApproval } from "../people/rules/rules.ts"
import { canonicalJson } from "../record/canonical-json.ts"
import { parseExact } from "../contract/int64.ts"

/** A Work as the upstream last sent it. */
export type ListedWork = {
  readonly id: string
  readonly title: string
  readonly objective: string
  readonly status: string
  readonly colleague: string
  /** `visibility_scope`. Empty when the upstream sent none, which conceals the Work as any other unknown scope does. */
  readonly scope: string
  readonly priority: string
  readonly version: bigint
  /** All times are milliseconds since 1970, and NaN when the upstream's text is not a date. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly dueAt: number | undefined
  readonly clarificationId: string | undefined
  readonly question: string
  /** The whole Work as JSON, its values as the upstream wrote them. */
  readonly json: string
}

type ItemMembers = {
  readonly id: string
  readonly version: bigint
  readonly status: string
  readonly title: string
  readonly createdAt: number
  readonly json: string
}

export type ListedClarification = ItemMembers & { readonly kind: "clarification" }

export type ListedApproval = ItemMembers & {
  readonly kind: "approval"
  readonly resolvedAt: number | undefined
  readonly colleague: string
  readonly destination: string
  readonly subject: string
  readonly body: string
}

export type ListedItem = ListedClarification | ListedApproval

/** The body of an answer with 200 is not what openapi.yaml says of the operation. */
export class InvalidAnswerError extends Error {}

/** Reads an answer to listWork: a page, and the cursor of the next page. @throws InvalidAnswerError */
export function readWorkPage(body: string): { readonly works: readonly ListedWork[]; readonly nextCursor?: string } {
  const page = objectOf(parse(body))
  const nextCursor = optionalText(page, "next_cursor")
  return { works: listOf(page).map(readWork), ...(nextCursor !== undefined && { nextCursor }) }
}

/** Reads an answer to getWork. @throws InvalidAnswerError */
export function readOneWork(body: string): ListedWork {
  return readWork(parse(body))
}

/** Reads an answer to listWorkAttention. @throws InvalidAnswerError */
export function readClarifications(body: string): readonly ListedClarification[] {
  return listOf(objectOf(parse(body))).map((value) => ({
    kind: "clarification",
    ...readItem(objectOf(value), "title"),
  }))
}

/** Reads an answer to listWorkApprovals. @throws InvalidAnswerError */
export function readApprovalList(body: string): readonly ListedApproval[] {
  return listOf(objectOf(parse(body))).map(readApproval)
}

/** Reads an answer to resolveWorkApproval. @throws InvalidAnswerError */
export function readOneApproval(body: string): ListedApproval {
  return readApproval(parse(body))
}

function readApproval(value: unknown): ListedApproval {
  const item = objectOf(value)
  return {
    kind: "approval",
    ...readItem(item, "summary"),
    resolvedAt: optionalTime(item, "resolved_at"),
    colleague: text(item, "requested_by_colleague"),
    destination: text(item, "destination"),
    subject: text(item, "subject"),
    body: text(item, "body"),
  }
}

/** What every item has. `title` is the name of the member with its title. */
function readItem(item: object, title: string): ItemMembers {
  return {
    id: text(item, "id"),
    version: integer(item, "version"),
    status: text(item, "status"),
    title: text(item, title),
    createdAt: time(item, "created_at"),
    json: canonicalJson(item),
  }
}

/** The members of a Work that decide who sees it. */
export type WorkInSight = Pick<ListedWork, "id" | "scope" | "colleague" | "createdAt" | "status">

/**
 * Reads what decides who sees a Work. A member that is missing or is no text conceals the Work. The other members are not checked, because the
 * client gets them as the upstream sent them. `id` stands in for a missing id.
 */
export function readWorkInSight(work: object, id: string): WorkInSight {
  const of = (name: string, other = "") => {
    const found = member(work, name)
    return typeof found === "string" ? found : other
  }
  return {
    id: of("id", id),
    scope: of("visibility_scope"),
    colleague: of("colleague_id"),
    createdAt: readTime(of("created_at")),
    status: of("status"),
  }
}

/** A Work of a page of listWork. JSON.stringify writes `value` as the upstream wrote it: the same numbers, the members in the same order. */
export type WorkOnPage = WorkInSight & { readonly value: object }

/** Reads a page of listWork as `readWorkInSight` reads a Work. Undefined when the body is no object. */
export function readPageInSight(
  body: string,
): { readonly works: readonly WorkOnPage[]; readonly nextCursor?: string } | undefined {
  const page = parseExactObject(body)
  if (page === undefined) return undefined
  const [data, cursor] = [member(page, "data"), member(page, "next_cursor")]
  const works = (Array.isArray(data) ? data : []).filter((value) => typeof value === "object" && value !== null)
  return {
    works: works.map((value) => ({ ...readWorkInSight(value, ""), value })),
    ...(typeof cursor === "string" && { nextCursor: cursor }),
  }
}

/** The pending approvals of an answer to listWorkApprovals, as the rules look at them. */
export function readPendingInSight(list: object): readonly AskedApproval[] {
  const data = member(list, "data")
  if (!Array.isArray(data)) return []
  return data.flatMap((value: unknown) => {
    if (typeof value !== "object" || value === null || member(value, "status") !== "pending") return []
    const [destination, colleague] = [member(value, "destination"), member(value, "requested_by_colleague")]
    return typeof destination === "string" && typeof colleague === "string" ? [{ destination, colleague }] : []
  })
}

function parseExactObject(body: string): object | undefined {
  try {
    const value = parseExact(body)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
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

function readWork(value: unknown): ListedWork {
  const work = objectOf(value)
  const id = text(work, "id")
  if (id === "") throw new InvalidAnswerError("id is empty")
  return {
    id,
    title: text(work, "title"),
    objective: text(work, "objective"),
    status: text(work, "status"),
    colleague: text(work, "colleague_id"),
    scope: optionalText(work, "visibility_scope") ?? "",
    priority: text(work, "priority"),
    version: integer(work, "version"),
    createdAt: time(work, "created_at"),
    updatedAt: time(work, "updated_at"),
    dueAt: optionalTime(work, "due_at"),
    clarificationId: optionalText(work, "current_attention_id"),
    question: optionalText(work, "attention_question") ?? "",
    json: canonicalJson(value),
  }
}

function parse(body: string): unknown {
  try {
    return parseExact(body)
  } catch {
    throw new InvalidAnswerError("the body is not JSON")
  }
}

function objectOf(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new InvalidAnswerError("not an object")
  return value
}

function listOf(value: object): readonly unknown[] {
  const data = member(value, "data")
  if (!Array.isArray(data)) throw new InvalidAnswerError("data is not a list")
  return data
}

function member(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

function text(value: object, name: string): string {
  const found = member(value, name)
  if (typeof found !== "string") throw new InvalidAnswerError(`${name} is not a string`)
  return found
}

function optionalText(value: object, name: string): string | undefined {
  // Some services write null for a member that is left out.
  return member(value, name) === null || member(value, name) === undefined ? undefined : text(value, name)
}

function integer(value: object, name: string): bigint {
  const found = JSON.stringify(member(value, name)) ?? ""
  if (/^-?\d+$/.test(found)) return BigInt(found)
  // JSON Schema counts `1e3` and `3.0` as integers too.
  const number = /^[-\d]/.test(found) ? Number(found) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new InvalidAnswerError(`${name} is not an integer`)
  return BigInt(number)
}

const time = (value: object, name: string) => readTime(text(value, name))

/** Reads a time in milliseconds, with its fraction. Many services write microseconds, which Date.parse drops. */
function readTime(written: string): number {
  const finer = /\.\d{3}(\d+)/.exec(written)?.[1]
  return Date.parse(written) + (finer === undefined ? 0 : Number(`0.${finer}`))
}

function optionalTime(value: object, name: string): number | undefined {
  const found = optionalText(value, name)
  return found === undefined ? undefined : readTime(found)
}

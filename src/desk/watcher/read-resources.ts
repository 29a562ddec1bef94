/** Reads the upstream's answers. Checks the members that the watcher needs, and keeps each whole object as JSON text. */
import * as v from "valibot"
import { parseExact } from "../../contract/int64.ts"
import { cutText, ID_MAX_CHARACTERS, rowLimitOf } from "../../contract/limits.ts"
import { isProblem } from "../../contract/problem.ts"
import type { Problem } from "../../contract/resources.ts"
import { readTime } from "../../contract/waiting-change.ts"
import { canonicalJson } from "../record/canonical-json.ts"
import { optional } from "../store/tables.ts"
import { writeItem, writeRow } from "./listed-json.ts"

/** The body of an answer with 200 is not what openapi.yaml says of the operation. */
export class InvalidAnswerError extends Error {}

/** A time in milliseconds since 1970; NaN if the text isn't a date. */
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

const workId = v.pipe(v.string(), v.nonEmpty(), v.maxLength(ID_MAX_CHARACTERS))

const workMembers = v.object({
  id: workId,
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

/** What can still be read of a Work that doesn't match openapi.yaml. Without an id, nothing can. */
const unreadMembers = v.object({
  id: workId,
  status: v.string(),
  version: v.fallback(integer, 0n),
  created_at: v.fallback(time, Number.NaN),
  // With any text the clarifications are read, which says whether there are any.
  current_attention_id: v.fallback(optionalText, "unread"),
})

const itemMembers = {
  id: v.pipe(v.string(), v.maxLength(ID_MAX_CHARACTERS)),
  work_id: v.string(),
  version: integer,
  status: v.string(),
  created_at: time,
}

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

/**
 * A Work as the upstream last sent it. `json` is the Work for a row: its values as the upstream wrote them, but long texts are cut (`limits.ts`).
 * `isUnread`: it doesn't match openapi.yaml, so it counts as private, and its row says so.
 */
export type ListedWork = Readonly<ReturnType<typeof readWork>>
export type ListedClarification = Readonly<ReturnType<typeof readClarification>>
export type ListedApproval = Readonly<ReturnType<typeof readApproval>>
export type ListedItem = ListedClarification | ListedApproval

/** Reads a page of listWork. `unnamed` is the number of Works left out because their id or status can't be read. @throws InvalidAnswerError */
export function readWorkPage(body: string): {
  readonly works: readonly ListedWork[]
  readonly unnamed: number
  readonly nextCursor: string | undefined
} {
  const { data, next_cursor: nextCursor } = check(list, parse(body))
  const works = data.flatMap((value) => readListedWork(value) ?? [])
  return { works, unnamed: data.length - works.length, nextCursor }
}

/** Reads an answer to getWork. @throws InvalidAnswerError */
export function readOneWork(body: string): ListedWork {
  const work = readListedWork(parse(body))
  if (work === undefined) throw new InvalidAnswerError("the Work has no id or no status")
  return work
}

function readListedWork(value: unknown): ListedWork | undefined {
  const found = v.safeParse(workMembers, value, { abortEarly: true })
  if (found.success) return readWork(found.output, value)
  const unread = v.safeParse(unreadMembers, value)
  return unread.success ? readUnread(unread.output) : undefined
}

/** The items of a Work, and those that are not as openapi.yaml says and may wait. */
export type ItemList<Item> = {
  readonly items: readonly Item[]
  /** The ids. Undefined for an item whose id cannot be read either. */
  readonly unread: readonly (string | undefined)[]
}

/** Reads an answer to listWorkAttention. @throws InvalidAnswerError */
export const readClarifications = (body: string): ItemList<ListedClarification> => readItems(body, readClarification)

/** Reads an answer to listWorkApprovals. @throws InvalidAnswerError */
export const readApprovals = (body: string): ItemList<ListedApproval> => readItems(body, readApproval)

/** As `readApprovals`, without those that cannot be read. @throws InvalidAnswerError */
export const readApprovalList = (body: string): readonly ListedApproval[] => readApprovals(body).items

const unreadItem = v.object({ id: v.fallback(optionalText, undefined), status: v.fallback(optionalText, undefined) })

/** An item that cannot be read hides no other item of its Work. */
function readItems<Item>(body: string, read: (value: unknown) => Item): ItemList<Item> {
  const items: Item[] = []
  const unread: (string | undefined)[] = []
  for (const value of check(list, parse(body)).data) {
    try {
      items.push(read(value))
    } catch (error) {
      if (!(error instanceof InvalidAnswerError)) throw error
      const { success, output } = v.safeParse(unreadItem, value)
      const { id, status } = success ? output : {}
      if (status === undefined || status === "pending" || status === "open") unread.push(id)
    }
  }
  return { items, unread }
}

/** How many Artifacts an answer to listWorkArtifacts has. @throws InvalidAnswerError */
export const countArtifacts = (body: string): number => check(list, parse(body)).data.length

/** Reads an answer to resolveWorkApproval. @throws InvalidAnswerError */
export const readOneApproval = (body: string): ListedApproval => readApproval(parse(body))

function readWork(work: v.InferOutput<typeof workMembers>, value: unknown) {
  const { id, title, objective, status, priority, version } = work
  return {
    id,
    title: cutText(title),
    objective: cutText(objective, rowLimitOf("objective")),
    status,
    priority: cutText(priority),
    version,
    isUnread: false,
    colleague: work.colleague_id,
    // Without a scope the Work is concealed, as with any unknown scope.
    scope: work.visibility_scope ?? "",
    createdAt: work.created_at,
    updatedAt: work.updated_at,
    dueAt: work.due_at,
    clarificationId: work.current_attention_id,
    question: cutText(work.attention_question ?? ""),
    json: writeRow(value, ROW_MEMBERS),
  }
}

/** The names of openapi.yaml. A row that is too long keeps no others. */
const ROW_MEMBERS: ReadonlySet<string> = new Set([
  ...Object.keys(workMembers.entries),
  "human_owner_id",
  "created_by",
  "completion_summary",
])

/** A Work that cannot be read, with a row that has every member that openapi.yaml demands. */
function readUnread({
  id,
  status,
  version,
  ...found
}: v.InferOutput<typeof unreadMembers>): ReturnType<typeof readWork> {
  const { created_at: createdAt, current_attention_id: clarificationId } = found
  const title = cutText(id)
  const at = new Date(Number.isNaN(createdAt) ? 0 : createdAt).toISOString()
  const texts = { id, title, objective: "", status, colleague_id: "", human_owner_id: "", created_by: "" }
  const json = canonicalJson({
    ...texts,
    visibility_scope: "private",
    priority: "normal",
    version,
    created_at: at,
    updated_at: at,
    unread: true,
  })
  return {
    id,
    title,
    objective: "",
    status,
    version,
    createdAt,
    clarificationId,
    json,
    priority: "normal",
    colleague: "",
    scope: "",
    question: "",
    updatedAt: createdAt,
    dueAt: undefined,
    isUnread: true,
  }
}

function readClarification(value: unknown) {
  const { created_at: createdAt, title, ...item } = check(clarificationMembers, value)
  return { kind: "clarification" as const, ...item, title: cutText(title), createdAt, ...writeItem(value) }
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
  const texts = { title: cutText(title), colleague }
  return { kind: "approval" as const, ...item, ...texts, createdAt, resolvedAt, ...writeItem(value) }
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
  throw new InvalidAnswerError(`${v.getDotPath(found.issues[0]) ?? "the value"} doesn't match openapi.yaml`)
}

/** Reads the body of an error. Returns undefined when it is not a Problem. */
export function readProblem(body: string): { readonly problem: Problem; readonly json: string } | undefined {
  try {
    const value = parseExact(body)
    return isProblem(value) ? { problem: value, json: canonicalJson(value) } : undefined
  } catch {
    return undefined
  }
}

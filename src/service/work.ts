/** The operations on Work. */
import { newId, optional } from "./api-values.ts"
import { WORK_PAGE_DEFAULT } from "../contract/limits.ts"
import { parseInt64 } from "../contract/int64.ts"
import type { CreateWorkRequest, WorkList } from "../contract/resources.ts"
import type { Credential } from "./admission/credentials.ts"
import { demonstrationOf } from "./demonstration.ts"
import type { ServiceContext } from "./context.ts"
import { mutation, reading } from "./http/handler.ts"
import { ProblemError, invalidRequest, notVisible, policyBlocked } from "./problems.ts"
import { int64, integer } from "./store/sqlite-row.ts"
import type { Store } from "./store/store.ts"
import { attachUploads, findUpload } from "./uploads.ts"
import { toWork } from "./work-state.ts"

const TITLE_CHARACTERS = 80
const CAPACITY_RETRY_SECONDS = 5

/** The handlers of listWork, getWork and createWork. `colleagueIds` holds the colleagues of the registry. */
export function workHandlers(context: ServiceContext, colleagueIds: ReadonlySet<string>) {
  const { store, configuration, events, state } = context
  return {
    listWork: reading("listWork", ({ query, credential: { account } }): { body: WorkList } => {
      const limit = Number(query("limit") ?? WORK_PAGE_DEFAULT)
      const cursor = query("cursor")
      const from = cursor === undefined ? undefined : readCursor(cursor)
      // One row more than the page has shows whether there is a next page.
      const rows = findPage(store, account, query("status"), from, limit + 1)
      const hasNext = rows.length > limit
      const last = hasNext ? rows[limit - 1] : undefined
      const next = last && writeCursor({ createdAt: int64(last, "created_at"), number: int64(last, "number") })
      return { body: { data: rows.slice(0, limit).map(toWork), ...optional("next_cursor", next) } }
    }),

    getWork: reading("getWork", ({ path, credential }) => {
      const work = toWork(state.find(path("id"), credential))
      return { body: work, version: work.version }
    }),

    createWork: mutation("createWork", context, {
      status: 201,
      find({ body, credential }) {
        // An unknown colleague and a colleague that the credential may not use get the same 404.
        const reachable = credential.colleagues?.has(body.colleague_id) ?? true
        if (!reachable || !colleagueIds.has(body.colleague_id)) throw notVisible()
        return (body.input_upload_ids ?? []).map((id) => findUpload(store, id, credential))
      },
      perform({ body, credential }, uploads) {
        const id = newId("work")
        insertWork(context, id, body, credential)
        const { title, colleague_id } = toWork(state.find(id, credential))
        const payload = { message: `Created: ${title}`, title, colleague_id }
        events.append(id, "work.created", payload)
        attachUploads(context, id, uploads)
        if (demonstrationOf(configuration.current).isBlocked(body.objective)) throw policyBlocked("this objective")
        // The count includes this Work. The refusal rolls the Work back.
        if (isOverCapacity(store, configuration.current.limits.activeWork)) {
          const detail = "The service has reached its limit of unfinished Work; try again when some is done"
          throw new ProblemError("NO_CAPACITY", detail, { retryable: true, retryAfter: CAPACITY_RETRY_SECONDS })
        }
        state.updateStatus(id)
        const work = toWork(state.find(id, credential))
        return { body: work, version: work.version, location: `/api/v1/work/${id}` }
      },
    }),
  }
}

/** Reads a page of the account's Work, newest first. An index serves the query, so that each page costs as much as the first. */
function findPage(
  store: Store,
  account: string,
  status: string | undefined,
  from: Position | undefined,
  limit: number,
) {
  const conditions = ["account = ?"]
  const values: (string | bigint)[] = [account]
  if (status !== undefined) {
    conditions.push("status = ?")
    values.push(status)
  }
  if (from !== undefined) {
    conditions.push("(created_at, number) < (?, ?)")
    values.push(from.createdAt, from.number)
  }
  const sql = `SELECT * FROM work WHERE ${conditions.join(" AND ")} ORDER BY created_at DESC, number DESC LIMIT ?`
  return store.all(sql, ...values, limit)
}

function insertWork(
  { store, configuration }: ServiceContext,
  id: string,
  body: CreateWorkRequest,
  { account, owner }: Credential,
): void {
  const now = Date.now()
  const limit = body.active_execution_limit_seconds
  store.insert("work", {
    id,
    account,
    owner,
    colleague_id: body.colleague_id,
    title: body.title ?? titleOf(body.objective),
    objective: body.objective,
    visibility_scope: body.visibility_scope ?? "private",
    priority: body.priority ?? "normal",
    due_at: body.due_at ?? null,
    status: "working",
    version: 1,
    execution_limit_ms: limit === undefined ? null : limit * 1000n,
    executed_ms: 0,
    demonstration: configuration.current.demonstration ? 1 : 0,
    created_at: now,
    updated_at: now,
  })
}

/** The default title of Work: the first line of its objective, 80 characters at most. */
function titleOf(objective: string): string {
  const line = objective.trim().split(/[\r\n]/)[0] ?? ""
  if (line.length <= TITLE_CHARACTERS) return line === "" ? "Untitled Work" : line
  const characters = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment)
  if (characters.length <= TITLE_CHARACTERS) return line
  return `${characters
    .slice(0, TITLE_CHARACTERS - 1)
    .join("")
    .trimEnd()}…`
}

/** Whether all accounts together have more Work that is not done than `activeWork`. Paused Work counts until retention removes it. */
function isOverCapacity(store: Store, activeWork: number): boolean {
  const sql = "SELECT count(*) AS n FROM (SELECT 1 FROM work INDEXED BY work_unfinished WHERE status <> 'done' LIMIT ?)"
  return integer(store.one(sql, activeWork + 1), "n") > activeWork
}

/** A position in the list of Work: the next page begins after the Work with this time and number. */
type Position = { readonly createdAt: bigint; readonly number: bigint }

/** A cursor gives no access: the list has only the Work of the credential's account, whoever wrote the cursor. */
function writeCursor({ createdAt, number }: Position): string {
  return Buffer.from(`${createdAt}.${number}`).toString("base64url")
}

/** @throws ProblemError 400 for a cursor that is not in the form of `writeCursor` */
function readCursor(cursor: string): Position {
  const [createdAt, number, ...others] = Buffer.from(cursor, "base64url").toString("latin1").split(".").map(parseInt64)
  if (createdAt !== undefined && number !== undefined && others.length === 0) {
    const position = { createdAt, number }
    // Base64 can write the same bytes in several ways. Only the way of `writeCursor` is valid.
    if (writeCursor(position) === cursor) return position
  }
  throw invalidRequest("cursor is not a next_cursor that this service gave")
}

import type { QueryClient } from "@tanstack/react-query"
import { WORK_PAGE_MAX } from "../../contract/limits.ts"
import type { Work, WorkStatus } from "../../contract/resources.ts"
import { api, dataOf } from "../client/api.ts"

/** What the inboxes have to know of a Work. */
export type OpenWork = Pick<
  Work,
  "id" | "title" | "colleague_id" | "version" | "created_at" | "current_attention_id" | "attention_question"
>

/** Both inboxes are read within moments of each other: they share one listing. */
const SHARED_MS = 3_000

const OPEN = ["needs_you", "working", "paused"] as const satisfies readonly WorkStatus[]

/** All Work that is not `done`, newest first (design: "whatever its status"). Throws DeskError. */
export function fetchOpenWork(client: QueryClient): Promise<readonly OpenWork[]> {
  return client.fetchQuery({
    queryKey: ["inbox", "open-work"],
    queryFn: ({ signal }) => listOpenWork(signal),
    staleTime: SHARED_MS,
  })
}

async function listOpenWork(signal: AbortSignal): Promise<readonly OpenWork[]> {
  const byId = new Map<string, OpenWork>()
  for (const work of (await Promise.all(OPEN.map((status) => listAll(status, signal)))).flat()) {
    // A Work that changed its status meanwhile is in two lists: the later version is the truth.
    if ((byId.get(work.id)?.version ?? 0n) < work.version) byId.set(work.id, brief(work))
  }
  return [...byId.values()].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
}

async function listAll(status: WorkStatus, signal: AbortSignal): Promise<Work[]> {
  const all: Work[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  do {
    const query = { status, limit: WORK_PAGE_MAX, ...(cursor !== undefined && { cursor }) }
    const page = await dataOf(api.GET("/api/v1/work", { params: { query }, signal }))
    all.push(...page.data)
    if (cursor !== undefined) cursors.add(cursor)
    cursor = page.next_cursor
    // A cursor that leads back would never end.
  } while (cursor !== undefined && !cursors.has(cursor))
  return all
}

function brief(work: Work): OpenWork {
  const { id, title, colleague_id, version, created_at, current_attention_id, attention_question } = work
  return {
    id,
    title,
    colleague_id,
    version,
    created_at,
    ...(current_attention_id !== undefined && { current_attention_id }),
    ...(attention_question !== undefined && { attention_question }),
  }
}

/** Writes the answer of `GET /desk/waiting` once for everybody. */
import { createHash } from "node:crypto"
import { isChecked, type WatchState, type WatchedWork } from "./watch-state.ts"
import type { ListedItem } from "./resources.ts"

export type Snapshot = {
  /** A weak ETag. It is the same for the same content at every desk, and does not depend on `oldest_check_at`. */
  readonly etag: string
  /** The answer's JSON without its last members and its closing brace. */
  readonly json: string
}

/** Writes the content that the ETag stands for. */
export function writeSnapshot(state: WatchState, isComplete: boolean): Snapshot {
  const works = [...state.works.values()]
  const checked = works.filter(isChecked).length
  const problem = state.failure?.json
  const json =
    `{"attention":[${listOf(works, ({ attention }) => attention)}],` +
    `"approvals":[${listOf(works, ({ approvals }) => approvals)}],` +
    `"checked":${checked},"total":${state.total},"complete":${isComplete}` +
    (problem === undefined ? "" : `,"problem":${problem}`)
  return { etag: `W/"${createHash("sha256").update(json).digest("base64url")}"`, json }
}

/** The moments of an answer in ISO 8601. The ETag does not change with them. */
export type Moments = {
  readonly oldestCheckAt: string | null
  /** The end of the pause after a failure. */
  readonly retryAt: string | undefined
}

/** Adds the moments to a snapshot. Gives the whole body. */
export function writeAnswer({ json }: Snapshot, { oldestCheckAt, retryAt }: Moments): Buffer {
  const retry = retryAt === undefined ? "" : `,"retry_at":${JSON.stringify(retryAt)}`
  return Buffer.from(`${json},"oldest_check_at":${JSON.stringify(oldestCheckAt)}${retry}}`)
}

type WaitingItem = { readonly work: WatchedWork["work"]; readonly item: ListedItem }

/** The items, oldest first. Items with the same `created_at` are sorted by id, so that every desk writes the same text. */
function listOf(works: readonly WatchedWork[], itemsOf: (watched: WatchedWork) => readonly ListedItem[]): string {
  return works
    .flatMap((watched) => itemsOf(watched).map((item): WaitingItem => ({ work: watched.work, item })))
    .sort(compare)
    .map(({ work, item }) => `{"work":${work.json},"item":${item.json}}`)
    .join(",")
}

function compare(one: WaitingItem, other: WaitingItem): number {
  const age = one.item.createdAt - other.item.createdAt
  if (age !== 0 && !Number.isNaN(age)) return age
  return compareText(one.work.id, other.work.id) || compareText(one.item.id, other.item.id)
}

function compareText(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

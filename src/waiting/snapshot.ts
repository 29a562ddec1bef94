/** The content of `GET /desk/waiting` at one moment, written once for everybody. */
import { createHash } from "node:crypto"
import { isChecked, type Known, type WatchedWork } from "./watch-state.ts"
import type { ListedItem } from "./resources.ts"

export type Snapshot = {
  /** Weak: the same for the same content on every replica, whatever `oldest_check_at` says. */
  readonly etag: string
  /** The answer's JSON without its last member and its end. */
  readonly json: string
}

export function takeSnapshot(known: Known, isComplete: boolean): Snapshot {
  const works = [...known.works.values()]
  const checked = works.filter(isChecked).length
  const problem = known.problem
  const json =
    `{"attention":[${listOf(works, ({ attention }) => attention)}],` +
    `"approvals":[${listOf(works, ({ approvals }) => approvals)}],` +
    `"checked":${checked},"total":${known.total},"complete":${isComplete}` +
    (problem === undefined ? "" : `,"problem":${problem}`)
  return { etag: `W/"${createHash("sha256").update(json).digest("base64url")}"`, json }
}

/** What an answer says beside its content, in ISO 8601. The tag does not change with these moments. */
export type Moments = {
  readonly oldestCheckAt: string | null
  /** The end of the pause after a failure. */
  readonly retryAt: string | undefined
}

/** The whole answer. */
export function writeAnswer({ json }: Snapshot, { oldestCheckAt, retryAt }: Moments): Buffer {
  const retry = retryAt === undefined ? "" : `,"retry_at":${JSON.stringify(retryAt)}`
  return Buffer.from(`${json},"oldest_check_at":${JSON.stringify(oldestCheckAt)}${retry}}`)
}

type Waiting = { readonly work: WatchedWork["work"]; readonly item: ListedItem }

/** Oldest first by `created_at`. Items of one moment are in the order of their ids, so that every replica writes the same text. */
function listOf(works: readonly WatchedWork[], itemsOf: (watched: WatchedWork) => readonly ListedItem[]): string {
  return works
    .flatMap((watched) => itemsOf(watched).map((item): Waiting => ({ work: watched.work, item })))
    .sort(compare)
    .map(({ work, item }) => `{"work":${work.json},"item":${item.json}}`)
    .join(",")
}

function compare(one: Waiting, other: Waiting): number {
  const age = one.item.createdAt - other.item.createdAt
  if (age !== 0 && !Number.isNaN(age)) return age
  return compareText(one.work.id, other.work.id) || compareText(one.item.id, other.item.id)
}

function compareText(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Writes the answers of `GET /desk/waiting`. Each item is written and hashed once for everybody. */
import { createHash, hash } from "node:crypto"
import type { WatchState } from "./watch-state.ts"
import { isChecked, type WatchedWork } from "./watched-work.ts"
import type { ListedItem, ListedWork } from "./resources.ts"
import { totalOf, type Sight } from "./sights.ts"

export type Snapshot = {
  /** A weak ETag. It is the same for the same content at every desk, and does not depend on `oldest_check_at`. */
  readonly etag: string
  /** The answer's JSON in parts, without the members that `writeAnswer` adds and without the closing brace. */
  readonly parts: readonly Buffer[]
  readonly problem: string | undefined
}

/** One waiting item with its Work. `json` has no closing brace, because members of the desk may follow. */
type Entry = {
  readonly watched: WatchedWork
  readonly item: ListedItem
  readonly json: Buffer
  readonly digest: string
}

/** The lists of all waiting items, oldest first. A list is sorted again only after a change. */
export class Entries {
  readonly #written = new WeakMap<ListedItem, Entry & { readonly work: ListedWork }>()
  #version = -1
  #lists: readonly (readonly [name: string, entries: readonly Entry[]])[] = []

  /** The waiting clarifications and approvals of the watched Works, each with the name of its list in the answer. */
  of(state: WatchState) {
    if (state.version !== this.#version) {
      this.#version = state.version
      const works = [...state.works.values()]
      const list = (itemsOf: (watched: WatchedWork) => readonly ListedItem[]) =>
        works.flatMap((watched) => itemsOf(watched).map((item) => this.#write(watched, item))).sort(compare)
      this.#lists = [
        ["attention", list(({ clarifications }) => clarifications)],
        ["approvals", list(({ approvals }) => approvals)],
      ]
    }
    return this.#lists
  }

  #write(watched: WatchedWork, item: ListedItem): Entry {
    const { work } = watched
    const before = this.#written.get(item)
    if (before?.work === work && before.watched === watched) return before
    const json = Buffer.from(`{"work":${work.json},"item":${item.json}`)
    const entry = { watched, work, item, json, digest: hash("sha256", json) }
    this.#written.set(item, entry)
    return entry
  }
}

/** Writes the content for the people of a sight. The ETag is made from this content alone. `membersOf` is `EntryMembers.write`. */
export function writeSnapshot(
  state: WatchState,
  entries: Entries,
  sight: Sight,
  membersOf: (watched: WatchedWork, item: ListedItem) => string,
): Snapshot {
  const { works, sees } = sight
  const checked = works.filter(isChecked).length
  const isComplete = state.isCompleteFor(works)
  // A failure of a concealed Work is not told.
  const problem = state.failureFor(sees)?.json
  const figures =
    `"checked":${checked},"total":${totalOf(state, sight)},"complete":${isComplete}` +
    (problem === undefined ? "" : `,"problem":${problem}`)
  const digest = createHash("sha256")
  const parts: Buffer[] = []
  for (const [name, list] of entries.of(state)) {
    parts.push(Buffer.from(`${parts.length === 0 ? "{" : "],"}"${name}":[`))
    let isFirst = true
    digest.update(name)
    for (const { watched, item, json, digest: ofEntry } of list) {
      if (!sees(watched)) continue
      if (!isFirst) parts.push(COMMA)
      const members = membersOf(watched, item)
      parts.push(json, members === "" ? BRACE : Buffer.from(`${members}}`))
      digest.update(ofEntry + members)
      isFirst = false
    }
  }
  parts.push(Buffer.from(`],${figures}`))
  return { etag: `W/"${digest.update(figures).digest("base64url")}"`, parts, problem }
}

const COMMA = Buffer.from(",")
const BRACE = Buffer.from("}")

/** The moments of an answer in ISO 8601. The ETag does not depend on these moments, which change without any news. */
export type Moments = {
  readonly oldestCheckAt: string | null
  /** The end of the pause after a failure. */
  readonly retryAt: string | undefined
}

/** Adds the moments to a snapshot. Gives the whole body. */
export function writeAnswer({ parts }: Snapshot, { oldestCheckAt, retryAt }: Moments): Buffer {
  const retry = retryAt === undefined ? "" : `,"retry_at":${JSON.stringify(retryAt)}`
  return Buffer.concat([...parts, Buffer.from(`,"oldest_check_at":${JSON.stringify(oldestCheckAt)}${retry}}`)])
}

/** Items with the same `created_at` are sorted by id, so that every desk writes the same text. */
function compare(one: Entry, other: Entry): number {
  // NaN when the text of a time is no date.
  const age = one.item.createdAt - other.item.createdAt
  if (age !== 0 && !Number.isNaN(age)) return age
  return compareText(one.watched.work.id, other.watched.work.id) || compareText(one.item.id, other.item.id)
}

function compareText(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

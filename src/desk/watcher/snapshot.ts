/** Writes the answers of `GET /desk/waiting`: everything that is pending for a person, or what has changed. Each item is written and hashed once for everybody. */
import { hash } from "node:crypto"
import { compareEntries, entryKey } from "../../contract/waiting-change.ts"
import type { WatchState } from "./watch-state.ts"
import { isChecked, type WatchedWork } from "./watched-work.ts"
import type { ListedItem, ListedWork } from "./read-resources.ts"
import { totalOf, type VisibleWork, unreadWithItemsOf } from "./visible-work.ts"

/** A list of the answer: its entries in their order, by `entryKey`. */
type List = ReadonlyMap<string, Entry>

/** What some people are shown at a moment. */
export type Snapshot = {
  /** A weak ETag. It is the same for the same content at every desk. `oldest_check_at` and the text of a problem do not count. */
  readonly etag: string
  readonly attention: List
  readonly approvals: List
  /** JSON members without the moments. */
  readonly figures: string
  readonly problem: string | undefined
}

/** One pending item with its Work, as the upstream sent them. It is the same for everybody. */
type SerializedItem = {
  readonly watched: WatchedWork
  readonly work: ListedWork
  readonly item: ListedItem
  readonly key: string
  /** Has no closing brace, because members of the desk follow. */
  readonly json: Buffer
  readonly digest: string
}

/** One pending item with the members of the desk. Entries with the same digest are the same. */
type Entry = { readonly serialized: SerializedItem; readonly members: string; readonly digest: string }

/** Returns the members that the desk adds to an entry: JSON members that each begin with a comma, or an empty text. */
export type WriteDeskMembers = (watched: WatchedWork, item: ListedItem) => string

/** What a person is shown differently from everybody else. */
export type PersonalView = {
  /** The entries (`entryKey`) that have special members for this person, which `writeDeskMembers` returns. */
  readonly keys: ReadonlySet<string>
  readonly writeDeskMembers: WriteDeskMembers
  /** Whether the person may answer or approve an item now. `isOwn`: whether `keys` has the entry. */
  readonly isNeeded: (watched: WatchedWork, item: ListedItem, isOwn: boolean) => boolean
}

/** What is pending in all watched Works at a moment, with the members that people without own entries are shown. */
export type Content = {
  readonly attention: readonly Entry[]
  readonly approvals: readonly Entry[]
  /** Members of the desk that belong to no entry, written as those of an entry. */
  readonly members: string
}

export class Entries {
  readonly #serialized = new WeakMap<ListedItem, SerializedItem>()
  readonly #entries = new WeakMap<SerializedItem, Entry>()

  /** What is pending now, oldest first. */
  contentOf({ works }: WatchState, writeDeskMembers: WriteDeskMembers, members = ""): Content {
    const list = (itemsOf: (watched: WatchedWork) => readonly ListedItem[]) => {
      const entries = works
        .values()
        .flatMap((watched) => itemsOf(watched).map((item) => this.#entry(watched, item, writeDeskMembers)))
      // An upstream that lists an item twice does not make two entries: a change could not distinguish them.
      const each = new Map(entries.map((entry) => [entry.serialized.key, entry]))
      return [...each.values()].sort((one, other) => compareEntries(placeOf(one), placeOf(other)))
    }
    return {
      attention: list(({ clarifications }) => clarifications),
      approvals: list(({ approvals }) => approvals),
      members,
    }
  }

  #entry(watched: WatchedWork, item: ListedItem, writeDeskMembers: WriteDeskMembers): Entry {
    const serialized = this.#serialize(watched, item)
    const members = writeDeskMembers(watched, item)
    const before = this.#entries.get(serialized)
    if (before?.members === members) return before
    const entry = entryOf(serialized, members)
    this.#entries.set(serialized, entry)
    return entry
  }

  #serialize(watched: WatchedWork, item: ListedItem): SerializedItem {
    const { work } = watched
    const before = this.#serialized.get(item)
    if (before?.work === work && before.watched === watched) return before
    const json = Buffer.from(`{"work":${work.json},"item":${item.json}`)
    const serialized = { watched, work, item, key: entryKey(work.id, item.id), json, digest: hash("sha256", json) }
    this.#serialized.set(item, serialized)
    return serialized
  }
}

const entryOf = (serialized: SerializedItem, members: string): Entry => ({
  serialized,
  members,
  digest: members === "" ? serialized.digest : hash("sha256", serialized.digest + members),
})

const placeOf = ({ serialized: { work, item } }: Entry) => ({
  createdAt: item.createdAt,
  workId: work.id,
  itemId: item.id,
})

const neededEntries = new WeakMap<Entry, Entry>()

/** The entry with `needs_you`. Made and hashed once for all people who need to act on it. */
function markNeeded(entry: Entry): Entry {
  const before = neededEntries.get(entry)
  if (before !== undefined) return before
  const marked = entryOf(entry.serialized, `${entry.members},"needs_you":true`)
  neededEntries.set(entry, marked)
  return marked
}

/** Makes the snapshot of people who see the same Work. The ETag depends only on its content. */
export function makeSnapshot(state: WatchState, content: Content, visible: VisibleWork, view?: PersonalView): Snapshot {
  const attention = showEntries(content.attention, visible, view)
  const approvals = showEntries(content.approvals, visible, view)
  const checked = visible.works.filter(isChecked).length
  const isComplete = state.isCompleteFor(visible.works)
  const unread = unreadWithItemsOf(state, visible)
  const counts = [
    `"checked":${checked},"total":${totalOf(state, visible)},"complete":${isComplete}`,
    unread === 0 ? "" : `,"unread":${unread}`,
    view === undefined ? "" : `,"needs_you":{"attention":${attention.needed},"approvals":${approvals.needed}}`,
    content.members,
  ].join("")
  // The failure of a concealed Work is left out.
  const failure = state.failureFor(visible.sees)
  const problem = failure?.json
  const digestsOf = (list: List) => [...list.values()].map(({ digest }) => digest)
  const digests = [...digestsOf(attention.list), "approvals", ...digestsOf(approvals.list)]
  // Each answer of the service has another `request_id`, so two desks that get one failure get different problems.
  const kindOfFailure = failure && [failure.problem.status, failure.problem.code]
  const etag = `W/"${hash("sha256", JSON.stringify([digests, counts, kindOfFailure]), "base64url")}"`
  const figures = problem === undefined ? counts : `${counts},"problem":${problem}`
  return { etag, attention: attention.list, approvals: approvals.list, figures, problem }
}

/** The entries that a person sees, with the person's own members. `needed`: how many of them the person may answer or approve. */
function showEntries(
  entries: readonly Entry[],
  { sees }: VisibleWork,
  view: PersonalView | undefined,
): { readonly list: List; readonly needed: number } {
  const list = new Map<string, Entry>()
  let needed = 0
  for (const entry of entries) {
    const { watched, item, key } = entry.serialized
    if (!sees(watched)) continue
    const isOwn = view?.keys.has(key) === true
    const shown = isOwn ? entryOf(entry.serialized, view.writeDeskMembers(watched, item)) : entry
    const isNeeded = view?.isNeeded(watched, item, isOwn) === true
    if (isNeeded) needed += 1
    list.set(key, isNeeded ? markNeeded(shown) : shown)
  }
  return { list, needed }
}

/** The moments of an answer in ISO 8601. The ETag does not depend on these moments, which change without any news. */
export type Moments = {
  readonly oldestCheckAt: string | null
  /** The end of the pause after a failure. */
  readonly retryAt: string | undefined
}

/** Writes everything that is pending. */
export function writeAnswer({ attention, approvals, figures }: Snapshot, moments: Moments): Buffer {
  const lists = writeLists([...attention.values()], [...approvals.values()])
  return Buffer.concat([BRACE, ...lists, Buffer.from(`,${figures}${writeMoments(moments)}}`)])
}

/** Writes what has changed since `before`, for a person who has got `before`. `applyChange` of the contract applies the change. */
export function writeChange(before: Snapshot, after: Snapshot, moments: Moments): Buffer {
  const goneFrom = (name: "attention" | "approvals") =>
    before[name]
      .values()
      .map(({ serialized }) => serialized)
      .filter(({ key }) => !after[name].has(key))
  const gone = [...goneFrom("attention"), ...goneFrom("approvals")]
  const goneKeys = new Set(gone.map(({ key }) => key))
  // `gone` has only ids, so the client removes them from both lists. An entry with the same ids in the other list is therefore sent again.
  const changedIn = (name: "attention" | "approvals") =>
    [...after[name]]
      .filter(([key, { digest }]) => before[name].get(key)?.digest !== digest || goneKeys.has(key))
      .map(([, entry]) => entry)
  const ids = gone.map(({ work, item }) => ({ work: work.id, item: item.id }))
  const head = `{"etag":${JSON.stringify(after.etag)},"since":${JSON.stringify(before.etag)},"changed":{`
  const tail = `},"gone":${JSON.stringify(ids)},${after.figures}${writeMoments(moments)}}`
  return Buffer.concat([
    Buffer.from(head),
    ...writeLists(changedIn("attention"), changedIn("approvals")),
    Buffer.from(tail),
  ])
}

function writeLists(attention: readonly Entry[], approvals: readonly Entry[]): readonly Buffer[] {
  const list = (entries: readonly Entry[]) =>
    entries.flatMap(({ serialized, members }, index) => [
      ...(index === 0 ? [] : [COMMA]),
      serialized.json,
      Buffer.from(`${members}}`),
    ])
  return [
    Buffer.from('"attention":['),
    ...list(attention),
    Buffer.from('],"approvals":['),
    ...list(approvals),
    Buffer.from("]"),
  ]
}

const writeMoments = ({ oldestCheckAt, retryAt }: Moments): string =>
  `,"oldest_check_at":${JSON.stringify(oldestCheckAt)}` +
  (retryAt === undefined ? "" : `,"retry_at":${JSON.stringify(retryAt)}`)

const BRACE = Buffer.from("{")
const COMMA = Buffer.from(",")

/** The view in the address of an inbox page: its filters, order and groups. */
import type { SignedIn } from "../../contract/desk-people.ts"
import { wordFinder } from "../../contract/find-words.ts"
import { PRIORITIES } from "../../contract/work-order.ts"
import type { TeamFacts, WaitingItem } from "../client/waiting.ts"
import { queryReader, withQuery, writeQuery } from "../ui/address-query.ts"
import { inboxAddress } from "./addresses.ts"
import { colleagueOf, destinationOf, type Item, type ItemId, type ItemKind, subjectOf, titleOf } from "./item.ts"

export type InboxPage = "/needs-you" | "/approvals"
type Entry = WaitingItem<Item>
type Given = Pick<TeamFacts, "assignment">

/** The parameters of the address, by their names. */
export type InboxView = {
  /** `questions`: only questions, on `/needs-you`. */
  readonly kind?: "questions" | undefined
  /** `mine`: only items given to the person or their teams. `free`: only items given to nobody. */
  readonly for?: "mine" | "free" | undefined
  /** Words to find. */
  readonly q?: string | undefined
  readonly colleague?: string | undefined
  /** The priority of the Work. */
  readonly priority?: (typeof PRIORITIES)[number] | undefined
  /** The team that the item was handed to. */
  readonly team?: string | undefined
  /** The destination of the approval. */
  readonly to?: string | undefined
  /** `oldest`: by age alone, without the time to decide. */
  readonly sort?: "oldest" | undefined
  readonly group?: InboxGroup | undefined
}

export type InboxGroup = "work" | "destination"

/** The kind of the items on an inbox page; undefined if it lists both kinds. */
export function kindIn(page: InboxPage, { kind }: InboxView): ItemKind | undefined {
  if (page === "/approvals") return "approval"
  return kind === "questions" ? "clarification" : undefined
}

/** The groups that a list of items of `kind` can have. Questions have no destination. */
export const groupsOf = (kind: ItemKind | undefined): readonly InboxGroup[] =>
  kind === "clarification" ? ["work"] : ["work", "destination"]

/** Who reads the list; undefined until the session has been read. */
export type Reader = (Pick<SignedIn, "teams"> & { readonly person: Pick<SignedIn["person"], "id"> }) | undefined

/** Reads the view from the address of an inbox page. Values that are not valid there are ignored. */
export function readInboxView(parameters: URLSearchParams, page: InboxPage): InboxView {
  const { text, oneOf } = queryReader<keyof InboxView>(parameters)
  const kind = page === "/needs-you" ? oneOf("kind", ["questions"]) : undefined
  const listed = kindIn(page, { kind })
  return {
    kind,
    for: oneOf("for", ["mine", "free"]),
    q: text("q"),
    colleague: text("colleague"),
    priority: oneOf("priority", PRIORITIES),
    team: text("team"),
    to: listed === "clarification" ? undefined : text("to"),
    // Old saved views have `sort=by`, which is now the default order.
    sort: oneOf("sort", ["oldest"]),
    group: oneOf("group", groupsOf(listed)),
  }
}

const NAMES = ["kind", "for", "q", "colleague", "priority", "team", "to", "sort", "group"] as const

/** The query of an inbox page without an item. Equal views have equal queries, so the query can serve as the name of the view. */
export const writeInboxView = (view: InboxView): string => writeQuery(NAMES, view)

/** The address of an inbox page with the query of `writeInboxView`, and with the chosen item if there is one. */
export function addressIn(page: InboxPage, query: string, id?: ItemId): string {
  if (id !== undefined) return inboxAddress(page, ...id) + (query && `&${query}`)
  return withQuery(page, query)
}

/** The address of the letters that are read together with the approval `id`, on an inbox page with the query of `writeInboxView`. */
export function alikeAddress(page: InboxPage, query: string, [workId, id]: ItemId): string {
  const [alike, work] = [id, workId].map((each) => encodeURIComponent(each.toWellFormed()))
  return `${page}?alike=${alike}&work=${work}${query && `&${query}`}`
}

/** The first of the letters that the address names to be read together; undefined if it names none. */
export function readAlike(parameters: URLSearchParams): ItemId | undefined {
  const [id, workId] = [parameters.get("alike") ?? "", parameters.get("work") ?? ""]
  return id === "" || workId === "" ? undefined : [workId, id]
}

/** Clears every filter except `for`. */
export const NO_FILTERS = { q: undefined, colleague: undefined, priority: undefined, team: undefined, to: undefined }

/** Whether a filter leaves items out of the list. */
export const isFiltered = (view: InboxView): boolean =>
  [view.for, view.q?.trim() || undefined, view.colleague, view.priority, view.team, view.to].some(
    (value) => value !== undefined,
  )

/** Whether an item was given to the person or to a team of theirs, or to somebody whom the person stands in for. */
export function isMine(entry: Given, me: Reader): boolean {
  return isGivenTo(entry, me) || (me !== undefined && standInOf(entry) === me.person.id)
}

const standInOf = ({ assignment }: Given): string | undefined =>
  assignment !== undefined && "person" in assignment.to ? assignment.to.person.away?.stand_in?.id : undefined

/** Whether an item was given to the person or to a team of theirs. */
export function isGivenTo({ assignment }: Given, me: Reader): boolean {
  if (assignment === undefined || me === undefined) return false
  const { to } = assignment
  return "team" in to ? me.teams.includes(to.team) : to.person.id === me.person.id
}

export const teamOf = ({ assignment }: Entry): string | undefined =>
  assignment !== undefined && "team" in assignment.to ? assignment.to.team : undefined

const hasWords = wordFinder<Entry>(({ work, item }) =>
  [titleOf(item), work.title, destinationOf(item), subjectOf(item)].join("\n"),
)

/** Whether an item passes the filters of a view. */
export function isInView(entry: Entry, view: InboxView, me: Reader): boolean {
  if (view.for === "mine" && !isMine(entry, me)) return false
  if (view.for === "free" && entry.assignment !== undefined) return false
  if (view.colleague !== undefined && colleagueOf(entry) !== view.colleague) return false
  if (view.priority !== undefined && entry.work.priority !== view.priority) return false
  if (view.team !== undefined && teamOf(entry) !== view.team) return false
  if (view.to !== undefined && destinationOf(entry.item) !== view.to) return false
  return hasWords(entry, view.q ?? "")
}

/** The key and the name of the group that an item belongs to. */
export function groupOf({ work, item }: Entry, group: InboxGroup): { readonly key: string; readonly name: string } {
  if (group === "work") return { key: work.id, name: work.title }
  const destination = destinationOf(item) ?? ""
  return { key: destination, name: destination }
}

/** The distinct values, the most frequent first, and equally frequent values in alphabetical order. */
export function frequentFirst(values: readonly (string | undefined)[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .toSorted(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
    .map(([value]) => value)
}

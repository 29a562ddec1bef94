import type { SignedIn } from "../../contract/desk-people.ts"
import { momentOf } from "../ui/time-words.ts"
import { standingOf, type WaitingItem } from "../client/waiting.ts"
import { inboxAddress, itemKey } from "./addresses.ts"
import type { Item, ItemId } from "./item.ts"

/** One thing that waits, as a line of an inbox. */
export type InboxLine = {
  readonly id: ItemId
  readonly key: string
  readonly to: string
  readonly entry: WaitingItem<Item>
}

/** What the address of an inbox page asks for. */
export type InboxView = {
  /** The parameter `for`. `mine`: only items given to the person or their teams. `free`: only items given to nobody. */
  readonly only: "mine" | "free" | undefined
  /** The parameter `sort`. `by`: the item with the earliest time to decide comes first. */
  readonly sort: "by" | undefined
}

/** Who reads the list; undefined until the session has been read. */
type Reader = (Pick<SignedIn, "teams"> & { readonly person: Pick<SignedIn["person"], "id"> }) | undefined

/** Reads the address of an inbox page. An unknown value of a parameter counts as left out. */
export function readInboxView(parameters: URLSearchParams): InboxView {
  const only = parameters.get("for")
  return {
    only: only === "mine" || only === "free" ? only : undefined,
    sort: parameters.get("sort") === "by" ? "by" : undefined,
  }
}

/** The query of an inbox page without an item. */
export function writeInboxView({ only, sort }: InboxView): string {
  return new URLSearchParams({ ...(only && { for: only }), ...(sort && { sort }) }).toString()
}

/** For this time an item given to the person comes before the others (docs/team.md). Later the item still says who has it. */
const GIVEN_FIRST_MS = 24 * 60 * 60_000

/** Whether an item was given to the person or to a team of theirs. */
export function isMine({ assignment }: WaitingItem<Item>, me: Reader): boolean {
  if (assignment === undefined || me === undefined) return false
  const { to } = assignment
  return "team" in to ? me.teams.includes(to.team) : to.person.id === me.person.id
}

/**
 * The lines of an inbox. The order of `listed`: items that came back, then the person's own, then all others; within each group by the time to
 * decide if `sort` says so, then the oldest first. `view.only` may leave lines out of `listed`, but no key out of `keys`.
 *
 * @param page the address of the inbox page
 * @param now the present moment on the desk's clock, in ms since 1970
 */
export function arrangeLines(
  entries: readonly WaitingItem<Item>[],
  page: "/needs-you" | "/approvals",
  view: InboxView,
  me: Reader,
  now: number,
) {
  const query = writeInboxView(view)
  const lines = entries.map((entry): InboxLine => {
    const id: ItemId = [entry.work.id, entry.item.id]
    const to = inboxAddress(page, ...id) + (query && `&${query}`)
    return { id, key: itemKey(id), to, entry }
  })
  const wasGivenLately = ({ assignment }: InboxLine["entry"]) =>
    now - (momentOf(assignment?.at ?? "") ?? 0) < GIVEN_FIRST_MS
  const groupOf = ({ entry }: InboxLine): number => {
    if (entry.back === true) return 0
    return isMine(entry, me) && wasGivenLately(entry) ? 1 : 2
  }
  // An item without a readable moment comes last.
  const decideBy = ({ entry }: InboxLine) => momentOf(entry.decide_by ?? "") ?? Infinity
  const createdAt = ({ entry }: InboxLine) => momentOf(entry.item.created_at) ?? Infinity
  // Infinity minus Infinity is no number.
  const compare = (one: number, other: number) => (one === other ? 0 : one - other)
  const isInView = ({ entry }: InboxLine) =>
    view.only === undefined || (view.only === "mine" ? isMine(entry, me) : entry.assignment === undefined)
  const standing = Object.groupBy(lines, ({ entry }) => standingOf(entry, me?.person.id ?? ""))
  return {
    keys: new Set(lines.map(({ key }) => key)),
    listed: (standing.waits ?? [])
      .filter(isInView)
      .toSorted(
        (one, other) =>
          compare(groupOf(one), groupOf(other)) ||
          (view.sort === "by" ? compare(decideBy(one), decideBy(other)) : 0) ||
          compare(createdAt(one), createdAt(other)),
      ),
    aside: standing.aside ?? [],
    approved: standing.approved ?? [],
  }
}

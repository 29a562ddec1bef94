/** What is pending now: the items that the watcher has read, with what decides who is notified of them. */
import { createHash } from "node:crypto"
import { parseObject } from "../../platform/http/json-object.ts"
import type { DeskQueries } from "../insight/desk-queries.ts"
import { type Access, isAmong } from "../people/access-file.ts"
import type { Claims } from "../inbox/claims.ts"
import { findEscalations, remindAt, type RuleEscalation } from "../inbox/rule-times.ts"
import type { VisibleWorkCache } from "../watcher/visible-work.ts"
import type { EndedItem } from "../watcher/known-list.ts"
import type { WatchState } from "../watcher/watch-state.ts"
import { isChecked, itemsOf, wasTried } from "../watcher/watched-work.ts"
import type { Watcher } from "../watcher/watcher.ts"
import { Turns } from "../../platform/turns.ts"
import { type ListedIn, maySeeAndDecide, peopleOf, type AblePeopleSources } from "./able-people.ts"
import type { Notice } from "./channel.ts"
import type { KnownItem, KnownItems } from "./known-items.ts"
import type { Person } from "./people-now.ts"

/** One pending item, in one version. */
export type WaitingItem = ListedIn & {
  readonly known: KnownItem
  /** When the item was created, or, if the upstream's text isn't a date, when a desk first saw the item. */
  readonly since: number
  /** The person that somebody gave the item to less than 24 hours ago, whether that was another person, and when. Nobody else is notified. */
  readonly givenTo?: { readonly personId: string; readonly byAnother: boolean; readonly at: number }
  /** The team that the item was given to less than 24 hours ago. Nobody else is notified. */
  readonly givenToTeam?: string
  /** The people who have set the item aside until later than now, or whose approval of it the desk keeps. */
  readonly notFor: readonly string[]
  /** When a reminder is due, by the rules that match. */
  readonly remindAt?: number | undefined
  readonly escalations: readonly Escalation[]
}

/** An escalation of an approval by one rule. */
export type Escalation = {
  /** Names the rule in the store. It stays the same while the rule does. */
  readonly rule: string
  readonly afterMs: number
  readonly at: number
  readonly mailboxes: readonly string[]
  readonly isMember: (person: Person) => boolean
}

export type WaitingSources = {
  readonly access: () => Access
  readonly queries: Pick<DeskQueries, "claimable"> & {
    readonly watcher: Pick<Watcher, "wake"> & { readonly visibleWork: Pick<VisibleWorkCache, "of"> }
    readonly claims: Pick<Claims, "load" | "assignedTo" | "notFor"> | undefined
  }
  readonly workPeople: AblePeopleSources["workPeople"]
}

/** Whether the watcher has read enough. Before its first round is over, an item that it doesn't have may still be pending. */
export function isAllRead(state: WatchState): boolean {
  return state.knownWhole().level !== "unknown" && state.works.values().every(wasTried)
}

/** Reads what is pending now, oldest first. */
export async function readWaiting(sources: WaitingSources, known: KnownItems, now: number): Promise<WaitingItem[]> {
  const items: WaitingItem[] = []
  const turns = new Turns()
  for (const watched of sources.queries.watcher.wake().works.values()) {
    if (!isChecked(watched)) continue
    for (const listed of itemsOf(watched)) items.push(toWaiting(sources, { watched, listed }, known, now))
    if (turns.isOver()) await turns.next()
  }
  await turns.next()
  // The difference is NaN if a time isn't a date. Then the two keep the order of the list.
  items.sort((one, other) => one.listed.createdAt - other.listed.createdAt || 0)
  await turns.next()
  return items
}

/** The known items that are no longer pending. While the list is incomplete, no item is known to have ended. */
export function findEnded(state: WatchState, known: KnownItems): readonly EndedItem<KnownItem>[] {
  const list = state.knownWhole()
  return list.level === "whole" ? list.findEnded(known.all()) : []
}

/** The item of a notice, if it is still pending in this version. `unread`: the watcher will soon know. Undefined: it is no longer pending, or cannot be read. */
export function findWaiting(
  sources: WaitingSources,
  known: KnownItems,
  { workId, itemId, version }: Notice,
): WaitingItem | "unread" | undefined {
  const state = sources.queries.watcher.wake()
  const watched = state.works.get(workId)
  const isUnread = watched === undefined && state.knownWhole().level !== "whole"
  if (isUnread || state.knownWhole().level === "unknown") return "unread"
  if (watched !== undefined && !isChecked(watched)) return watched.failing === undefined ? "unread" : undefined
  if (watched !== undefined && peopleOf(sources, watched) === undefined) return "unread"
  const listed = watched && itemsOf(watched).find(({ id }) => id === itemId)
  if (watched === undefined || listed === undefined || String(listed.version) !== version) return undefined
  return toWaiting(sources, { watched, listed }, known, Date.now())
}

/** Whether a person may see and decide an item now. */
export function mayDecideNow({ queries, workPeople }: WaitingSources, person: Person, item: ListedIn): boolean {
  return maySeeAndDecide({ visibleWork: queries.watcher.visibleWork, workPeople }, person.viewer, item)
}

function toWaiting(sources: WaitingSources, item: ListedIn, known: KnownItems, now: number): WaitingItem {
  const { listed } = item
  const found = toKnown(item, known, now)
  const since = Number.isNaN(listed.createdAt) ? found.seenAt : listed.createdAt
  return {
    ...item,
    known: found,
    since,
    escalations: findEscalations(sources.access(), listed, since).map(toEscalation),
    ...claimFacts(sources, item),
  }
}

/** The item as it is known, or as it becomes known in this version. */
function toKnown({ watched, listed }: ListedIn, items: KnownItems, now: number): KnownItem {
  const { id: workId, colleague, priority } = watched.work
  const version = String(listed.version)
  const before = items.get({ workId, itemId: listed.id })
  if (before?.version === version) return before
  const written = parseObject(listed.json)?.["created_at"]
  const createdAt = typeof written === "string" ? written : ""
  const { kind, id: itemId } = listed
  return { kind, workId, itemId, version, colleague, priority, createdAt, seenAt: now, notified: new Map() }
}

type ClaimFacts = Pick<WaitingItem, "givenTo" | "givenToTeam" | "notFor" | "remindAt">

function claimFacts({ access, queries }: WaitingSources, { watched, listed }: ListedIn): ClaimFacts {
  const { claims } = queries
  if (claims === undefined) return { notFor: [] }
  const found = queries.claimable(watched, listed)
  const facts = { notFor: claims.notFor(found), remindAt: remindAt(access(), found) }
  const given = claims.assignedTo(found)
  if (given === undefined) return facts
  const { to, by, at } = given
  if ("team" in to) return { ...facts, givenToTeam: to.team }
  return { ...facts, givenTo: { personId: to.person, byAnother: by !== to.person, at } }
}

function toEscalation({ rule: { colleague, destination }, escalate, at }: RuleEscalation): Escalation {
  // `to` isn't part of the name, so a change of `to` notifies the new members, and nobody twice.
  const name = JSON.stringify([colleague, destination, escalate.after])
  const members = escalate.to.filter((member) => member.kind !== "mailbox")
  return {
    rule: createHash("sha256").update(name).digest("base64url").slice(0, 16),
    afterMs: escalate.after,
    at,
    mailboxes: escalate.to.flatMap((member) => (member.kind === "mailbox" ? member.address : [])),
    isMember: ({ viewer }) => isAmong(members, viewer.identity),
  }
}

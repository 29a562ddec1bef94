/** Looks at what waits: stores the difference for the webhook, finds the mails that are due, and puts both into the outbox. */
import { createHash } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import { parseObject } from "../contract/json-object.ts"
import { type Access, isAmong, type Rule } from "../people/access.ts"
import { rulesFor } from "../people/rules/rules.ts"
import type { Viewer } from "../people/visibility.ts"
import type { ListedApproval, ListedItem } from "../waiting/resources.ts"
import { isChecked, type WatchedWork, type WatchState } from "../waiting/watch-state.ts"
import { Audience } from "./audience.ts"
import { type DueEscalation, findDueMails, type WaitingNotice } from "./due.ts"
import { DAY_MS } from "./leave-times.ts"
import { type NoticedItem, NoticedItems } from "./noticed-items.ts"
import type { NoticesOptions } from "./notices.ts"
import type { NoticeRow, Outbox } from "./outbox.ts"
import { PeopleNow, type ReachablePerson } from "./people-now.ts"
import { Told } from "./told.ts"
import { readTokenKey } from "./unsubscribe.ts"

/** What the desk knows about an item besides the item. Moments are milliseconds since 1970. */
export type ItemMarks = {
  /** To whom somebody gave the item within the last 24 hours. */
  readonly given:
    | { readonly to: { readonly person: Named } | { readonly team: string }; readonly by: Named }
    | undefined
  /** The people who have set it aside, or whose approval of it the desk keeps. */
  readonly notFor: readonly string[]
  readonly remindAt: number | undefined
}

type Named = { readonly id: string }

export type MarkSource = {
  /** Takes in what was stored meanwhile. */
  readonly refresh: () => Promise<void>
  readonly of: (watched: WatchedWork, item: ListedItem) => ItemMarks
}

/** A watcher that cannot check every Work in good time holds the mails no longer than this. */
const READY_AFTER_MS = 120_000
const SLICE_MS = 8
/** Many mails that leave at once share what was read of the people. */
const PEOPLE_FRESH_MS = 1_000
const LOOKED_EVERY_MS = 10_000

/** An item as it is due, with the objects of the watcher that it comes from. */
type Seen = { readonly notice: WaitingNotice; readonly watched: WatchedWork; readonly item: ListedItem }

export class Look {
  readonly #options: NoticesOptions & { readonly outbox: Outbox }
  #told = new Told()
  #noticed: NoticedItems
  #peopleNow: PeopleNow
  #isLoaded = false
  #isFirst = true
  #beganAt: number | undefined
  #lookedAt = 0
  #storedLookAt = Number.NEGATIVE_INFINITY
  #waitingSince = new Map<string, number>()
  #seen = new Map<WaitingNotice, Seen>()
  #people: ReadonlyMap<string, ReachablePerson> = new Map()
  #peopleReadAt = Number.NEGATIVE_INFINITY
  #audience: Audience | undefined
  readonly #viewers = new Map<string, Viewer>()
  readonly #warned = new Set<string>()
  readonly #escalations = new WeakMap<
    ListedApproval,
    { readonly access: Access; readonly of: readonly DueEscalation[] }
  >()

  constructor(options: NoticesOptions & { readonly outbox: Outbox }) {
    this.#options = options
    ;[this.#noticed, this.#peopleNow] = this.#forgetAll()
  }

  /** Forgets what the process remembers of the store, because another desk may have changed it. */
  reload(): void {
    ;[this.#noticed, this.#peopleNow] = this.#forgetAll()
    this.#isLoaded = false
    this.#beganAt = undefined
  }

  #forgetAll(): [NoticedItems, PeopleNow] {
    const { outbox, links, configuration } = this.#options
    this.#told = new Told()
    const peopleNow = this.#newPeopleNow(this.#told)
    return [new NoticedItems(outbox, this.#told, configuration.webhook && links), peopleNow]
  }

  #newPeopleNow(told: Told): PeopleNow {
    return new PeopleNow({ ...this.#options, told, warned: this.#warned })
  }

  /** Looks once. @returns whether enough is known to send. @throws LeaseLostError, StoreUnavailableError */
  async take(): Promise<boolean> {
    const { watch, configuration, marks, outbox, count } = this.#options
    const state = watch()
    this.#beganAt ??= performance.now()
    if (!this.#isReady(state)) return false
    const now = Date.now()
    if (!this.#isLoaded) await this.#load()
    const noticed = await inSlices(noticedIn(state, this.#noticed, now))
    const dropped = await this.#noticed.take(noticed, (item) => isGone(state, item), now)
    for (let index = 0; index < dropped; index++) count("webhook", "dropped")
    if (configuration.mail === undefined) return true
    await marks.refresh()
    const people = await this.#readPeople()
    this.#audience = new Audience(this.#options.sight, people, this.#viewers)
    await this.#see(state, now)
    const search = findDueMails({
      now,
      before: this.#lookedAt,
      batchMs: configuration.mail.batchMs,
      items: [...this.#seen.keys()],
      people: [...people.values()].map(({ person }) => person),
      audienceOf: (item) => this.#audienceOf(item),
      told: this.#told,
      waitingSince: this.#waitingSince,
      isFirst: this.#isFirst,
    })
    const mails = await inSlices(search)
    for (const mail of mails) {
      await outbox.addMails([mail], now)
      for (const { item, steps } of mail.items) for (const step of steps) this.#told.add(item, step, mail.recipient)
    }
    this.#lookedAt = now
    this.#isFirst = false
    if (mails.length > 0 || now - this.#storedLookAt >= LOOKED_EVERY_MS) await this.#storeLook(now)
    return true
  }

  /** A person who can be mailed now. */
  async findPerson(personId: string): Promise<ReachablePerson | undefined> {
    const isFresh = performance.now() - this.#peopleReadAt < PEOPLE_FRESH_MS
    return (isFresh ? this.#people : await this.#readPeople()).get(personId)
  }

  /** A person who can be mailed now, for a desk that does not look. */
  async readPerson(personId: string): Promise<ReachablePerson | undefined> {
    return (await this.#newPeopleNow(new Told()).read()).get(personId)
  }

  /**
   * The item of a notice, if it still waits in this version. `unread`: the watcher will soon know. Undefined: it waits no more, or nobody knows,
   * because its Work cannot be read.
   */
  findItem({ workId, itemId, version }: NoticeRow): WaitingNotice | "unread" | undefined {
    const state = this.#options.watch()
    const watched = state.works.get(workId)
    if (!state.isListed) return "unread"
    if (watched !== undefined && !isChecked(watched)) return state.hasFailed(workId) ? undefined : "unread"
    const items: readonly ListedItem[] = watched === undefined ? [] : [...watched.approvals, ...watched.clarifications]
    const item = items.find(({ id }) => id === itemId)
    if (watched === undefined || item === undefined || String(item.version) !== version) return undefined
    const seen = this.#toSeen(watched, item, Date.now())
    this.#seen.set(seen.notice, seen)
    return seen.notice
  }

  mayDecide(notice: WaitingNotice, personId: string): boolean {
    const seen = this.#seen.get(notice)
    return seen !== undefined && this.#audience?.mayDecide(personId, seen.watched, seen.item) === true
  }

  /** Steps were taken out of the outbox, so that they can be told later. */
  forget(recipient: string, notices: readonly NoticeRow[]): void {
    for (const notice of notices) this.#told.remove(notice, notice.step, recipient)
  }

  async #readPeople(): Promise<ReadonlyMap<string, ReachablePerson>> {
    const readAt = performance.now()
    this.#people = await this.#peopleNow.read()
    this.#peopleReadAt = readAt
    return this.#people
  }

  /** Before the first round of the watcher is over, an item that it does not have may wait all the same. */
  #isReady(state: WatchState): boolean {
    if (!state.isListed) return false
    const isRead = (watched: WatchedWork) => isChecked(watched) || state.hasFailed(watched.work.id)
    return state.works.values().every(isRead) || performance.now() - (this.#beganAt ?? 0) > READY_AFTER_MS
  }

  async #load(): Promise<void> {
    const { database } = this.#options
    // This also makes the row that `looked_at` stands in.
    await readTokenKey(database)
    await this.#noticed.load(database)
    const [row] = await database.read("SELECT looked_at FROM notice_desk WHERE id = 1")
    // After a new start, or a day without mail, the first mails leave when their time comes.
    const before = Number(row?.["looked_at"] ?? 0)
    const now = Date.now()
    this.#lookedAt = now - before > DAY_MS ? now : before
    this.#isFirst = true
    this.#waitingSince = new Map()
    this.#isLoaded = true
  }

  async #storeLook(now: number): Promise<void> {
    await this.#options.outbox.change(({ write }) => write("UPDATE notice_desk SET looked_at = ? WHERE id = 1", now))
    this.#storedLookAt = now
  }

  async #see(state: WatchState, now: number): Promise<void> {
    const seen = new Map<WaitingNotice, Seen>()
    let began = performance.now()
    for (const watched of state.works.values()) {
      if (!isChecked(watched)) continue
      for (const item of [...watched.approvals, ...watched.clarifications]) {
        const one = this.#toSeen(watched, item, now)
        seen.set(one.notice, one)
      }
      if (performance.now() - began < SLICE_MS) continue
      await nextTurn()
      began = performance.now()
    }
    this.#seen = seen
  }

  #toSeen(watched: WatchedWork, item: ListedItem, now: number): Seen {
    const { work } = watched
    const seenAt = this.#noticed.get({ workId: work.id, itemId: item.id })?.seenAt ?? now
    const notice: WaitingNotice = {
      kind: item.kind,
      workId: work.id,
      itemId: item.id,
      version: String(item.version),
      colleague: work.colleague,
      priority: work.priority,
      // The upstream's text may be no date.
      createdAt: Number.isNaN(item.createdAt) ? seenAt : item.createdAt,
      seenAt,
      escalations: item.kind === "approval" ? this.#escalationsOf(item) : [],
      ...(this.#options.configuration.mail && this.#marksOf(watched, item)),
    }
    return { notice, watched, item }
  }

  #marksOf(watched: WatchedWork, item: ListedItem): Partial<WaitingNotice> {
    const { given, notFor, remindAt } = this.#options.marks.of(watched, item)
    return {
      ...(notFor.length > 0 && { notFor: new Set(notFor) }),
      ...(remindAt !== undefined && { remindAt }),
      ...(given && "person" in given.to && toGiven(given.to.person, given.by)),
      ...(given && "team" in given.to && { givenToTeam: this.#membersOf(given.to.team) }),
    }
  }

  #membersOf(team: string): ReadonlySet<string> {
    const members = [...this.#people].filter(([, { viewer }]) => viewer.teams.includes(team))
    return new Set(members.map(([id]) => id))
  }

  #audienceOf(notice: WaitingNotice): readonly number[] {
    const seen = this.#seen.get(notice)
    return seen === undefined || this.#audience === undefined ? [] : this.#audience.of(seen.watched, seen.item)
  }

  #escalationsOf(approval: ListedApproval): readonly DueEscalation[] {
    const access = this.#options.access()
    const before = this.#escalations.get(approval)
    if (before?.access === access) return before.of
    const of = rulesFor(access, approval).flatMap((rule) => toEscalation(rule, (id) => this.#viewerOf(id)))
    this.#escalations.set(approval, { access, of })
    return of
  }

  #viewerOf(personId: string): Viewer | undefined {
    return this.#audience?.viewerOf(personId)
  }
}

function toEscalation(
  { colleague, destination, escalate }: Rule,
  viewerOf: (personId: string) => Viewer | undefined,
): readonly DueEscalation[] {
  if (escalate === undefined) return []
  const members = escalate.to.flatMap((member) => (member.kind === "mailbox" ? [] : [member]))
  // `to` is no part of the name: a member who is added later is told, and nobody is told twice.
  const rule = createHash("sha256")
    .update(JSON.stringify([colleague, destination, escalate.after]))
    .digest("base64url")
  return [
    {
      rule: rule.slice(0, 16),
      afterMs: escalate.after,
      mailboxes: escalate.to.flatMap((member) => (member.kind === "mailbox" ? [member.address] : [])),
      isMember: ({ id }) => {
        const viewer = viewerOf(id)
        return viewer !== undefined && isAmong(members, viewer.identity)
      },
    },
  ]
}

const toGiven = ({ id: personId }: Named, by: Named) => ({ givenTo: { personId, byAnother: by.id !== personId } })

/** What waits now, oldest first, as the store remembers it. */
function* noticedIn(state: WatchState, known: NoticedItems, now: number): Generator<void, readonly NoticedItem[]> {
  const found: { readonly item: NoticedItem; readonly at: number }[] = []
  for (const watched of state.works.values()) {
    if (!isChecked(watched)) continue
    const { work, approvals, clarifications } = watched
    for (const item of [...approvals, ...clarifications]) {
      const before = known.get({ workId: work.id, itemId: item.id })
      const version = String(item.version)
      found.push({
        item: before?.version === version ? before : toNoticed(work, item, version, now),
        at: item.createdAt,
      })
    }
    yield
  }
  // Items whose time is no date come in the order of the list.
  return found.sort((one, other) => one.at - other.at || 0).map(({ item }) => item)
}

function toNoticed(work: WatchedWork["work"], item: ListedItem, version: string, now: number): NoticedItem {
  const createdAt = parseObject(item.json)?.["created_at"]
  return {
    kind: item.kind,
    workId: work.id,
    itemId: item.id,
    version,
    colleague: work.colleague,
    priority: work.priority,
    createdAt: typeof createdAt === "string" ? createdAt : "",
    seenAt: now,
  }
}

/** Whether the desk knows that an item waits no more. Work beyond what the watcher can hold may wait unseen. */
function isGone({ works, unwatched }: WatchState, { workId }: NoticedItem): boolean {
  const watched = works.get(workId)
  return watched === undefined ? unwatched === 0 : isChecked(watched)
}

/** Runs a search to its end, with other work in between. */
async function inSlices<Result>(search: Generator<void, Result>): Promise<Result> {
  let began = performance.now()
  for (;;) {
    const next = search.next()
    if (next.done === true) return next.value
    if (performance.now() - began < SLICE_MS) continue
    await nextTurn()
    began = performance.now()
  }
}

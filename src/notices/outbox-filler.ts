/** Fills the outbox from what waits: the events of the webhook (`noticed-items.ts`) and the mails that are due (`due.ts`). `notice-loop.ts` calls it. */
import { createHash } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import { parseObject } from "../http/json-object.ts"
import { isAmong, type Rule } from "../people/access.ts"
import { rulesFor } from "../people/rules/rules.ts"
import type { ListedItem } from "../waiting/resources.ts"
import type { StoredAssignment } from "../waiting/claims/claim-store.ts"
import type { WatchState } from "../waiting/watch-state.ts"
import { isChecked, itemsOf, type WatchedWork } from "../waiting/watched-work.ts"
import { AblePeople } from "./able-people.ts"
import { type DueEscalation, findDueMails, type NoticePerson, type WaitingNotice } from "./due.ts"
import { DAY_MS } from "./leave-times.ts"
import { type NoticedItem, NoticedItems } from "./noticed-items.ts"
import type { NoticesOptions } from "./notices.ts"
import type { NoticeRow, Outbox } from "./outbox.ts"
import { type ReachablePerson, readPeopleNow } from "./people-now.ts"
import { Told } from "./told.ts"
import { readTokenKey } from "./unsubscribe.ts"

/** The longest wait for the watcher to check every Work. Then notices are told of the Works that are checked. */
const READY_AFTER_MS = 120_000
/** A search lets other work run after this time. */
const SLICE_MS = 8
/** How often the store learns that the desk has looked, when no mail is due. */
const LOOKED_EVERY_MS = 10_000

/** An item that waits, as the watcher has it and as the store remembers it. */
type Seen = { readonly watched: WatchedWork; readonly item: ListedItem; readonly noticed: NoticedItem }

type FillerOptions = Omit<NoticesOptions, "labelOf"> & { readonly outbox: Outbox }

export class OutboxFiller {
  readonly #options: FillerOptions
  #told = new Told()
  /** Undefined until the stored items are read: those of another desk or of an earlier process. */
  #noticed: NoticedItems | undefined
  #isFirst = true
  #beganAt: number | undefined
  #lookedAt = 0
  #storedLookAt = Number.NEGATIVE_INFINITY
  #collectingSince = new Map<string, number>()
  #people: ReadonlyMap<string, ReachablePerson> = new Map()
  #able: AblePeople | undefined
  readonly #warned = new Set<string>()

  constructor(options: FillerOptions) {
    this.#options = options
  }

  /** Forgets what the process remembers of the store, because another desk may have changed it. */
  reload(): void {
    this.#noticed = undefined
    this.#beganAt = undefined
  }

  /** Looks at what waits, once. @returns whether enough is known to send. @throws LeaseLostError, StoreUnavailableError */
  async fill(): Promise<boolean> {
    const { queries, configuration, count } = this.#options
    const state = queries.watcher.use()
    this.#beganAt ??= performance.now()
    if (!this.#isReady(state)) return false
    const now = Date.now()
    const noticed = this.#noticed ?? (await this.#load())
    const seen = await inSlices(seenIn(state, noticed, now))
    const waiting = seen.map((one) => one.noticed)
    const dropped = await noticed.take(waiting, (item) => isGone(state, item), now)
    for (let index = 0; index < dropped; index++) count("webhook", "dropped")
    if (configuration.mail !== undefined) await this.#addMails(seen, configuration.mail.batchMs, now)
    return true
  }

  /** Adds the mails that leave now to the outbox. */
  async #addMails(seen: readonly Seen[], batchMs: number, now: number): Promise<void> {
    const { queries, workPeople, outbox } = this.#options
    await queries.claims?.load()
    const people = await this.#readPeople()
    const able = new AblePeople(people, queries.watcher.views, workPeople)
    await inSlices(able.findKinds())
    this.#able = able
    const search = findDueMails({
      now,
      before: this.#lookedAt,
      batchMs,
      items: await inSlices(this.#toNotices(seen)),
      people: [...people.values()].map(({ person }) => person),
      told: this.#told,
      collectingSince: this.#collectingSince,
      isFirst: this.#isFirst,
    })
    const mails = await inSlices(search)
    for (const mail of mails) {
      await outbox.addMail(mail, now)
      for (const { item, steps } of mail.items) for (const step of steps) this.#told.add(item, step, mail.recipient)
    }
    this.#lookedAt = now
    this.#isFirst = false
    if (mails.length > 0 || now - this.#storedLookAt >= LOOKED_EVERY_MS) await this.#storeLook(now)
  }

  /** A person who can be mailed, as the store has the person now. @throws StoreUnavailableError */
  async readPerson(personId: string): Promise<ReachablePerson | undefined> {
    return (await this.#readPeople()).get(personId)
  }

  /** The item of a notice, if it still waits in this version. `unread`: the watcher will soon know. Undefined: it waits no more, or cannot be read. */
  findItem({ workId, itemId, version }: NoticeRow): WaitingNotice | "unread" | undefined {
    const state = this.#options.queries.watcher.use()
    const watched = state.works.get(workId)
    if (!state.isListed) return "unread"
    if (watched !== undefined && !isChecked(watched)) return state.hasFailed(workId) ? undefined : "unread"
    const item = watched && itemsOf(watched).find(({ id }) => id === itemId)
    if (watched === undefined || item === undefined || String(item.version) !== version) return undefined
    return this.#toNotice(toSeen(watched, item, this.#noticed, Date.now()))
  }

  /** Forgets steps that were taken out of the outbox, so that they can be told later. */
  forget(recipient: string, notices: readonly NoticeRow[]): void {
    for (const notice of notices) this.#told.remove(notice, notice.step, recipient)
  }

  async #readPeople(): Promise<ReadonlyMap<string, ReachablePerson>> {
    this.#people = await readPeopleNow(this.#options, this.#told, this.#warned)
    return this.#people
  }

  /** Whether the watcher has read enough. Before its first round is over, an item that it does not have may wait all the same. */
  #isReady(state: WatchState): boolean {
    if (!state.isListed) return false
    const isRead = (watched: WatchedWork) => isChecked(watched) || state.hasFailed(watched.work.id)
    return state.works.values().every(isRead) || performance.now() - (this.#beganAt ?? 0) > READY_AFTER_MS
  }

  async #load(): Promise<NoticedItems> {
    const { database, outbox, configuration, links } = this.#options
    this.#told = new Told()
    const noticed = new NoticedItems(outbox, this.#told, configuration.webhook && links)
    // Not for the key: this makes the row of `notice_desk` that `looked_at` stands in.
    await readTokenKey(database)
    await noticed.load(database)
    const [row] = await database.read("SELECT looked_at FROM notice_desk WHERE id = 1")
    // A desk that is new, or has not looked for a day, does not make up for the hourly and daily mails of that time.
    const before = Number(row?.["looked_at"] ?? 0)
    const now = Date.now()
    this.#lookedAt = now - before > DAY_MS ? now : before
    this.#isFirst = true
    this.#collectingSince = new Map()
    this.#noticed = noticed
    return noticed
  }

  async #storeLook(now: number): Promise<void> {
    await this.#options.outbox.change(({ write }) => write("UPDATE notice_desk SET looked_at = ? WHERE id = 1", now))
    this.#storedLookAt = now
  }

  *#toNotices(seen: readonly Seen[]): Generator<void, readonly WaitingNotice[]> {
    const notices: WaitingNotice[] = []
    for (const one of seen) {
      notices.push(this.#toNotice(one))
      yield
    }
    return notices
  }

  #toNotice({ watched, item, noticed }: Seen): WaitingNotice {
    return {
      ...noticed,
      colleague: watched.work.colleague,
      priority: watched.work.priority,
      since: Number.isNaN(item.createdAt) ? noticed.seenAt : item.createdAt,
      ablePeople: () => this.#able?.of(watched, item) ?? [],
      mayDecide: (personId) => this.#able?.mayDecide(personId, watched, item) === true,
      escalations:
        item.kind === "approval"
          ? rulesFor(this.#options.access(), item).flatMap((rule) => this.#toEscalation(rule))
          : [],
      ...this.#claimFacts(watched, item),
    }
  }

  /** What decides who is told, as far as the claims tell: to whom the item is given, who has set it aside, when to remind. */
  #claimFacts(watched: WatchedWork, item: ListedItem): Partial<WaitingNotice> {
    const { queries } = this.#options
    const { claims } = queries
    if (claims === undefined) return {}
    const found = queries.claimable(watched, item)
    const given = claims.assignedTo(found)
    const notFor = claims.notFor(found)
    return {
      remindAt: claims.remindAt(found),
      ...(notFor.length > 0 && { notFor: new Set(notFor) }),
      ...(given !== undefined && this.#receiverOf(given)),
    }
  }

  #receiverOf({ to, by }: StoredAssignment): Partial<WaitingNotice> {
    if ("person" in to) return { givenTo: { personId: to.person, byAnother: by !== to.person } }
    const members = [...this.#people].filter(([, { viewer }]) => viewer.teams.includes(to.team))
    return { givenToTeam: new Set(members.map(([id]) => id)) }
  }

  #toEscalation({ colleague, destination, escalate }: Rule): readonly DueEscalation[] {
    if (escalate === undefined) return []
    // `to` is no part of the name. So a change of `to` tells the new members, and nobody twice.
    const name = JSON.stringify([colleague, destination, escalate.after])
    const members = escalate.to.filter((member) => member.kind !== "mailbox")
    const mailboxes = escalate.to.filter((member) => member.kind === "mailbox")
    const isMember = ({ id }: NoticePerson) => {
      const viewer = this.#people.get(id)?.viewer
      return viewer !== undefined && isAmong(members, viewer.identity)
    }
    return [
      {
        rule: createHash("sha256").update(name).digest("base64url").slice(0, 16),
        afterMs: escalate.after,
        mailboxes: mailboxes.map(({ address }) => address),
        isMember,
      },
    ]
  }
}

/** What waits now, oldest first. */
function* seenIn(state: WatchState, known: NoticedItems, now: number): Generator<void, readonly Seen[]> {
  const seen: Seen[] = []
  for (const watched of state.works.values()) {
    if (!isChecked(watched)) continue
    for (const item of itemsOf(watched)) seen.push(toSeen(watched, item, known, now))
    yield
  }
  // The difference is NaN when a time is no date. Then the two keep the order of the list.
  return seen.sort((one, other) => one.item.createdAt - other.item.createdAt || 0)
}

function toSeen(watched: WatchedWork, item: ListedItem, known: NoticedItems | undefined, now: number): Seen {
  const { id: workId, colleague, priority } = watched.work
  const before = known?.get({ workId, itemId: item.id })
  const version = String(item.version)
  if (before?.version === version) return { watched, item, noticed: before }
  const written = parseObject(item.json)?.["created_at"]
  const createdAt = typeof written === "string" ? written : ""
  const { kind, id: itemId } = item
  const noticed = { kind, workId, itemId, version, colleague, priority, createdAt, seenAt: now }
  return { watched, item, noticed }
}

/** Whether an item that the watcher does not have waits no more. The item of a Work that is not watched may wait while `unwatched` is above 0. */
function isGone({ works, unwatched }: WatchState, { workId }: NoticedItem): boolean {
  const watched = works.get(workId)
  return watched === undefined ? unwatched === 0 : isChecked(watched)
}

/** Runs a search to its end in slices. Other work runs between the slices and after the last. */
async function inSlices<Result>(search: Generator<void, Result>): Promise<Result> {
  let began = performance.now()
  for (;;) {
    const next = search.next()
    if (next.done !== true && performance.now() - began < SLICE_MS) continue
    await nextTurn()
    if (next.done === true) return next.value
    began = performance.now()
  }
}

/**
 * Finds what people are to be notified of, and lets each channel add deliveries to the outbox. It remembers what is pending and what has happened to
 * Work, and reads this memory from the store when another desk or a fault may have made it wrong.
 */
import type { Database } from "../store/database.ts"
import { Turns } from "../../platform/turns.ts"
import type { EndedItem } from "../watcher/known-list.ts"
import type { WatchState } from "../watcher/watch-state.ts"
import { sortPeople } from "./able-people.ts"
import type { Channel, Look, NoticeDesk } from "./channel.ts"
import { type KnownItem, type KnownItems, removeItem, storeItems } from "./known-items.ts"
import { DAY_MS } from "./leave-times.ts"
import { addDeliveries } from "./new-deliveries.ts"
import type { Outbox } from "./outbox.ts"
import { OwnNotices } from "./own-notices.ts"
import type { ReadPeople } from "./people-now.ts"
import { renewReturned } from "./returned-people.ts"
import { readTokenKey } from "./unsubscribe.ts"
import { findEnded, isAllRead, readWaiting, type WaitingSources } from "./waiting-items.ts"
import { type FoundSteps, type StepSources, WorkSteps } from "./work-steps.ts"
import { inChunks } from "../store/tables.ts"

/** The longest wait for the watcher to check every Work. After that, notices of the checked Works are sent. */
const READY_AFTER_MS = 120_000
/** How often the time of a look is stored when no delivery was added. */
const LOOKED_EVERY_MS = 10_000
const ITEMS_PER_TRANSACTION = 100

export type OutboxFillerOptions = Omit<WaitingSources, "queries"> & {
  readonly queries: WaitingSources["queries"] & StepSources
  readonly channels: readonly Channel[]
  readonly database: Database
  readonly outbox: Outbox
  readonly known: KnownItems
  readonly desk: NoticeDesk
  readonly readPeople: ReadPeople
}

export class OutboxFiller {
  readonly #options: OutboxFillerOptions
  readonly #workSteps = new WorkSteps()
  readonly #own: OwnNotices
  #beganAt = performance.now()
  /** Whether the memory equals the store. */
  #isLoaded = false
  /** When the desk last looked, in milliseconds since 1970, and the last such time that was stored. */
  #lookedAt = 0
  #storedLookAt = 0
  #chosenAgainAt = 0

  constructor(options: OutboxFillerOptions) {
    this.#options = options
    this.#own = new OwnNotices(options)
  }

  /** Call this when the desk may have got the lease, because another desk may have changed the store. */
  begin(): void {
    this.#beganAt = performance.now()
    this.forget()
  }

  /** The next `fill` reads the store. Call this after a fault, and when notices were withdrawn from a delivery. */
  forget(): void {
    this.#isLoaded = false
  }

  /**
   * Looks once, and lets each channel add deliveries. They are in the outbox before the end of an item or a step is stored: a desk that dies between
   * the two finds the same again, and the outbox keeps no notice twice.
   * @returns whether enough is known to send @throws LeaseLostError, StoreUnavailableError
   */
  async fill(): Promise<boolean> {
    const { queries, channels, outbox, desk } = this.#options
    const state = queries.watcher.wake()
    const isLate = performance.now() - this.#beganAt > READY_AFTER_MS
    const isReady = state.knownWhole().level !== "unknown" && (isAllRead(state) || isLate)
    if (!isReady) return false
    const { look, found } = await this.#lookAtAll(state)
    let added = 0
    for (const channel of channels) {
      const deliveries = await channel.findDeliveries(look, desk)
      await addDeliveries(outbox, channel, deliveries, look.now)
      added += deliveries.length
    }
    await this.#removeEnded(look.ended, look.now)
    await this.#workSteps.keep(found, outbox.change.bind(outbox))
    await this.#own.settle(look.people.all)
    this.#lookedAt = look.now
    if (added > 0 || look.now - this.#storedLookAt >= LOOKED_EVERY_MS) await this.#storeLook(look.now)
    return true
  }

  /** Finds the pending items, the items that have ended, the steps of Work, and who can be notified. Stores only what is new. */
  async #lookAtAll(state: WatchState): Promise<{ readonly look: Look; readonly found: FoundSteps }> {
    const { queries, database, outbox, known, workPeople, readPeople } = this.#options
    await queries.claims?.load()
    // One time for both reads: somebody who comes back from an absence between them counts as back at the next look.
    const now = Date.now()
    if (await renewReturned(outbox, database, now)) this.#isLoaded = false
    const { people, chosenAgainAt } = await readPeople(undefined, now)
    if (chosenAgainAt > this.#chosenAgainAt) this.#isLoaded = false
    this.#chosenAgainAt = chosenAgainAt
    if (!this.#isLoaded) await this.#load(now)
    const items = await readWaiting(this.#options, known, now)
    const ended = findEnded(state, known)
    await this.#keepNew(items.map((item) => item.known))
    const able = await sortPeople(people, { visibleWork: queries.watcher.visibleWork, workPeople })
    const found = await this.#workSteps.find(database, state, queries, now)
    await this.#own.add(found.steps, people, now)
    const look: Look = {
      now,
      lastLookAt: this.#lookedAt,
      items,
      ended,
      people: able,
      stepsFor: (channel) => this.#own.stepsFor(channel, found.steps),
      ownFor: (channel) => this.#own.of(channel),
    }
    return { look, found }
  }

  async #storeLook(now: number): Promise<void> {
    await this.#options.outbox.change(({ write }) => write("UPDATE notice_desk SET looked_at = ? WHERE id = 1", now))
    this.#storedLookAt = now
  }

  async #removeEnded(ended: readonly EndedItem<KnownItem>[], now: number): Promise<void> {
    const { outbox, known } = this.#options
    for (const each of ended) {
      await outbox.change(async (statements) => {
        await removeItem(statements, each)
        await this.#workSteps.storeEnded(statements, each, now)
      })
      known.remove(each.item)
    }
  }

  async #keepNew(items: readonly KnownItem[]): Promise<void> {
    const { outbox, known } = this.#options
    const changed = items.filter((item) => known.get(item) !== item)
    const turns = new Turns()
    for (const some of inChunks(changed, ITEMS_PER_TRANSACTION)) {
      await outbox.change((statements) => storeItems(statements, some))
      for (const item of some) known.put(item)
      if (turns.isOver()) await turns.next()
    }
  }

  /** Reads what an earlier process or another desk has stored. */
  async #load(now: number): Promise<void> {
    const { database, known } = this.#options
    // Before the reads, so that a fault during them makes the desk read again.
    this.#isLoaded = true
    // Not for the key: this creates the row of `notice_desk` that has `looked_at`.
    await readTokenKey(database)
    await known.load(database)
    await this.#workSteps.load(database)
    await this.#own.load()
    const [row] = await database.read("SELECT looked_at FROM notice_desk WHERE id = 1")
    const before = Math.max(this.#lookedAt, Number(row?.["looked_at"] ?? 0))
    // A desk that is new, or has not looked for a day, does not make up for the hourly and daily mails of that time.
    this.#lookedAt = now - before > DAY_MS ? now : before
  }
}

/** While this desk holds the lease `notices`: looks each second at the pending items, lets each channel add deliveries, and sends. */
import type { Log } from "../../platform/log.ts"
import { type Database, StoreUnavailableError } from "../store/database.ts"
import { Turns } from "../../platform/turns.ts"
import { sortPeople } from "./able-people.ts"
import type { Channel, Look, NoticeDesk } from "./channel.ts"
import { type KnownItem, type KnownItems, removeItem, storeItems } from "./known-items.ts"
import { releaseLease, acquireLease } from "./lease.ts"
import { DAY_MS } from "./leave-times.ts"
import { addDeliveries } from "./new-deliveries.ts"
import { LeaseLostError, type Outbox } from "./outbox.ts"
import { OwnNotices } from "./own-notices.ts"
import type { ReadPeople } from "./people-now.ts"
import { renewReturned } from "./returned-people.ts"
import { type CountNotice, createSending, type Sending } from "./sending.ts"
import { readTokenKey } from "./unsubscribe.ts"
import type { EndedItem } from "../watcher/known-list.ts"
import type { WatchState } from "../watcher/watch-state.ts"
import { type FoundSteps, type StepSources, WorkSteps } from "./work-steps.ts"
import { findEnded, isAllRead, readWaiting, type WaitingSources } from "./waiting-items.ts"
import { inBackground } from "../../platform/background.ts"

const LOOK_MS = 1_000
/** The lease lasts 30 s, so that several renewals may fail. */
const RENEW_MS = 5_000
const PRUNE_MS = 3_600_000
/** How long the end waits for deliveries that are being sent. The desk ends within ten seconds. */
const STOP_MS = 7_000
/** The longest wait for the watcher to check every Work. After that, notices of the checked Works are sent. */
const READY_AFTER_MS = 120_000
/** How often the time of a look is stored when no delivery was added. */
const LOOKED_EVERY_MS = 10_000
const ITEMS_PER_TRANSACTION = 100

/** What the notices need of the desk. */
export type NoticeSources = Omit<WaitingSources, "queries"> & {
  readonly queries: WaitingSources["queries"] & StepSources
  readonly channels: readonly Channel[]
  readonly database: Database
  readonly log: Log
  readonly count: CountNotice
}

export type NoticeLoopOptions = NoticeSources & {
  /** Names this process in the lease. */
  readonly holder: string
  readonly outbox: Outbox
  readonly known: KnownItems
  readonly desk: NoticeDesk
  readonly readPeople: ReadPeople
}

export class NoticeLoop {
  readonly #options: NoticeLoopOptions
  readonly #sendings: readonly Sending[]
  readonly #faults: Faults
  readonly #workSteps = new WorkSteps()
  readonly #own: OwnNotices
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()
  #isStopped = false
  #hasLease = false
  /** Whether the memory equals the store. Not after another desk held the lease, after a fault, and after notices were withdrawn from a delivery. */
  #isLoaded = false
  /** When the desk last looked, in milliseconds since 1970, and the last such time that was stored. */
  #lookedAt = 0
  #storedLookAt = 0
  #chosenAgainAt = 0
  #leasedAt = performance.now()
  #renewedAt = Number.NEGATIVE_INFINITY
  /** When old deliveries were last removed. The first time is an hour after the desk began to look. */
  #prunedAt = performance.now()

  constructor(options: NoticeLoopOptions) {
    this.#options = options
    this.#faults = new Faults(options.log)
    this.#own = new OwnNotices(options)
    const onWithdrawn = () => void (this.#isLoaded = false)
    const onFault = (error: unknown) => this.#note(error)
    this.#sendings = options.channels.map((channel) => createSending(channel, { ...options, onFault, onWithdrawn }))
  }

  /** Looks at what is pending, and again a second after each look. */
  start(): void {
    const startedAt = performance.now()
    this.#looking = this.look().finally(() => {
      if (this.#isStopped) return
      // A look at ten thousand items takes a tenth of a second. After a slower look the pause stays short enough to renew the lease and to keep the
      // watcher from resting. Otherwise slow desks would take the lease from each other, each with a watcher that has just begun.
      const pauseMs = Math.min((performance.now() - startedAt) * 10, RENEW_MS)
      this.#timer = setTimeout(() => this.start(), Math.max(LOOK_MS, pauseMs)).unref()
    })
  }

  /** Waits a moment for what is being sent, and gives the lease back. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#looking
    await Promise.all(this.#sendings.map((sending) => sending.stop(STOP_MS)))
    const { database, holder } = this.#options
    // Without the store, the lease runs out by itself.
    if (this.#hasLease) await releaseLease(database, holder).catch(() => undefined)
  }

  /** Looks once. Never rejects: what fails is noted in the log, and the next look tries again. */
  async look(): Promise<void> {
    try {
      if (performance.now() - this.#renewedAt >= RENEW_MS) await this.#acquireLease()
      if (this.#hasLease) await this.#lookAndSend()
      this.#faults.healed()
    } catch (error) {
      this.#note(error)
    }
  }

  #note(error: unknown): void {
    // The answer of the store may have been lost after a change.
    this.#isLoaded = false
    if (error instanceof LeaseLostError) this.#hasLease = false
    else this.#faults.note(error)
  }

  /** Acquires the lease if it is free, or renews it, and renews what this desk is sending. */
  async #acquireLease(): Promise<void> {
    const { database, holder, outbox } = this.#options
    const hadLease = this.#hasLease
    this.#hasLease = await acquireLease(database, holder, Date.now())
    if (!hadLease) this.#leasedAt = performance.now()
    // Another desk may have changed the store.
    if (!hadLease) this.#isLoaded = false
    const underWay = this.#sendings.flatMap((sending) => sending.underWay())
    if (this.#hasLease) await outbox.keep(underWay, Date.now())
    this.#renewedAt = performance.now()
  }

  async #lookAndSend(): Promise<void> {
    // A look that stores very many mails may take longer than the lease lasts. When the store is away, the look itself fails.
    const renewing = setInterval(() => inBackground(() => this.#acquireLease()), RENEW_MS)
    const isReady = await this.fill().finally(() => clearInterval(renewing))
    if (!isReady) return
    for (const sending of this.#sendings) inBackground(sending.begin)
    // A desk that has just begun may not know yet which items wait, and what is pruned of a pending item is notified again.
    if (this.#options.queries.watcher.wake().knownWhole().level !== "whole") return
    if (performance.now() - this.#prunedAt < PRUNE_MS) return
    this.#prunedAt = performance.now()
    await this.#options.outbox.prune(Date.now())
  }

  /**
   * Looks once, and lets each channel add deliveries to the outbox. The order counts: the deliveries are in the outbox before the end of an item or a
   * step is stored. A desk that dies between the two finds the same again at its next look, and the outbox keeps no notice twice.
   * @returns whether enough is known to send
   * @throws LeaseLostError, StoreUnavailableError
   */
  async fill(): Promise<boolean> {
    const { queries, channels, outbox, desk } = this.#options
    const state = queries.watcher.wake()
    const isLate = performance.now() - this.#leasedAt > READY_AFTER_MS
    if (state.knownWhole().level === "unknown" || !(isAllRead(state) || isLate)) return false
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
    for (let begin = 0; begin < changed.length; begin += ITEMS_PER_TRANSACTION) {
      const some = changed.slice(begin, begin + ITEMS_PER_TRANSACTION)
      await outbox.change((statements) => storeItems(statements, some))
      for (const item of some) known.put(item)
      if (turns.isOver()) await turns.next()
    }
  }

  /** Reads what an earlier process or another desk has stored. */
  async #load(now: number): Promise<void> {
    const { database, known } = this.#options
    // Before it is read, so that a fault meanwhile makes the desk read again.
    this.#isLoaded = true
    // Not for the key: this makes the row of `notice_desk` that `looked_at` stands in.
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

/** Logs when notices can't be sent, and when they can again: once for each outage of the store, and each time for a fault of the desk. */
class Faults {
  readonly #log: Log
  #isAway = false

  constructor(log: Log) {
    this.#log = log
  }

  note(error: unknown): void {
    const fields =
      error instanceof StoreUnavailableError
        ? { cause: error.logCause, failure: error.message }
        : { cause: "fault", failure: error instanceof Error ? error.name : "unknown" }
    const isOwnFault = fields.cause === "fault"
    if (!this.#isAway || isOwnFault) this.#log.error(fields, "notices can't continue")
    this.#isAway = true
  }

  healed(): void {
    if (this.#isAway) this.#log.warn({}, "notices go on")
    this.#isAway = false
  }
}

/** Sends the due deliveries of one channel: at most four at a time, or two to each of the channel's places (`place-room.ts`). */
import { setTimeout as delay } from "node:timers/promises"
import { inBackground } from "../../platform/background.ts"
import type { Log } from "../../platform/log.ts"
import { StoreUnavailableError } from "../store/database.ts"
import type { Channel, Condition, Delivery, NoticeDesk, Outcome, Places, PlacesOfChannel, Result } from "./channel.ts"
import type { Outbox, StoredResult } from "./outbox.ts"
import { type EnteredPlaces, NO_PLACES, PlaceRoom } from "./place-room.ts"

const AT_A_TIME = 4
const STORE_RETRY_MS = 500

/** Counts the result of a delivery or an attempt, for the metrics. */
export type CountNotice = (channel: string, outcome: Outcome) => void

export type SendingOptions = {
  readonly outbox: Outbox
  readonly desk: NoticeDesk
  readonly log: Log
  readonly count: CountNotice
  /** Called when a channel or the store rejected. */
  readonly onFault: (error: unknown) => void
  /** Called when a delivery left out some of its notices. A later delivery may have them. */
  readonly onWithdrawn: () => void
}

export type Sending = {
  readonly begin: () => Promise<void>
  /** The deliveries that are being sent. */
  readonly underWay: () => readonly number[]
  /** Begins nothing more, and resolves when nothing is being sent, or after `waitMs`. */
  readonly stop: (waitMs: number) => Promise<void>
}

export function createSending(channel: Channel, options: SendingOptions): Sending {
  const { outbox, desk, log, count, onFault, onWithdrawn } = options
  const running = new Map<number, Promise<void>>()
  const room = new PlaceRoom(() => inBackground(begin))
  /** The recipients that want no further deliveries. */
  const gone = new Set<string>()
  const underWay = () => [...running.keys()]
  let leasing = Promise.resolve()
  let state: "sending" | "ending" | "ended" = "sending"

  // One after the other: what one has leased is under way before the next one looks.
  const begin = () => (leasing = leasing.then(sendSome).catch(onFault))

  const leaseDue = (limit: number, only?: Condition) =>
    outbox.leaseDue(channel, { now: Date.now(), limit, underWay: underWay(), gone: [...gone], only })

  async function sendSome(): Promise<void> {
    if (channel.places !== undefined) return sendByPlace(channel.places)
    const most = Math.min(AT_A_TIME, channel.maxAtATime?.() ?? AT_A_TIME)
    if (state !== "sending" || running.size >= most) return
    for (const delivery of await leaseDue(most - running.size)) start(delivery, NO_PLACES)
  }

  /** Sends one delivery after the other, because each may fill a place. The number of places limits how many are under way. */
  async function sendByPlace({ placesOf, exceptPlaces }: PlacesOfChannel): Promise<void> {
    for (;;) {
      if (state !== "sending") return
      const full = room.full()
      const [delivery] = await leaseDue(1, full.length === 0 ? undefined : exceptPlaces(full))
      if (delivery === undefined) return
      const places = room.enter(await placesOf(delivery, desk))
      start(delivery, places)
      // A delivery that has entered no place counts nowhere, so going on could start any number of them. When it ends, the next one begins.
      if (places.isEmpty) return
    }
  }

  function start(delivery: Delivery, places: EnteredPlaces): void {
    running.set(delivery.sequence, run(delivery, places))
  }

  async function run(delivery: Delivery, places: EnteredPlaces): Promise<void> {
    let isDone = false
    try {
      await deliver(delivery, places)
      isDone = true
    } catch (error) {
      onFault(error)
    }
    running.delete(delivery.sequence)
    places.leaveAll()
    // What has thrown stays in the outbox, and the next look begins it again.
    if (isDone) inBackground(begin)
  }

  async function deliver(delivery: Delivery, places: Places): Promise<void> {
    const result = await attempt(delivery, places)
    const isNewlyGone = result.kind === "gone" && !gone.has(delivery.recipient)
    if (result.kind === "gone") gone.add(delivery.recipient)
    const { outcome, isGivenUp } = await untilStored(() => outbox.storeResult(channel, delivery, result))
    if ((result.withdrawn ?? []).length > 0) onWithdrawn()
    if (outcome !== undefined) count(channel.name, outcome)
    const fields = { ...channel.who?.(delivery.recipient), answer: result.answer }
    if (isNewlyGone)
      log.warn(fields, `${channel.noun} got a 410 response: the desk sends nothing there until its next restart`)
    if (isGivenUp) log.warn(fields, `the desk gave up on ${channel.noun}`)
    if (outcome === "refused") log.warn(fields, `${channel.noun} was refused permanently`)
  }

  /** Sends a delivery. @throws StoreUnavailableError before anything was sent */
  async function attempt(delivery: Delivery, places: Places): Promise<Result> {
    const notices = await outbox.noticesOf(channel, delivery)
    if (notices === undefined) return { kind: "dropped", answer: "" }
    try {
      return await channel.send(delivery, notices, desk, places)
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error
      // A fault of the desk with one delivery holds no other: it is tried again like any failure.
      onFault(error)
      return { kind: "failed", answer: "fault" }
    }
  }

  /** Stores the result of a delivery, even if the store comes back only later: what was sent must not be sent again. */
  async function untilStored(store: () => Promise<StoredResult>): Promise<StoredResult> {
    for (;;) {
      try {
        return await store()
      } catch (error) {
        if (!(error instanceof StoreUnavailableError) || state === "ended") throw error
      }
      await delay(STORE_RETRY_MS)
    }
  }

  return {
    begin,
    underWay,
    async stop(waitMs) {
      state = "ending"
      await leasing
      await Promise.race([Promise.all(running.values()), delay(waitMs, undefined, { ref: false })])
      state = "ended"
    },
  }
}

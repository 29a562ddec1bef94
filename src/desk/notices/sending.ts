/** Sends the due deliveries of one channel: at most four at a time, or two to each of the channel's places. When one ends, the next begins. */
import { setTimeout as delay } from "node:timers/promises"
import { inBackground } from "../../platform/background.ts"
import type { Log } from "../../platform/log.ts"
import { StoreUnavailableError } from "../store/database.ts"
import type { Channel, Delivery, Lanes, NoticeDesk, Outcome, Places, Result } from "./channel.ts"
import type { Outbox, Stored } from "./outbox.ts"

const AT_A_TIME = 4
/** To each place of a channel that has places. */
const AT_A_TIME_TO_A_PLACE = 2
const STORE_RETRY_MS = 500

const NO_PLACES = { has: () => false, leave: () => undefined, leaveAll: () => undefined }

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
  /** How many deliveries are under way to each place. */
  const perPlace = new Map<string, number>()
  /** The recipients that want no further deliveries. */
  const gone = new Set<string>()
  const underWay = () => [...running.keys()]
  let taking = Promise.resolve()
  let state: "sending" | "ending" | "ended" = "sending"

  // One take after the other: what one take has found is under way before the next one looks.
  const begin = () => (taking = taking.then(sendSome).catch(onFault))

  async function sendSome(): Promise<void> {
    if (channel.lanes !== undefined) return sendByPlace(channel.lanes)
    const most = Math.min(AT_A_TIME, channel.maxAtATime?.() ?? AT_A_TIME)
    if (state !== "sending" || running.size >= most) return
    const taken = await outbox.take(channel, Date.now(), most - running.size, underWay(), [...gone])
    for (const delivery of taken) running.set(delivery.sequence, start(delivery, NO_PLACES))
  }

  /** Takes one delivery after the other, because each may fill a place. The number of places limits how many are under way. */
  async function sendByPlace({ placesOf, exceptPlaces }: Lanes): Promise<void> {
    for (;;) {
      if (state !== "sending") return
      const full = [...perPlace.keys()].filter((place) => !hasRoom(place))
      const condition = full.length === 0 ? undefined : exceptPlaces(full)
      const [delivery] = await outbox.take(channel, Date.now(), 1, underWay(), [...gone], condition)
      if (delivery === undefined) return
      const places = enter(await placesOf(delivery, desk))
      running.set(delivery.sequence, start(delivery, places))
      // A delivery that has entered no place counts nowhere, so going on could start any number of them. When it ends, the next one begins.
      if (places.enteredNone) return
    }
  }

  const hasRoom = (place: string) => (perPlace.get(place) ?? 0) < AT_A_TIME_TO_A_PLACE

  /** Counts a delivery in each of these places that has room. */
  function enter(places: readonly string[]): Places & { readonly enteredNone: boolean; readonly leaveAll: () => void } {
    const entered = new Set(places.filter(hasRoom))
    for (const place of entered) perPlace.set(place, (perPlace.get(place) ?? 0) + 1)
    const free = (place: string) => {
      if (!entered.delete(place)) return
      const left = (perPlace.get(place) ?? 0) - 1
      if (left > 0) perPlace.set(place, left)
      else perPlace.delete(place)
    }
    return {
      enteredNone: entered.size === 0,
      has: (place) => entered.has(place),
      leave(place) {
        free(place)
        inBackground(begin)
      },
      leaveAll: () => entered.forEach(free),
    }
  }

  async function start(delivery: Delivery, places: Places & { readonly leaveAll: () => void }): Promise<void> {
    let isDone = false
    try {
      await deliver(delivery, places)
      isDone = true
    } catch (error) {
      onFault(error)
    }
    running.delete(delivery.sequence)
    places.leaveAll()
    // What has thrown stays in the outbox, and the next look takes it again.
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
      log.warn(fields, `${channel.noun} got the answer 410: the desk sends nothing there until it restarts`)
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
  async function untilStored(store: () => Promise<Stored>): Promise<Stored> {
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
      await taking
      await Promise.race([Promise.all(running.values()), delay(waitMs, undefined, { ref: false })])
      state = "ended"
    },
  }
}

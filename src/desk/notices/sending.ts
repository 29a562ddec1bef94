/** Sends what is due of one channel: at most four deliveries at a time, and when one ends, the next begins. */
import { setTimeout as delay } from "node:timers/promises"
import { inBackground } from "../../platform/background.ts"
import type { Log } from "../../platform/log.ts"
import { StoreUnavailableError } from "../store/database.ts"
import type { Channel, Delivery, NoticeDesk, Outcome, Result } from "./channel.ts"
import type { Outbox, Stored } from "./outbox.ts"

const AT_A_TIME = 4
const STORE_RETRY_MS = 500

/** Counts what became of a delivery or an attempt, for the metrics. */
export type CountNotice = (channel: string, outcome: Outcome) => void

export type SendingOptions = {
  readonly outbox: Outbox
  readonly desk: NoticeDesk
  readonly log: Log
  readonly count: CountNotice
  /** Called when a channel or the store rejected. */
  readonly onFault: (error: unknown) => void
  /** Called when notices were left out, which a later delivery may have. */
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
  /** The recipients that want no more. */
  const gone = new Set<string>()
  const underWay = () => [...running.keys()]
  let taking = Promise.resolve()
  let state: "sending" | "ending" | "ended" = "sending"

  // One take after the other: what one take has found is under way before the next one looks.
  const begin = () => (taking = taking.then(takeSome).catch(onFault))

  async function takeSome(): Promise<void> {
    const most = Math.min(AT_A_TIME, channel.maxAtATime?.() ?? AT_A_TIME)
    if (state !== "sending" || running.size >= most) return
    const taken = await outbox.take(channel, Date.now(), most - running.size, underWay(), [...gone])
    for (const delivery of taken) running.set(delivery.sequence, start(delivery))
  }

  async function start(delivery: Delivery): Promise<void> {
    let isDone = false
    try {
      await deliver(delivery)
      isDone = true
    } catch (error) {
      onFault(error)
    }
    running.delete(delivery.sequence)
    // What has thrown stays in the outbox, and the next look takes it again.
    if (isDone) inBackground(begin)
  }

  async function deliver(delivery: Delivery): Promise<void> {
    const result = await attempt(delivery)
    const isNewlyGone = result.kind === "gone" && !gone.has(delivery.recipient)
    if (result.kind === "gone") gone.add(delivery.recipient)
    const { outcome, isGivenUp } = await untilStored(() => outbox.storeResult(channel, delivery, result))
    if ((result.withdrawn ?? []).length > 0) onWithdrawn()
    if (outcome !== undefined) count(channel.name, outcome)
    const fields = { ...channel.who?.(delivery.recipient), answer: result.answer }
    if (isNewlyGone)
      log.warn(fields, `${channel.noun} was answered with 410: this desk sends nothing more there until it restarts`)
    if (isGivenUp) log.warn(fields, `${channel.noun} was given up`)
    if (outcome === "refused") log.warn(fields, `${channel.noun} was refused for good`)
  }

  /** Sends a delivery. @throws StoreUnavailableError before anything was sent */
  async function attempt(delivery: Delivery): Promise<Result> {
    const notices = await outbox.noticesOf(channel, delivery)
    if (notices === undefined) return { kind: "dropped", answer: "" }
    try {
      return await channel.send(delivery, notices, desk)
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error
      // A fault of the desk with one delivery holds no other: it is tried again like any failure.
      onFault(error)
      return { kind: "failed", answer: "fault" }
    }
  }

  /** Stores what became of a delivery, also when the store comes back only later: what was sent must not be sent again. */
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

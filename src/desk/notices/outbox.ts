/**
 * The outbox in the desk's store: leases deliveries to the process that sends them, and stores their results (`docs/notices.md` has the states). By
 * the key of the table `notice`, a step of a version of an item is in one delivery to a recipient. Only the desk that holds the lease `notices`
 * (`lease.ts`) adds deliveries (`new-deliveries.ts`) and leases them.
 */
import * as v from "valibot"
import { ABSENCE_MAX_MS } from "../../contract/desk-people.ts"
import { RECENT_MS } from "../people/directory.ts"
import type { Database, Reader, Statements } from "../store/database.ts"
import { optional, placesFor, select } from "../store/tables.ts"
import type { Channel, Condition, Delivery, Notice, Outcome, Result } from "./channel.ts"
import { holdsLease } from "./lease.ts"

const RETRY_MS = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000] as const

/** How long to wait after a number of failed attempts, in milliseconds. Undefined: no further attempt. */
export function retryAfter(attempts: number): number | undefined {
  return RETRY_MS[attempts - 1]
}

/** The longest wait between two attempts. */
export const LONGEST_RETRY_MS = 18_000_000

/** How long a leased delivery belongs to its process. */
const DELIVERY_LEASE_MS = 30_000

/** How long settled deliveries are kept. */
const KEPT_MS = 30 * 86_400_000

/** How long a notice of own Work waits for its person: the longest absence, and then as long as anybody can be notified without a sign-in. */
const OWN_KEPT_MS = ABSENCE_MAX_MS + RECENT_MS

/** What the outbox reads of a channel. */
export type OutboxChannel = Pick<Channel, "name" | "order">

/** What was stored about a result: how it counts, and whether the delivery was given up. */
export type StoredResult = { readonly outcome: Outcome | undefined; readonly isGivenUp: boolean }

/** The lease was lost: another desk fills the outbox and sends from it now. */
export class LeaseLostError extends Error {}

/** Which deliveries to lease. */
type DueDeliveries = {
  readonly now: number
  readonly limit: number
  /** The deliveries that this process is sending. Any other that it has leased is free again: its attempt has thrown, or the store's answer was lost. */
  readonly underWay: readonly number[]
  /** The recipients that want no more deliveries. */
  readonly gone?: readonly string[]
  readonly only?: Condition | undefined
}

export class Outbox {
  readonly #database: Database
  readonly #holder: string

  /** `holder` names this process in the lease `notices`, and in the deliveries that it leases. */
  constructor(database: Database, holder: string) {
    this.#database = database
    this.#holder = holder
  }

  /** Runs `work` in a transaction that only the holder of the lease gets. @throws LeaseLostError, StoreUnavailableError */
  async change<Answer>(work: (statements: Statements) => Promise<Answer>): Promise<Answer> {
    return this.#database.transaction("notices", async (statements) => {
      if (!(await holdsLease(statements, this.#holder, Date.now()))) throw new LeaseLostError()
      return work(statements)
    })
  }

  /** Leases due deliveries of a channel, oldest first. @throws LeaseLostError, StoreUnavailableError */
  async leaseDue(
    { name, order }: OutboxChannel,
    { now, limit, underWay, gone = [], only }: DueDeliveries,
  ): Promise<readonly Delivery[]> {
    const isFree = `settled_at IS NULL AND (leased_until IS NULL OR leased_until <= ? OR leased_by = ?)
      ${underWay.length === 0 ? "" : `AND sequence NOT IN (${placesFor(underWay)})`}`
    const free = [now, this.#holder, ...underWay]
    const due = await this.#database.read(
      `SELECT sequence FROM notice_delivery AS own WHERE channel = ? AND due_at <= ? AND ${isFree}
         ${gone.length === 0 ? "" : `AND recipient NOT IN (${placesFor(gone)})`}
         ${only === undefined ? "" : `AND ${only.sql}`}
         ${order === "by-item" ? `AND (SELECT COUNT(*) ${OTHERS} AND its.sequence < own.sequence AND its.settled_at IS NULL) = 0` : ""}
       ORDER BY sequence LIMIT ${limit}`,
      name,
      now,
      ...free,
      ...gone,
      ...(only?.values ?? []),
    )
    if (due.length === 0) return []
    const sequences = due.map(({ sequence }) => Number(sequence))
    return this.change(async ({ write }) => {
      const leased = await select(
        { read: write },
        deliveryRow,
        `UPDATE notice_delivery SET leased_by = ?, leased_until = ? WHERE sequence IN (${placesFor(sequences)}) AND ${isFree}
         RETURNING sequence, id, recipient, content, attempts`,
        this.#holder,
        now + DELIVERY_LEASE_MS,
        ...sequences,
        ...free,
      )
      return [...leased].sort((one, other) => one.sequence - other.sequence)
    })
  }

  /** Renews the deliveries that this process is sending, so that no other desk leases them. */
  async renewLeases(underWay: readonly number[], now: number): Promise<void> {
    if (underWay.length === 0) return
    await this.#database.write(
      `UPDATE notice_delivery SET leased_until = ? WHERE leased_by = ? AND settled_at IS NULL
         AND sequence IN (${placesFor(underWay)})`,
      now + DELIVERY_LEASE_MS,
      this.#holder,
      ...underWay,
    )
  }

  /** The notices of a delivery. Undefined: a newer delivery about the same item replaces it. */
  async noticesOf(channel: OutboxChannel, delivery: Delivery): Promise<readonly Notice[] | undefined> {
    if (await isReplaced(this.#database, channel, delivery)) return undefined
    return select(
      this.#database,
      noticeRow,
      "SELECT work_id, item_id, version, step FROM notice WHERE delivery = ? AND recipient = ?",
      delivery.sequence,
      delivery.recipient,
    )
  }

  /** Settles a delivery, or makes it due again. Not in `change`: a delivery that was accepted is stored even if the lease was lost. */
  async storeResult(channel: OutboxChannel, delivery: Delivery, result: Result): Promise<StoredResult> {
    return this.#database.transaction("notices", async (statements) => {
      for (const { workId, itemId, version, step } of result.withdrawn ?? []) {
        await statements.write(
          `DELETE FROM notice WHERE channel = ? AND recipient = ? AND work_id = ? AND item_id = ? AND version = ? AND step = ?`,
          channel.name,
          delivery.recipient,
          workId,
          itemId,
          version,
          step,
        )
      }
      await result.also?.(statements)
      if (result.kind === "postponed" || result.kind === "gone") {
        const { answer } = result
        const dueAt = result.kind === "postponed" ? result.until : undefined
        await release(statements, delivery, { dueAt, attempts: delivery.attempts, answer })
        return { outcome: answer === undefined ? undefined : "failed", isGivenUp: false }
      }
      const { kind, answer } = result
      const attempts = delivery.attempts + 1
      const outcome = kind === "failed" && (await isReplaced(statements, channel, delivery)) ? "dropped" : kind
      const wait = outcome === "failed" ? retryAfter(attempts) : undefined
      if (wait === undefined) await release(statements, delivery, { settledAt: Date.now(), outcome, attempts, answer })
      else await release(statements, delivery, { dueAt: Date.now() + wait, attempts, answer })
      return { outcome, isGivenUp: outcome === "failed" && wait === undefined }
    })
  }

  /** Removes what was settled 30 days ago. The notices of an item that still waits are kept, so that nobody is notified again. */
  async prune(now: number): Promise<void> {
    await this.change(async ({ write }) => {
      await write(
        `DELETE FROM notice WHERE delivery IN (SELECT sequence FROM notice_delivery WHERE settled_at <= ?)
           AND NOT EXISTS (SELECT 1 FROM noticed_item AS waiting WHERE waiting.work_id = notice.work_id
             AND waiting.item_id = notice.item_id AND waiting.version = notice.version)`,
        now - KEPT_MS,
      )
      await write(
        `DELETE FROM notice_delivery WHERE settled_at <= ? AND NOT EXISTS (SELECT 1 FROM notice WHERE delivery = sequence)`,
        now - KEPT_MS,
      )
      // No mail could be sent to the person for a long time.
      await write("DELETE FROM notice WHERE delivery IS NULL AND seen_at <= ?", now - OWN_KEPT_MS)
    })
  }
}

/** SQL: the deliveries about an item of the delivery `own`. They are counted, because PostgreSQL makes NOT EXISTS a join of all notices. */
const OTHERS = `FROM notice AS mine JOIN notice AS other ON other.channel = mine.channel
    AND other.work_id = mine.work_id AND other.item_id = mine.item_id
  JOIN notice_delivery AS its ON its.sequence = other.delivery
  WHERE mine.delivery = own.sequence`

/** Whether a newer delivery is about the same item. */
async function isReplaced({ read }: Reader, { order }: OutboxChannel, { sequence }: Delivery): Promise<boolean> {
  if (order === "any") return false
  const sql = `SELECT 1 FROM notice_delivery AS own WHERE sequence = ? AND EXISTS (SELECT 1 ${OTHERS} AND its.sequence > own.sequence)`
  return (await read(sql, sequence)).length > 0
}

type Released = {
  readonly attempts: number
  readonly answer: string | undefined
  readonly dueAt?: number | undefined
  readonly settledAt?: number
  readonly outcome?: Outcome
}

/** Stores what an attempt has changed, and ends the lease of the delivery. */
async function release({ write }: Statements, { sequence }: Delivery, changed: Released): Promise<void> {
  const { attempts, answer, dueAt, settledAt, outcome } = changed
  await write(
    `UPDATE notice_delivery SET attempts = ?, answer = COALESCE(?, answer), due_at = COALESCE(?, due_at), settled_at = ?, outcome = ?,
       leased_by = NULL, leased_until = NULL
     WHERE sequence = ?`,
    attempts,
    answer ?? null,
    dueAt ?? null,
    settledAt ?? null,
    outcome ?? null,
    sequence,
  )
}

const deliveryRow = v.object({
  sequence: v.number(),
  id: v.string(),
  recipient: v.string(),
  content: optional(v.string()),
  attempts: v.number(),
})

const noticeRow = v.object({ workId: v.string(), itemId: v.string(), version: v.string(), step: v.string() })

/**
 * Results of people's own Work that are in no delivery yet: the rows of `notice` without a delivery. Each channel that notifies people of their own
 * Work has its own rows. The store also keeps since when each channel exists, because nothing from before is sent.
 */
import * as v from "valibot"
import type { Database, Statements } from "../store/database.ts"
import { inChunks, select, upsert } from "../store/tables.ts"
import type { Channel, NoticeDesk } from "./channel.ts"
import type { Outbox } from "./outbox.ts"
import { OWN_STEPS, toOwnNotices, wantsStep } from "./own-work.ts"
import type { Person } from "./people-now.ts"
import type { WorkStep } from "./work-steps.ts"

const NOTICES_PER_TRANSACTION = 100

const ownNoticeRow = v.pipe(
  v.object({
    channel: v.string(),
    recipient: v.string(),
    workId: v.string(),
    itemId: v.string(),
    version: v.string(),
    step: v.picklist(OWN_STEPS),
    urgent: v.number(),
    seenAt: v.number(),
  }),
  // Whether the notice stands in a delivery, as `KnownItem` has it.
  v.transform((row) => ({ ...row, notified: new Map<string, Set<string>>() })),
)

/** A step that no delivery of a channel to a person has yet. `itemId` is empty for a step of the Work itself. */
export type OwnNotice = Readonly<v.InferOutput<typeof ownNoticeRow>>

export type OwnNoticesOptions = {
  readonly channels: readonly Channel[]
  readonly database: Database
  readonly outbox: Outbox
  readonly desk: Pick<NoticeDesk, "seesWork">
}

export class OwnNotices {
  readonly #options: OwnNoticesOptions
  #rows: readonly OwnNotice[] = []
  /** Since when each channel exists, by its name. Milliseconds since 1970. */
  #since: Readonly<Record<string, number>> = {}

  constructor(options: OwnNoticesOptions) {
    this.#options = options
  }

  /** Reads what is stored. @throws LeaseLostError, StoreUnavailableError */
  async load(): Promise<void> {
    const { database, outbox } = this.#options
    await outbox.change(adoptOlder)
    const [desk] = await database.read("SELECT channels FROM notice_desk WHERE id = 1")
    this.#since = v.parse(channelsSince, desk?.["channels"] ?? "{}")
    this.#rows = await readRows(database)
  }

  /** The notices of a channel that are in no delivery yet. */
  of(channel: string): readonly OwnNotice[] {
    return this.#rows.filter((notice) => notice.channel === channel)
  }

  /** The steps since a channel exists. */
  stepsFor(channel: string, steps: readonly WorkStep[]): readonly WorkStep[] {
    const since = this.#since[channel] ?? Number.POSITIVE_INFINITY
    return steps.filter(({ at }) => at > since)
  }

  /** Stores, for each channel, who is notified of these steps. @throws LeaseLostError, StoreUnavailableError */
  async add(steps: readonly WorkStep[], people: ReadonlyMap<string, Person>, now: number): Promise<void> {
    await this.#keepChannels(now)
    const { channels, database, outbox, desk } = this.#options
    const ownWorkChannels = channels.map(({ name, notifiesOfOwnWork }) => ({
      name,
      notifies: notifiesOfOwnWork ?? (() => false),
      since: this.#since[name] ?? now,
    }))
    const made = await toOwnNotices(database, steps, ownWorkChannels, people, now, desk.seesWork)
    if (made.length === 0) return
    for (const some of inChunks(made, NOTICES_PER_TRANSACTION))
      await outbox.change((statements) => storeRows(statements, some))
    this.#rows = await readRows(database)
  }

  /** Forgets what is in a delivery now, and removes what its person no longer wants. @throws LeaseLostError, StoreUnavailableError */
  async settle(people: ReadonlyMap<string, Person>): Promise<void> {
    const { channels, outbox } = this.#options
    const isWanted = ({ channel, recipient, step }: OwnNotice) => {
      const person = people.get(recipient)
      const notifies = channels.find(({ name }) => name === channel)?.notifiesOfOwnWork
      return person !== undefined && notifies?.(person) === true && wantsStep(person.choice, step)
    }
    this.#rows = this.#rows.filter((notice) => notice.notified.size === 0)
    const unwanted = new Set(this.#rows.filter((notice) => !isWanted(notice)))
    if (unwanted.size === 0) return
    await outbox.change(async (statements) => {
      for (const notice of unwanted) await removeRow(statements, notice)
    })
    this.#rows = this.#rows.filter((notice) => !unwanted.has(notice))
  }

  async #keepChannels(now: number): Promise<void> {
    const { channels, outbox } = this.#options
    const since = Object.fromEntries(channels.map(({ name }) => [name, this.#since[name] ?? now]))
    const text = JSON.stringify(since)
    if (text === JSON.stringify(this.#since)) return
    await outbox.change(({ write }) => write("UPDATE notice_desk SET channels = ? WHERE id = 1", text))
    this.#since = since
  }
}

const channelsSince = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.number()))

const readRows = (database: Database) =>
  select(database, ownNoticeRow, "SELECT * FROM notice WHERE delivery IS NULL ORDER BY seen_at")

async function storeRows(statements: Statements, notices: readonly OwnNotice[]): Promise<void> {
  const key = ["channel", "recipient", "workId", "itemId", "version", "step"]
  const rows = notices.map(({ notified: _notified, ...row }) => row)
  // A row with this key may be in a delivery: a desk died before it could store that the step was found.
  await upsert(statements, "notice", { key, kept: ["urgent", "seenAt"] }, ...rows)
}

/** Moves the rows of a desk of schema 3, which may have run until now beside this one. */
async function adoptOlder({ write }: Statements): Promise<void> {
  const columns = "channel, recipient, work_id, item_id, version, step, urgent, seen_at"
  await write(`INSERT INTO notice (${columns}) SELECT ${columns} FROM own_notice WHERE true ON CONFLICT DO NOTHING`)
  await write("DELETE FROM own_notice")
}

async function removeRow({ write }: Statements, notice: OwnNotice): Promise<void> {
  const { channel, recipient, workId, itemId, version, step } = notice
  await write(
    `DELETE FROM notice WHERE channel = ? AND recipient = ? AND work_id = ? AND item_id = ? AND version = ? AND step = ? AND delivery IS NULL`,
    channel,
    recipient,
    workId,
    itemId,
    version,
    step,
  )
}

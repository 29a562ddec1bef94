/** A cache of who created and decided the Works that were asked for last. It also knows which createWorks are on their way. */
import * as v from "valibot"
import { RecentlyUsed } from "../../platform/recently-used.ts"
import { Turns } from "../../platform/turns.ts"
import type { Database } from "../store/database.ts"
import { optional, select } from "../store/tables.ts"
import { NOBODY, peopleOf, type PeopleOfWork, WORKS_PER_READ } from "./creators-and-deciders.ts"
import { ANSWER_MS, OUTCOME } from "./gate/attempt-state.ts"
import { sharedRuns } from "./shared-runs.ts"

/** How long a createWork may be on its way, with a reserve. After this time its outcome is stored, or its process was killed. */
export const CREATION_MS = 2 * ANSWER_MS
/** How long an unchanged store of the only desk isn't read again. Then it is read, because a desk that is ending may still have written to the file. */
const UNCHANGED_MS = 1_000
/** How much the service's clock may differ from the desk's. */
const CLOCKS_DIFFER_MS = 10_000

/** How many Works are cached at least: all that the desk can know approvals of (`known-approvals.ts`). At most twice as many are. */
const WORKS_MAX = 200_000

const changedRow = v.object({ workId: optional(v.string()) })

/** The Works of the actions that outcome rows after the first value, up to the second, have recorded. */
const WORKS_WITH_ACTIONS = `
  SELECT DISTINCT coalesce(answered.work_id, asked.work_id) AS work_id
  FROM record AS answered JOIN record AS asked ON asked.sequence = answered.intent
  WHERE answered.sequence > ? AND answered.sequence <= ? AND answered.outcome = 'recorded'
    AND asked.operation IN ('createWork', 'resolveWorkApproval')`

export class WorkPeople {
  /** Everything that was recorded before this time has been read. Milliseconds since 1970. */
  readAt = Number.NEGATIVE_INFINITY
  readonly #database: Database
  /** A Work without known people is also kept. */
  readonly #works = new RecentlyUsed<PeopleOfWork>(2 * WORKS_MAX)
  /** Works with the same people share one object. The key is the people as JSON. */
  readonly #shared = new Map<string, PeopleOfWork>()
  #unread = new Set<string>()
  readonly #readShared = sharedRuns(() => this.#read())
  /** When each createWork without a stored outcome was sent. Milliseconds since 1970. */
  #sentCreations: readonly number[] = []
  #onRead: (hasNews: boolean) => void = () => undefined
  /** The last row of the record that was read. Undefined before the first read. */
  #lastSequence: number | undefined
  /** When the last read of the store began, and how many changes the desk had made then. */
  #lastRead: { readonly at: number; readonly changes: number | undefined } = { at: 0, changes: undefined }

  constructor(database: Database) {
    this.#database = database
  }

  /** Calls `listener` after each read. `hasNews`: Works have new actions, or other createWorks are on their way. */
  onRead(listener: (hasNews: boolean) => void): void {
    this.#onRead = listener
  }

  /**
   * Reads what is new, if anything can be new, and of the given Works those that are unread. Calls at the same time share reads that begin after
   * them, and other requests run between the reads of very many Works. @throws StoreUnavailableError
   */
  async refresh(workIds: Iterable<string> = []): Promise<void> {
    const turns = new Turns()
    let count = 0
    for (const id of workIds) {
      if (turns.isOver()) await turns.next()
      if (this.of(id) !== undefined) continue
      this.#unread.add(id)
      if (++count % WORKS_PER_READ === 0) await this.#readShared()
    }
    const now = Date.now()
    if (count > 0 || this.#mayHaveNews(now)) return this.#readShared()
    this.readAt = now
    this.#onRead(false)
  }

  /** Who created a Work and decided about it, as far as the store was read. Undefined: the Work is unread, so nobody may see it for its people. */
  of(workId: string): PeopleOfWork | undefined {
    return this.#works.get(workId)
  }

  /**
   * Whether somebody at this desk may have created a Work without a known creator: the Work is unread, the store was not read since the Work
   * became known, or a createWork is on its way that may be the Work's. `createdAt` and `knownAt` are milliseconds since 1970.
   */
  isUnsettled(workId: string, createdAt: number, knownAt: number): boolean {
    if (this.of(workId) === undefined || this.readAt < knownAt) return true
    // Negated, so that a time which cannot be read (NaN) counts as unsettled.
    return this.#sentCreations.some((sentAt) => !(createdAt < sentAt - CLOCKS_DIFFER_MS))
  }

  async #read(): Promise<void> {
    const readAt = Date.now()
    const unread = this.#unread
    this.#unread = new Set()
    const news = this.#mayHaveNews(readAt) ? await this.#readNews(readAt) : undefined
    // A changed Work that nobody has asked for lately is read when somebody asks for it.
    const changed = news?.changed.filter((id) => this.of(id) !== undefined) ?? []
    await this.#readWorks([...new Set([...unread, ...changed])])
    this.readAt = readAt
    const before = String(this.#sentCreations)
    if (news !== undefined) {
      this.#sentCreations = news.sentCreations
      this.#lastSequence = news.until
      this.#lastRead = news.lastRead
    }
    this.#onRead(news !== undefined && (news.changed.length > 0 || String(news.sentCreations) !== before))
  }

  /** Reads which createWorks are on their way, and which Works have new actions. */
  async #readNews(at: number) {
    const { read, changes } = this.#database
    const lastRead = { at, changes: changes?.() }
    const rows = await read(
      `SELECT max(sequence) AS head, NULL AS sent_at FROM record
       UNION ALL SELECT NULL, at FROM record AS asked WHERE operation = 'createWork' AND at > ? AND ${OUTCOME} IS NULL`,
      at - CREATION_MS,
    )
    const sentCreations = rows.flatMap(({ sent_at: sentAt }) => (sentAt === null ? [] : [Number(sentAt)]))
    const until = Number(rows.find((row) => row["sent_at"] === null)?.["head"] ?? 0)
    const after = this.#lastSequence ?? until
    const changed = after === until ? [] : await select(this.#database, changedRow, WORKS_WITH_ACTIONS, after, until)
    return { lastRead, sentCreations, until, changed: changed.flatMap(({ workId }) => workId ?? []) }
  }

  /** Whether the store may have changed since it was read. A shared store may always have, so it is read each time. */
  #mayHaveNews(now: number): boolean {
    const { at, changes } = this.#lastRead
    return changes === undefined || changes !== this.#database.changes?.() || now - at >= UNCHANGED_MS
  }

  async #readWorks(workIds: readonly string[]): Promise<void> {
    const found = await peopleOf(this.#database, workIds)
    for (const id of workIds) {
      const people = found.get(id) ?? NOBODY
      const key = JSON.stringify([[...people.creators], [...people.deciders]])
      const shared = this.#shared.get(key) ?? people
      this.#shared.set(key, shared)
      this.#works.set(id, shared)
    }
    if (this.#shared.size > WORKS_MAX) this.#shared.clear()
  }
}

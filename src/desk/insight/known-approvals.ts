/** All approvals that the watcher has read, pending or resolved: kept in the desk's store, searched in memory. */
import { loadOnce } from "../../platform/load-once.ts"
import type { KnownWork } from "../watcher/done-work-reads.ts"
import { type Destination, toDestinations } from "./destination.ts"
import type { KnownApproval, KnownApprovalStore } from "./known-approval-store.ts"
import { LookAlikes } from "./look-alikes.ts"
import { Turns } from "../../platform/turns.ts"
import type { ListedApproval } from "../watcher/read-resources.ts"
import { inBackground } from "../../platform/background.ts"

/** How many approvals are in memory. Of more approvals, those that have changed last. The store keeps the others, too. */
export const IN_MEMORY_MAX = 200_000

/** A destination that an approval names, with every approval to it. */
export type KnownDestination = Destination & {
  /** By `idOf`. */
  readonly approvals: Map<string, KnownApproval>
  /** How many of the approvals were approved. */
  approved: number
  /** No approval was asked for earlier, in milliseconds since 1970. */
  since: number
}

/** Since when an approval makes a destination known. A time that is no date (NaN) counts as the newest. */
export const sinceOf = (createdAt: number) => (Number.isNaN(createdAt) ? Number.POSITIVE_INFINITY : createdAt)

const SAVE_AFTER_MS = 1_000
const SAVE_RETRY_MS = 10_000
const FORGET_INTERVAL_MS = 3_600_000

export class KnownApprovals {
  readonly lookAlikes = new LookAlikes<KnownDestination>()
  /** Each done Work that was read, by id. */
  readonly doneWorks = new Map<string, KnownWork>()
  readonly #byKey = new Map<string, KnownDestination>()
  /** By `idOf`. The approval that was read or has changed last stands at the end. */
  readonly #byId = new Map<string, KnownApproval>()
  /** Undefined: nothing is stored. */
  readonly #store: KnownApprovalStore | undefined
  #unsaved = new Map<string, KnownApproval>()
  #unsavedWorks = new Map<string, KnownWork>()
  #timer: NodeJS.Timeout | undefined
  readonly #forgetAfterMs: number | undefined

  /** A destination that was not seen for `forgetAfterMs` is forgotten. Undefined: none is. */
  constructor(store: KnownApprovalStore | undefined, forgetAfterMs?: number) {
    this.#store = store
    this.#forgetAfterMs = forgetAfterMs
    if (forgetAfterMs !== undefined) setInterval(() => inBackground(() => this.#forget()), FORGET_INTERVAL_MS).unref()
  }

  /** Loads the stored approvals once. While the store is away, only the approvals since the start count, and the next call tries again. */
  load(): Promise<void> {
    return this.#load().catch(() => undefined)
  }

  readonly #load = loadOnce(async () => {
    const { approvals = [], doneWorks = [] } = (await this.#store?.load(IN_MEMORY_MAX)) ?? {}
    const turns = new Turns()
    for (const [id, work] of doneWorks) {
      if (turns.isOver()) await turns.next()
      if (!this.doneWorks.has(id)) this.doneWorks.set(id, work)
    }
    for (const approval of approvals) {
      if (turns.isOver()) await turns.next()
      const read = this.#byId.get(idOf(approval.workId, approval.approvalId))
      const { createdAt, knownAt } = approval
      // What was read meanwhile is newer than the store. The times of the first version are in the store alone.
      this.#keep(read === undefined ? approval : { ...read, createdAt, knownAt })
    }
    await this.#forget()
  })

  /**
   * Forgets each destination whose approvals in memory are all resolved and old. Rows that could not be removed from the store are loaded at the
   * next start, and forgotten then. The store keeps rows that are not in memory (IN_MEMORY_MAX).
   */
  async #forget(): Promise<void> {
    if (this.#forgetAfterMs === undefined) return
    const seenAt = ({ knownAt, resolvedAt }: KnownApproval) => Math.max(knownAt, Date.parse(resolvedAt ?? "") || 0)
    const isOld = (approval: KnownApproval) => approval.status !== "pending" && this.#isOld(seenAt(approval))
    const turns = new Turns()
    const forgotten: KnownApproval[] = []
    for (const { approvals } of this.#byKey.values()) {
      // A destination's last approval was most likely seen last.
      const all = [...approvals.values()].toReversed()
      if (!all.every(isOld)) continue
      for (const approval of all) this.#remove(approval)
      forgotten.push(...all)
      if (turns.isOver()) await turns.next()
    }
    if (forgotten.length > 0) await this.#store?.forget(forgotten).catch(() => undefined)
  }

  /** Whether a moment, in milliseconds since 1970, is further back than destinations are kept. */
  #isOld(time: number): boolean {
    return this.#forgetAfterMs !== undefined && time < Date.now() - this.#forgetAfterMs
  }

  /** Applies the approvals of a Work. An approval that is not in memory and was resolved before the time of `forgetAfterMs` stays forgotten. */
  apply(workId: string, approvals: readonly ListedApproval[]): void {
    for (const approval of approvals) {
      const before = this.#byId.get(idOf(workId, approval.id))
      if (before?.status === approval.status && before.destination === approval.destination) continue
      const wasResolvedLongAgo = approval.resolvedAt !== undefined && this.#isOld(approval.resolvedAt)
      if (before === undefined && approval.status !== "pending" && wasResolvedLongAgo) continue
      const known: KnownApproval = {
        workId,
        approvalId: approval.id,
        destination: approval.destination,
        colleague: approval.colleague,
        status: approval.status,
        // Of the first version, because the time to decide counts from then (`decideBy` of `rule-times.ts`).
        createdAt: before?.createdAt ?? toIso(approval.createdAt) ?? "",
        resolvedAt: toIso(approval.resolvedAt),
        knownAt: before?.knownAt ?? Date.now(),
      }
      this.#keep(known)
      this.#unsaved.set(idOf(workId, approval.id), known)
    }
    if (this.#unsaved.size > 0) this.#saveLater(SAVE_AFTER_MS)
  }

  /** Remembers that the approvals of a done Work were read in this version. */
  addDoneWork(workId: string, work: KnownWork): void {
    this.doneWorks.set(workId, work)
    const [oldest] = this.doneWorks.keys()
    if (this.doneWorks.size > IN_MEMORY_MAX && oldest !== undefined) this.doneWorks.delete(oldest)
    this.#unsavedWorks.set(workId, work)
    this.#saveLater(SAVE_AFTER_MS)
  }

  /** The approvals to the destination with this key (`toDestinations`). */
  withKey(key: string): Iterable<KnownApproval> {
    return this.#byKey.get(key)?.approvals.values() ?? []
  }

  all(): Iterable<KnownApproval> {
    return this.#byId.values()
  }

  get(workId: string, approvalId: string): KnownApproval | undefined {
    return this.#byId.get(idOf(workId, approvalId))
  }

  /** Saves everything that is not saved yet. Tries again later after a failure. */
  async save(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#store === undefined || this.#unsaved.size + this.#unsavedWorks.size === 0) return
    const [approvals, works] = [this.#unsaved, this.#unsavedWorks]
    this.#unsaved = new Map()
    this.#unsavedWorks = new Map()
    try {
      await this.#store.save([...approvals.values()])
      // The Works are stored after their approvals: a Work in the store is not read again, so its approvals must be there.
      await this.#store.saveDoneWorks(works)
    } catch {
      this.#unsaved = new Map([...approvals, ...this.#unsaved])
      this.#unsavedWorks = new Map([...works, ...this.#unsavedWorks])
      this.#saveLater(SAVE_RETRY_MS)
    }
  }

  #saveLater(afterMs: number): void {
    if (this.#store === undefined) this.#unsaved.clear()
    else this.#timer ??= setTimeout(() => inBackground(() => this.save()), afterMs).unref()
  }

  /** Puts an approval into memory. Its earlier version may have had another destination. */
  #keep(known: KnownApproval): void {
    const id = idOf(known.workId, known.approvalId)
    const before = this.#byId.get(id)
    if (before !== undefined) this.#remove(before)
    this.#byId.set(id, known)
    for (const destination of toDestinations(known.destination)) this.#keepAt(destination, id, known)
    const [oldest] = this.#byId.values()
    if (this.#byId.size > IN_MEMORY_MAX && oldest !== undefined) this.#remove(oldest)
  }

  #keepAt(destination: Destination, id: string, approval: KnownApproval): void {
    let known = this.#byKey.get(destination.key)
    if (known === undefined) {
      known = { ...destination, approvals: new Map(), approved: 0, since: Number.POSITIVE_INFINITY }
      this.#byKey.set(known.key, known)
      this.lookAlikes.add(known)
    }
    known.approvals.set(id, approval)
    if (approval.status === "approved") known.approved++
    known.since = Math.min(known.since, sinceOf(Date.parse(approval.createdAt)))
  }

  #remove({ workId, approvalId, destination, status }: KnownApproval): void {
    const id = idOf(workId, approvalId)
    this.#byId.delete(id)
    for (const { key } of toDestinations(destination)) {
      const known = this.#byKey.get(key)
      if (known?.approvals.delete(id) !== true) continue
      if (status === "approved") known.approved--
      if (known.approvals.size > 0) continue
      this.#byKey.delete(key)
      this.lookAlikes.delete(key)
    }
  }
}

export const idOf = (workId: string, approvalId: string): string => JSON.stringify([workId, approvalId])

export function toIso(time: number | undefined): string | undefined {
  return time === undefined || Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

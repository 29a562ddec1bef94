/**
 * Checks, for each request about a Work, whether the person sees the Work (`docs/operating.md`, "Who sees what"). A concealed Work gets the same
 * answer as one that doesn't exist: the same refusal, after the same reads and the same time (`NotFoundDelay`). `own-items.ts` checks items and uploads.
 */
import type { VisibilityReason } from "../../contract/desk-work.ts"
import { isRefusal, type Refusal, notFound } from "../../platform/http/refusals.ts"
import { isAddressable, isOneSegment } from "../../platform/http/path-match.ts"
import type { People, Session } from "../people/people-interface.ts"
import { viewerOfSession, type Viewer } from "../people/visibility.ts"
import type { WorkPeople } from "../record/work-people.ts"
import type { Database } from "../store/database.ts"
import { readWorkForVisibility } from "../watcher/visibility-members.ts"
import type { Audience } from "../watcher/visible-work.ts"
import { isChecked, type WatchedWork } from "../watcher/watched-work.ts"
import type { Watcher } from "../watcher/watcher.ts"
import type { SharedReads } from "./shared-reads.ts"
import { type Answer, Refused } from "../../platform/http/send.ts"
import type { Origin } from "../../platform/http/request-context.ts"
import { askedWork, NOT_FOUND, readForCheck, readVisibility, type AskedWork } from "./visibility-reads.ts"
import { setTimeout as delay } from "node:timers/promises"

/** How long an answer that the watcher has read counts. A Work that it read earlier is read again for the check. */
export const FRESH_MS = 8_000
/** For `Watcher.known`: what the watcher has read counts, however long ago it was. */
export const ANY_AGE_MS = Number.POSITIVE_INFINITY

export type Seen = {
  readonly reason: VisibilityReason
  /** The answer to getWork, if the check has read the Work. */
  readonly answer?: Answer
}

export type VisibilityParts = {
  readonly people: People
  /** Undefined in local mode, where one person sees everything. */
  readonly workPeople: WorkPeople | undefined
  readonly database: Database
  readonly reads: SharedReads
  readonly watcher: Watcher
}

export class VisibilityCheck {
  readonly parts: VisibilityParts
  readonly #notFoundDelay = new NotFoundDelay()

  constructor(parts: VisibilityParts) {
    this.parts = parts
  }

  /** The audience of an answer to this session, now. */
  audienceOf(session: Session): Audience {
    const { people } = this.parts
    return people.mode === "local" ? "everything" : this.viewerOf(people.current(session))
  }

  /** Why a person sees a Work. @throws Refused with `notFound`, or with the failure of the upstream @throws StoreUnavailableError */
  check(session: Session, asked: AskedWork): Promise<Seen> {
    const { workPeople } = this.parts
    if (workPeople === undefined) return Promise.resolve({ reason: "creator" })
    return this.delayNotFound(() => this.#check(this.viewerOf(session), asked, workPeople))
  }

  /** Checks a Work that a request names outside the addresses of the API. In local mode, which conceals nothing, it must exist. @throws Refused */
  async checkNamed(session: Session, workId: string, origin: Origin): Promise<void> {
    if (!isAddressable(workId)) throw new Refused(notFound)
    const asked = askedWork(workId, origin)
    if (this.parts.workPeople !== undefined) return void (await this.check(session, asked))
    const read = await readForCheck(this.parts.reads, "getWork", asked.target, asked)
    if (isRefusal(read) || read.status >= 400)
      throw new Refused(isRefusal(read) || read.status !== NOT_FOUND ? read : notFound)
  }

  /** Runs a check, and delays the refusal "not found" to the shortest time of such an answer. */
  async delayNotFound<Result>(check: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now()
    try {
      return await check()
    } catch (error) {
      if (error instanceof Refused && error.answer === notFound) await this.#notFoundDelay.waitSince(startedAt)
      throw error
    }
  }

  async #check(viewer: Viewer, asked: AskedWork, people: WorkPeople): Promise<Seen> {
    if (!isOneSegment(asked.workId)) throw new Refused(notFound)
    const watched = this.parts.watcher.known(asked.workId, FRESH_MS)
    const checked = watched && (await this.#checkWatched(viewer, watched, people))
    return checked ?? (await this.#checkByReading(viewer, asked, people))
  }

  /** Checks a Work by what the watcher has read. Undefined: the Work must be read. */
  async #checkWatched(viewer: Viewer, watched: WatchedWork, people: WorkPeople): Promise<Seen | undefined> {
    const { watcher } = this.parts
    const why = () => watcher.visibleWork.why(viewer, watched.work, watched.approvals, watched.firstSeenAt)
    let reason = why()
    if (reason === undefined) {
      // In the meantime, another desk may have recorded that the person created the Work or decided about it.
      await people.refresh([watched.work.id])
      reason = why()
    }
    if (reason !== undefined) return { reason }
    // Approvals decide for an approver only. The watcher knows them after its first check of the Work.
    const areApprovalsKnown = !viewer.isApprover || isChecked(watched)
    // Unless the watcher knows every Work, an unknown Work is read. A concealed Work must take as long, so it is read, too.
    if (areApprovalsKnown && this.#knowsEveryWork) throw new Refused(notFound)
    return undefined
  }

  async #checkByReading(viewer: Viewer, asked: AskedWork, people: WorkPeople): Promise<Seen> {
    const { watcher, reads } = this.parts
    const startedAt = performance.now()
    const { work, pending, answer, failure } = await readVisibility(reads, asked, viewer.isApprover)
    this.#notFoundDelay.noteRead(performance.now() - startedAt)
    const readAt = Date.now()
    // After the read: the Work may be so new that the store has only just got its creator.
    await people.refresh([asked.workId])
    const reason = work && watcher.visibleWork.why(viewer, work, pending, readAt)
    if (reason !== undefined && !isRefusal(answer)) return { reason, answer }
    if (failure === undefined) throw new Refused(notFound)
    // Only a person who may see the Work gets the failure. Unless the watcher knows every Work, that may be anybody.
    const isSeen = () =>
      watcher.visibleWork.hasHeardOf(asked.workId) && watcher.visibleWork.seesWork(viewer, asked.workId)
    throw new Refused(!this.#knowsEveryWork || isSeen() ? failure : notFound)
  }

  get #knowsEveryWork(): boolean {
    return this.parts.watcher.knowsEveryWork(FRESH_MS)
  }

  /** Whether a person may get an answer to getWork: one without a Work, or with a Work that the person sees. */
  maySeeAnswer(session: Session, workId: string, answer: Answer | Refusal): boolean {
    const { workPeople, watcher } = this.parts
    if (workPeople === undefined || isRefusal(answer) || answer.status !== 200) return true
    if (answer.json === undefined) return false
    const work = readWorkForVisibility(answer.json, workId)
    const { approvals = [], firstSeenAt = 0 } = watcher.known(work.id, ANY_AGE_MS) ?? {}
    return watcher.visibleWork.why(this.viewerOf(session), work, approvals, firstSeenAt) !== undefined
  }

  viewerOf(session: Session): Viewer {
    return viewerOfSession(session, this.parts.people.access())
  }
}

const SHORTEST_MS = 4
const LONGEST_MS = 5_000
const READS_REMEMBERED = 32

/**
 * The shortest time of an answer "not found". The desk finds out from memory or by reading the upstream, and the client must not be able to tell
 * which. So the shortest time is the longest of the last checks that read the upstream.
 */
class NotFoundDelay {
  readonly #readTimes: number[] = []

  /** Notes how long a check took that read the upstream. */
  noteRead(milliseconds: number): void {
    this.#readTimes.push(milliseconds)
    if (this.#readTimes.length > READS_REMEMBERED) this.#readTimes.shift()
  }

  /** Waits until the shortest time is over. */
  async waitSince(startedAt: number): Promise<void> {
    const least = Math.min(Math.max(...this.#readTimes, SHORTEST_MS) + 1, LONGEST_MS)
    const left = least - (performance.now() - startedAt)
    if (left > 0) await delay(left)
  }
}

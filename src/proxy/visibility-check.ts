/**
 * Asks, for each request about a Work or an upload, whether the person sees it (`docs/operating.md`, "Who sees what"). What is concealed is
 * answered as what does not exist: by the same refusal, after the same reads, and after the same time.
 */
import type { VisibilityReason } from "../contract/desk-work.ts"
import { isRefusal, type Refusal } from "../http/refusal.ts"
import { notFound } from "../http/refusals.ts"
import type { People, Session } from "../people/people.ts"
import { viewerOfSession, type Viewer } from "../people/visibility.ts"
import { uploadersOf } from "../record/creations.ts"
import type { WorkPeople } from "../record/work-people.ts"
import { type Database, orRefusal } from "../store/database.ts"
import { readWorkInSight } from "../waiting/resources.ts"
import type { Audience } from "../waiting/views.ts"
import { isAddressable, isChecked, type WatchedWork } from "../waiting/watched-work.ts"
import type { Watcher } from "../waiting/watcher.ts"
import { NotFoundDelay } from "./not-found-delay.ts"
import type { SharedReads } from "./shared-reads.ts"
import type { Answer } from "../http/send.ts"
import type { Trace } from "../http/trace.ts"
import { readForCheck, readVisibility, type AskedWork } from "./visibility-reads.ts"

/** A Work that the upstream told the watcher longer ago is read again before the desk decides. */
export const KNOWN_MS = 8_000

const NOT_FOUND = 404

export type Seen = {
  readonly kind: "seen"
  readonly reason: VisibilityReason
  /** The answer to getWork, if the check has read the Work. */
  readonly answer?: Answer
}

/** What the client gets instead: the one refusal of what is not there, or the failure of the upstream or the store. */
export type NotSeen = { readonly kind: "not-seen"; readonly answer: Answer | Refusal }

const ABSENT: NotSeen = { kind: "not-seen", answer: notFound }

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

  /** Whom an answer to this session is for, now. */
  audienceOf(session: Session): Audience {
    const { people } = this.parts
    return people.mode === "local" ? "everything" : this.#viewerOf(people.current(session))
  }

  /** Whether, and why, a person sees a Work. The answer "not found" is delayed (`not-found-delay.ts`). */
  async check(session: Session, asked: AskedWork): Promise<Seen | NotSeen> {
    const { workPeople } = this.parts
    if (workPeople === undefined) return { kind: "seen", reason: "creator" }
    const startedAt = performance.now()
    const result = await orRefusal(() => this.#check(this.#viewerOf(session), asked, workPeople))
    if (isRefusal(result)) return { kind: "not-seen", answer: result }
    if (result === ABSENT) await this.#notFoundDelay.waitSince(startedAt)
    return result
  }

  async #check(viewer: Viewer, asked: AskedWork, people: WorkPeople): Promise<Seen | NotSeen> {
    const watched = this.parts.watcher.known(asked.workId, KNOWN_MS)
    const checked = watched && (await this.#checkWatched(viewer, watched, people))
    return checked ?? this.#checkByReading(viewer, asked, people)
  }

  /** Checks a Work by what the watcher has read. Undefined: the Work has to be read. */
  async #checkWatched(viewer: Viewer, watched: WatchedWork, people: WorkPeople): Promise<Seen | NotSeen | undefined> {
    const { watcher } = this.parts
    const why = () => watcher.views.why(viewer, watched.work, watched.approvals, watched.firstSeenAt)
    let reason = why()
    if (reason === undefined) {
      // Another desk may have recorded since that the person created the Work or decided about it.
      await people.refresh()
      reason = why()
    }
    if (reason !== undefined) return { kind: "seen", reason }
    // Approvals decide for an approver only. The watcher knows them after its first check of the Work.
    const areApprovalsKnown = !viewer.isApprover || isChecked(watched)
    // An unknown Work shows the failure of the upstream, so a concealed Work must show the failure, too.
    const mustShowFailure = watcher.isFailing && !watcher.knowsEveryWork(KNOWN_MS)
    return areApprovalsKnown && !mustShowFailure ? ABSENT : undefined
  }

  /** Reads a Work, and for an approver its approvals, and checks what was read. */
  async #checkByReading(viewer: Viewer, asked: AskedWork, people: WorkPeople): Promise<Seen | NotSeen> {
    const { watcher, reads } = this.parts
    const startedAt = performance.now()
    const { work, pending, answer, failure } = await readVisibility(reads, asked, viewer.isApprover)
    this.#notFoundDelay.noteRead(performance.now() - startedAt)
    const readOn = Date.now()
    // After the read, because the Work may be so new that the store names its creator only now.
    await people.refresh()
    const reason = work && watcher.views.why(viewer, work, pending, readOn)
    if (reason !== undefined && !isRefusal(answer)) return { kind: "seen", reason, answer }
    if (failure === undefined || !this.#mayTellFailure(viewer, asked.workId)) return ABSENT
    return { kind: "not-seen", answer: failure }
  }

  /**
   * Whether a person may learn that the upstream fails for a Work. While the watcher knows every Work, some concealed Works are answered without
   * a read, so they show no failure. Then no concealed and no unknown Work may show a failure: only a Work that the person sees.
   */
  #mayTellFailure(viewer: Viewer, workId: string): boolean {
    const { watcher } = this.parts
    if (!watcher.knowsEveryWork(KNOWN_MS)) return true
    return watcher.views.hasHeardOf(workId) && watcher.views.seesWork(viewer, workId)
  }

  /** Whether a person may have an answer to getWork: it has no Work, or one that the person sees. */
  maySeeAnswer(session: Session, workId: string, answer: Answer | Refusal): boolean {
    const { workPeople, watcher } = this.parts
    if (workPeople === undefined || isRefusal(answer) || answer.status !== 200) return true
    if (answer.json === undefined) return false
    const work = readWorkInSight(answer.json, workId)
    const { approvals = [], firstSeenAt = 0 } = watcher.known(work.id, Number.POSITIVE_INFINITY) ?? {}
    return watcher.views.why(this.#viewerOf(session), work, approvals, firstSeenAt) !== undefined
  }

  /**
   * Checks uploads that a person with sign-in uses: an upload belongs to who created it. Where the desk does not know who did, everybody with the
   * role may use it. Gives what the client gets instead of an answer, or undefined.
   */
  async checkUploads(session: Session, ids: readonly string[], trace: Trace): Promise<Answer | Refusal | undefined> {
    const startedAt = performance.now()
    const found = await orRefusal(() => Promise.all(ids.map((id) => this.#checkUpload(session, id, trace))))
    if (isRefusal(found)) return found
    const stopped = found.find((answer) => answer !== undefined)
    if (stopped === notFound) await this.#notFoundDelay.waitSince(startedAt)
    return stopped
  }

  async #checkUpload(session: Session, id: string, trace: Trace): Promise<Answer | Refusal | undefined> {
    const { database, reads } = this.parts
    const uploaders = await uploadersOf(database, id)
    if (uploaders.includes(session.person.id)) return undefined
    if (!isAddressable(id) || id === "") return notFound
    const target = `/api/v1/uploads/${encodeURIComponent(id)}`
    const read = await readForCheck(reads, "getInputUpload", target, { trace })
    if (isRefusal(read)) return read
    if (read.status === NOT_FOUND) return notFound
    // A failure says nothing about whose upload it is, so it comes first.
    if (read.status >= 400) return read
    return uploaders.length > 0 ? notFound : undefined
  }

  #viewerOf(session: Session): Viewer {
    return viewerOfSession(session, this.parts.people.access())
  }
}

/**
 * Asks, for each request about a Work or an upload, whether the person sees it (`docs/operating.md`, "Who sees what"). A Work that is concealed
 * is answered as one that does not exist: by the same refusal, after the same reads, and after the same time.
 */
import type { VisibilityReason } from "../contract/desk-work.ts"
import { isRefusal, type Refusal } from "../contract/refusal.ts"
import type { People, Session } from "../people/people.ts"
import { viewerOfSession, type Viewer } from "../people/visibility.ts"
import { uploadersOf } from "../record/work-people.ts"
import type { ChooseEntries } from "../record/entries.ts"
import type { WorkPeople } from "../record/work-people.ts"
import type { Database } from "../store/database.ts"
import { readPendingInSight, readWorkInSight, type WorkInSight } from "../waiting/resources.ts"
import type { Audience } from "../waiting/views.ts"
import { isAddressable, isChecked, type WatchedWork } from "../waiting/watch-state.ts"
import type { Watcher } from "../waiting/watcher.ts"
import { AbsencePace } from "./absence-pace.ts"
import type { SharedReads } from "./reads.ts"
import type { Answer } from "./send.ts"
import { readIf, readInSight, readWork, type Asked, type SightRead } from "./sight-reads.ts"
import type { Trace } from "./trace.ts"
import { notFound, upstreamInvalid } from "../contract/refusals.ts"
import { orRefusal } from "../people/or-refusal.ts"

/** What the watcher was told longer ago is read again before it decides. */
const KNOWN_MS = 8_000
/** How many approvals lists are read at once for one page of listWork. */
const READS_AT_ONCE = 4

export type Seen = {
  readonly kind: "sees"
  readonly reason: VisibilityReason
  /** The answer to getWork, when it was read for this. */
  readonly answer: Answer | undefined
}

/** What the client gets instead: the one refusal of what is not there, or the failure of the upstream or the store. */
export type NotSeen = { readonly kind: "not-seen"; readonly answer: Answer | Refusal }

export type SightOptions = {
  readonly people: People
  /** Undefined in local mode, where one person sees everything. */
  readonly workPeople: WorkPeople | undefined
  readonly database: Database
  readonly reads: SharedReads
  readonly watcher: Watcher
}

export class Sight {
  readonly #options: SightOptions
  readonly #pace = new AbsencePace()

  constructor(options: SightOptions) {
    this.#options = options
  }

  /** Whom an answer to this session is for, now. */
  audienceOf(session: Session): Audience {
    const { people } = this.#options
    return people.mode === "local" ? "everything" : this.#viewerOf(people.current(session))
  }

  /** Whether, and why, a person sees a Work. Waits before it says no, so that the time tells nothing. */
  async check(session: Session, asked: Asked): Promise<Seen | NotSeen> {
    const { workPeople } = this.#options
    if (workPeople === undefined) return { kind: "sees", reason: "creator", answer: undefined }
    const startedAt = performance.now()
    const result = await orRefusal(() => this.#check(this.#viewerOf(session), asked, workPeople))
    if (isRefusal(result)) return { kind: "not-seen", answer: result }
    if (result.kind === "not-seen" && result.answer === notFound) await this.#pace.waitSince(startedAt)
    return result
  }

  /** Whether a person sees the Work of an answer to getWork. The Work may have another scope than when it was checked. */
  async checkAnswer(session: Session, workId: string, { status, body }: Answer): Promise<boolean> {
    const { workPeople, watcher } = this.#options
    if (workPeople === undefined || status !== 200) return true
    const work = readWorkInSight(body.toString("utf8"), workId)
    if (work === undefined) return false
    const known = watcher.known(work.id, Number.POSITIVE_INFINITY)
    const why = () => watcher.views.why(this.#viewerOf(session), work, known?.approvals ?? [], known?.knownOn ?? 0)
    return why() !== undefined
  }

  /** The Works that a person sees, of a page that was just read. For an approver, approvals are read that the watcher does not know. */
  async filter(
    session: Session,
    works: readonly WorkInSight[],
    trace: Trace,
  ): Promise<readonly WorkInSight[] | Refusal> {
    const { workPeople, watcher } = this.#options
    if (workPeople === undefined) return works
    const readOn = Date.now()
    const refreshed = await orRefusal(() => workPeople.refresh())
    if (refreshed !== undefined) return refreshed
    const viewer = this.#viewerOf(session)
    const seen = new Set<WorkInSight>()
    const unsure: WorkInSight[] = []
    for (const work of works) {
      const known = watcher.known(work.id, Number.POSITIVE_INFINITY)
      if (watcher.views.why(viewer, work, known?.approvals ?? [], readOn) !== undefined) seen.add(work)
      else if (viewer.isApprover && work.status !== "done" && (known === undefined || !isChecked(known)))
        unsure.push(work)
    }
    await inParallel(unsure, async (work) => {
      if (!isAddressable(work.id)) return
      const target = `/api/v1/work/${encodeURIComponent(work.id)}/approvals`
      const answer = await readWork(this.#options.reads, "listWorkApprovals", target, { trace })
      const approvals = readIf(answer, readPendingInSight)
      if (typeof approvals !== "object") return
      if (watcher.views.why(viewer, work, approvals, readOn) !== undefined) seen.add(work)
    })
    return works.filter((work) => seen.has(work))
  }

  /**
   * Chooses the entries of the record for a person: their own, and those about Work that they see. Overseers see every entry. Undefined: no
   * choice, because in local mode one person sees everything.
   */
  entriesFor(session: Session, trace: Trace): ChooseEntries | undefined {
    const { workPeople } = this.#options
    if (workPeople === undefined) return undefined
    const viewer = this.#viewerOf(session)
    const seen = new Map<string, boolean>()
    return async (entries) => {
      if (viewer.isOverseer) return entries
      await workPeople.refresh()
      const others = entries.filter(({ person }) => person.id !== viewer.id)
      const ids = new Set(others.flatMap(({ work_id: id }) => (id === undefined || seen.has(id) ? [] : [id])))
      await inParallel([...ids], async (id) => void seen.set(id, await this.#seesEntriesOf(viewer, id, trace)))
      return entries.filter(({ person, work_id: id }) => person.id === viewer.id || (id !== undefined && seen.get(id)))
    }
  }

  /** Whether a person sees a Work of the record. A Work that the desk has not read is read. */
  async #seesEntriesOf(viewer: Viewer, workId: string, trace: Trace): Promise<boolean> {
    const { watcher, reads } = this.#options
    if (watcher.views.seesWork(viewer, workId)) return true
    const isKnown = watcher.known(workId, KNOWN_MS) !== undefined || watcher.views.isDone(workId)
    if (isKnown || !isAddressable(workId)) return false
    const asked = { workId, target: `/api/v1/work/${encodeURIComponent(workId)}`, trace }
    const { work, pending } = await readInSight(reads, asked, viewer.isApprover)
    return work !== undefined && watcher.views.why(viewer, work, pending, 0) !== undefined
  }

  /**
   * Checks uploads that a person uses: an upload belongs to who created it. Where the desk does not know who did, everybody with the role may
   * use it. Gives what the client gets instead of an answer, or undefined.
   */
  async checkUploads(session: Session, ids: readonly string[], trace: Trace): Promise<Answer | Refusal | undefined> {
    if (this.#options.workPeople === undefined) return undefined
    const startedAt = performance.now()
    const found = await orRefusal(() => Promise.all(ids.map((id) => this.#checkUpload(session, id, trace))))
    if (isRefusal(found)) return found
    const stopped = found.find((answer) => answer !== undefined)
    if (stopped === notFound) await this.#pace.waitSince(startedAt)
    return stopped
  }

  #viewerOf(session: Session): Viewer {
    return viewerOfSession(session, this.#options.people.access())
  }

  async #check(viewer: Viewer, asked: Asked, people: WorkPeople): Promise<Seen | NotSeen> {
    const { watcher } = this.#options
    const watched = watcher.known(asked.workId, KNOWN_MS)
    if (watched !== undefined) {
      const reason = await this.#whySees(viewer, watched, people)
      if (reason !== undefined) return { kind: "sees", reason, answer: undefined }
      // A Work that is not there shows the failure of the upstream, so a concealed one must too.
      const mayTellUnread = !watcher.isFailing || watcher.knowsEveryWork(KNOWN_MS)
      if (mayTellUnread && (!viewer.isApprover || isChecked(watched))) return ABSENT
    }
    const startedAt = performance.now()
    const read = await readInSight(this.#options.reads, asked, viewer.isApprover)
    this.#pace.took(performance.now() - startedAt)
    const readOn = Date.now()
    await people.refresh()
    return this.#decide(viewer, asked.workId, read, readOn)
  }

  async #whySees(viewer: Viewer, { work, approvals, knownOn }: WatchedWork, people: WorkPeople) {
    const { views } = this.#options.watcher
    const known = views.why(viewer, work, approvals, knownOn)
    if (known !== undefined) return known
    // Another desk may have recorded a deed since.
    await people.refresh()
    return views.why(viewer, work, approvals, knownOn)
  }

  #decide(
    viewer: Viewer,
    workId: string,
    { work, pending, answer, failure }: SightRead,
    readOn: number,
  ): Seen | NotSeen {
    const { watcher } = this.#options
    const reason = work && watcher.views.why(viewer, work, pending, readOn)
    if (reason !== undefined && !isRefusal(answer)) return { kind: "sees", reason, answer }
    if (failure === undefined) return ABSENT
    // While the desk knows every Work, it answers about some concealed ones without a read. Then no other one shows the failure, nor an unknown.
    const { views } = watcher
    const mayTell = !watcher.knowsEveryWork(KNOWN_MS) || (views.hasHeardOf(workId) && views.seesWork(viewer, workId))
    if (!mayTell) return ABSENT
    const isUnreadable = !isRefusal(failure) && failure.status < 400
    return { kind: "not-seen", answer: isUnreadable ? { ...upstreamInvalid, cause: "not_the_operation" } : failure }
  }

  async #checkUpload(session: Session, id: string, trace: Trace): Promise<Answer | Refusal | undefined> {
    const uploaders = await uploadersOf(this.#options.database, id)
    if (uploaders.includes(session.person.id)) return undefined
    if (!isAddressable(id) || id === "") return notFound
    const read = await readWork(this.#options.reads, "getInputUpload", `/api/v1/uploads/${encodeURIComponent(id)}`, {
      trace,
    })
    if (isRefusal(read)) return read
    if (read.status === NOT_FOUND) return notFound
    // A failure says nothing about whose upload it is, so it comes first.
    if (read.status >= 400) return read
    return uploaders.length > 0 ? notFound : undefined
  }
}

/** Does the work of all items, some of them at once. */
async function inParallel<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const workNext = async (): Promise<void> => {
    for (let item = items.pop(); item !== undefined; item = items.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, workNext))
}

const ABSENT: NotSeen = { kind: "not-seen", answer: notFound }
const NOT_FOUND = 404

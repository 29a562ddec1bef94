/**
 * Ends the event streams of people who do not see the Work any more (`docs/operating.md`, "Who sees what"). The app takes the end for a broken
 * connection and connects again (`app/activity/follow-work.ts`). Now the answer is 404 `notFound`, and the page says so.
 */
import { notFound } from "../../platform/http/refusals.ts"
import type { AskedApproval } from "../people/rules/rules.ts"
import { viewerOfSession, type Viewer } from "../people/visibility.ts"
import type { WorkForVisibility } from "../watcher/visibility-members.ts"
import type { Subscriber } from "./subscriber.ts"
import type { VisibilityParts } from "./visibility-check.ts"
import { readVisibility, type AskedWork } from "./visibility-reads.ts"

/** What was read at most this long ago decides about a stream, so that the stream ends within 10 s after the person may not see the Work. */
const STREAM_FRESH_MS = 4_000

/** Checks the open streams of one Work. */
export class StreamVisibility {
  readonly #parts: VisibilityParts
  readonly #asked: AskedWork
  #isChecking = false
  #readAt = Number.NEGATIVE_INFINITY

  constructor(parts: VisibilityParts, asked: AskedWork) {
    this.#parts = parts
    this.#asked = asked
  }

  /** Ends the streams of those who do not see the Work. Call this every second. Does nothing in local mode. */
  async check(subscribers: Iterable<Subscriber>): Promise<void> {
    if (this.#isChecking || this.#parts.workPeople === undefined) return
    this.#isChecking = true
    // While the store or the upstream is away, the streams go on, and the next check asks again.
    await this.#check([...subscribers]).catch(() => undefined)
    this.#isChecking = false
  }

  async #check(subscribers: readonly Subscriber[]): Promise<void> {
    const { workPeople, people } = this.#parts
    await workPeople?.refresh([this.#asked.workId])
    const undecided: (readonly [Subscriber, Viewer])[] = []
    for (const subscriber of subscribers) {
      const viewer = viewerOfSession(people.current(subscriber.session), people.access())
      const sees = this.#seesByWatcher(viewer)
      if (sees === false) subscriber.end(notFound)
      if (sees === undefined) undecided.push([subscriber, viewer])
    }
    if (undecided.length > 0 && performance.now() - this.#readAt >= STREAM_FRESH_MS)
      await this.#checkByReading(undecided)
  }

  /** Whether a person sees the Work, by what the watcher knows. Undefined: the Work must be read to know. */
  #seesByWatcher(viewer: Viewer): boolean | undefined {
    const known = this.#parts.watcher.known(this.#asked.workId, STREAM_FRESH_MS)
    if (known === undefined) return undefined
    if (this.#sees(viewer, known.work, [])) return true
    // An approver may also see the Work because of a pending approval. The watcher's approvals may be half a minute old, so they are read.
    return viewer.isApprover ? undefined : false
  }

  /** Reads the Work once for all these subscribers. When the read fails, their streams go on. */
  async #checkByReading(undecided: readonly (readonly [Subscriber, Viewer])[]): Promise<void> {
    this.#readAt = performance.now()
    const hasApprovers = undecided.some(([, { isApprover }]) => isApprover)
    const { work, pending, failure } = await readVisibility(this.#parts.reads, this.#asked, hasApprovers)
    if (failure !== undefined) return
    for (const [subscriber, viewer] of undecided)
      if (work === undefined || !this.#sees(viewer, work, pending)) subscriber.end(notFound)
  }

  #sees(viewer: Viewer, work: WorkForVisibility, pending: readonly AskedApproval[]): boolean {
    // 0: `refresh` has just read the store, so it is known who created the Work.
    return this.#parts.watcher.visibleWork.why(viewer, work, pending, 0) !== undefined
  }
}

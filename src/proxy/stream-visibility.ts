/** Ends the event streams of people who do not see the Work any more (`docs/operating.md`, "Who sees what"). */
import { notFound } from "../contract/refusals.ts"
import type { AskedApproval } from "../people/rules/rules.ts"
import { viewerOfSession, type Viewer } from "../people/visibility.ts"
import type { WorkInSight } from "../waiting/resources.ts"
import type { Subscriber } from "./subscriber.ts"
import type { VisibilityParts } from "./visibility-check.ts"
import { readVisibility, type AskedWork } from "./visibility-reads.ts"

/** What was read at most this long ago decides about a stream, so that the stream ends within 10 s after the person may not see the Work. */
const STREAM_KNOWN_MS = 4_000

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

  /** First decides by what the watcher knows of the Work. Then reads the Work once for all subscribers that are still undecided. */
  async #check(subscribers: readonly Subscriber[]): Promise<void> {
    const { workPeople, watcher, people, reads } = this.#parts
    await workPeople?.refresh()
    const viewerOf = ({ session }: Subscriber) => viewerOfSession(people.current(session), people.access())
    // 0: `refresh` has just read the store, so it is known who created the Work.
    const sees = (viewer: Viewer, work: WorkInSight, pending: readonly AskedApproval[]) =>
      watcher.views.why(viewer, work, pending, 0) !== undefined
    const known = watcher.known(this.#asked.workId, STREAM_KNOWN_MS)
    const undecided: (readonly [Subscriber, Viewer])[] = []
    for (const subscriber of subscribers) {
      const viewer = viewerOf(subscriber)
      if (known !== undefined && sees(viewer, known.work, [])) continue
      // An approver may also see the Work because of a pending approval. The watcher's approvals may be half a minute old, so they are read.
      if (known !== undefined && !viewer.isApprover) subscriber.end(notFound)
      else undecided.push([subscriber, viewer])
    }
    if (undecided.length === 0 || performance.now() - this.#readAt < STREAM_KNOWN_MS) return
    this.#readAt = performance.now()
    const hasApprovers = undecided.some(([, { isApprover }]) => isApprover)
    const { work, pending, failure } = await readVisibility(reads, this.#asked, hasApprovers)
    if (failure !== undefined) return
    for (const [subscriber, viewer] of undecided)
      if (work === undefined || !sees(viewer, work, pending)) subscriber.end(notFound)
  }
}

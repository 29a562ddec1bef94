/** Ends the event streams of people who do not see the Work any more (`docs/operating.md`, "Who sees what"). */
import type { Session } from "../people/people.ts"
import { type AskedApproval, viewerOfSession, type Viewer } from "../people/visibility.ts"
import type { WorkInSight } from "../waiting/resources.ts"
import type { VisibilityParts } from "./visibility-check.ts"
import { readVisibility, type AskedWork } from "./visibility-reads.ts"

/** An open stream asks so often, so that it ends within 10 s when its reason ends. */
const STREAM_KNOWN_MS = 4_000
const STREAM_CHECK_MS = 1_000

type Watching = Omit<AskedWork, "isFresh"> & { readonly session: Session; readonly ended: () => void }

export class StreamVisibility {
  readonly #parts: VisibilityParts
  readonly #watching = new Map<string, Set<Watching>>()
  readonly #checking = new Set<string>()
  readonly #readAt = new Map<string, number>()
  readonly #timer: NodeJS.Timeout | undefined

  constructor(parts: VisibilityParts) {
    this.#parts = parts
    if (parts.workPeople === undefined) return
    this.#timer = setInterval(() => this.#checkStreams(), STREAM_CHECK_MS).unref()
  }

  /** Calls `ended` when the person does not see the Work any more. Gives a function that ends the watch. */
  watch(watching: Watching): () => void {
    if (this.#parts.workPeople === undefined) return () => undefined
    const { workId } = watching
    const others = this.#watching.get(workId) ?? new Set()
    this.#watching.set(workId, others.add(watching))
    return () => {
      others.delete(watching)
      if (others.size > 0 || this.#watching.get(workId) !== others) return
      this.#watching.delete(workId)
      this.#readAt.delete(workId)
    }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #checkStreams(): void {
    for (const [workId, watching] of this.#watching) {
      if (this.#checking.has(workId)) continue
      this.#checking.add(workId)
      // While the store or the upstream is away, the stream goes on, and the next check asks again.
      void this.#checkStream(workId, watching)
        .catch(() => undefined)
        .finally(() => this.#checking.delete(workId))
    }
  }

  /** Ends the streams of a Work whose viewers do not see it any more. The Work is read once for all of them. */
  async #checkStream(workId: string, all: ReadonlySet<Watching>): Promise<void> {
    const { workPeople, watcher, people, reads } = this.#parts
    const [first] = all
    if (workPeople === undefined || first === undefined) return
    await workPeople.refresh()
    const access = people.access()
    const viewers = [...all].map((watching) => ({
      watching,
      viewer: viewerOfSession(people.current(watching.session), access),
    }))
    const why = (viewer: Viewer, work: WorkInSight, pending: readonly AskedApproval[]) =>
      watcher.views.why(viewer, work, pending, 0) !== undefined
    const known = watcher.known(workId, STREAM_KNOWN_MS)
    const unsure = known === undefined ? viewers : viewers.filter(({ viewer }) => !why(viewer, known.work, []))
    // The Work alone decides about everybody but approvers. Approvals of the watcher may be half a minute old, so they are read.
    const isOver = ({ viewer }: (typeof viewers)[number]) => known !== undefined && !viewer.isApprover
    for (const { watching } of unsure.filter(isOver)) watching.ended()
    const asked = unsure.filter((one) => !isOver(one))
    const isDue = performance.now() - (this.#readAt.get(workId) ?? Number.NEGATIVE_INFINITY) >= STREAM_KNOWN_MS
    if (asked.length === 0 || !isDue) return
    this.#readAt.set(workId, performance.now())
    const hasApprovers = asked.some(({ viewer }) => viewer.isApprover)
    const { work, pending, failure } = await readVisibility(reads, first, hasApprovers)
    if (failure !== undefined) return
    for (const { watching, viewer } of asked) if (work === undefined || !why(viewer, work, pending)) watching.ended()
  }
}

/** Shares event streams: one upstream stream of a Work serves all its viewers. A second stream serves a viewer that catches up. */
import { MAX_INT64, parseInt64 } from "../contract/int64.ts"
import type { People, Session } from "../people/people.ts"
import type { StreamSight } from "./stream-sight.ts"
import { type RequestContext, whenClosed } from "./request-context.ts"
import { send } from "./send.ts"
import type { OperationCall } from "./operation-routes.ts"
import { SharedStream, type SharedStreamListener } from "./shared-stream.ts"
import { Viewer } from "./stream-viewer.ts"
import type { Upstream } from "./upstream.ts"
import { notFound, positionInvalid, signedOut, stopping, streamShareUsed, streamsBusy } from "../contract/refusals.ts"

// Viewers are checked so many times within the timeout of a stalled viewer.
const CHECKS_PER_TIMEOUT = 10

// A person may open a third of the streams.
const PERSON_SHARE = 3

export type StreamHubOptions = {
  readonly upstream: Upstream
  /** How many streams this desk may open to the upstream at once: its part of UPSTREAM_STREAMS. */
  readonly maxStreams: () => number
  readonly people: People
  readonly sight: StreamSight
  /** Called with the Work's decoded id before an event goes to its viewers. */
  readonly onEvent: (workId: string) => void
}

export class StreamHub {
  readonly #options: StreamHubOptions
  readonly #works = new Map<string, WorkStreams>()
  readonly #streams = new Set<SharedStream>()
  readonly #viewers = new Set<Viewer>()
  readonly #checkTimer: NodeJS.Timeout
  #isStopped = false

  constructor(options: StreamHubOptions) {
    this.#options = options
    const { stalledViewer } = options.upstream.timeouts
    this.#checkTimer = setInterval(() => {
      for (const viewer of this.#viewers) viewer.checkReading(stalledViewer)
      for (const work of this.#works.values()) work.serveWaiting()
    }, stalledViewer / CHECKS_PER_TIMEOUT)
    this.#checkTimer.unref()
  }

  /** Serves a viewer the events after `after` of the query, or else after Last-Event-ID (openapi.yaml, streamWorkEvents). */
  join(context: RequestContext, call: OperationCall, session: Session): void {
    const { operation, target, ids, after } = call
    if (this.#isStopped) return send(context, stopping)
    const lastEventId = context.request.headers["last-event-id"]
    const position = after ?? (typeof lastEventId === "string" ? parseInt64(lastEventId) : undefined)
    if (position === undefined && lastEventId !== undefined) return send(context, positionInvalid)
    const [path = ""] = target.split("?", 1)
    // The id is decoded, because ids that are encoded differently (`%6F` and `o`) name one Work.
    const [workId = ""] = ids
    const viewer = new Viewer(context, position, after === undefined ? "header" : "query")
    const work = this.#works.get(workId) ?? this.#addWork(workId, operation, path)
    const { people, sight } = this.#options
    const forgetSession = people.onSessionEnd(session, () => viewer.end(signedOut))
    const watching = { workId, target: path.slice(0, -"/events".length), trace: context.trace, session }
    const forgetSight = sight.watch({ ...watching, ended: () => viewer.end(notFound) })
    this.#viewers.add(viewer)
    work.join(viewer)
    whenClosed(context, () => {
      forgetSession()
      forgetSight()
      this.#viewers.delete(viewer)
      viewer.close()
      work.leave(viewer)
    })
  }

  #addWork(workId: string, operation: OperationCall["operation"], path: string): WorkStreams {
    const work = new WorkStreams({
      openStream: (first, listener) => this.#openStream(operation, path, first, listener),
      onEvent: () => this.#options.onEvent(workId),
      onEmpty: () => {
        if (this.#works.get(workId) === work) this.#works.delete(workId)
      },
    })
    this.#works.set(workId, work)
    return work
  }

  /**
   * Opens a stream to the upstream. Gives undefined, and refuses the viewer, when too many streams are open. With sign-in one person opens at
   * most a third of them.
   */
  #openStream(
    operation: OperationCall["operation"],
    path: string,
    first: Viewer,
    listener: SharedStreamListener,
  ): SharedStream | undefined {
    const { upstream, people } = this.#options
    const maxStreams = this.#options.maxStreams()
    const share = Math.max(1, Math.floor(maxStreams / PERSON_SHARE))
    const { personId } = first
    if (people.mode === "sign-in" && personId !== undefined) {
      const own = this.#streams.values().filter((stream) => stream.isOf(personId))
      if ([...own].length >= share) {
        first.end(streamShareUsed(share))
        return undefined
      }
    }
    if (this.#streams.size >= maxStreams) {
      const unviewed = this.#streams.values().find((stream) => stream.isUnviewed)
      unviewed?.close()
    }
    if (this.#streams.size >= maxStreams) {
      first.end(streamsBusy(maxStreams))
      return undefined
    }
    const stream: SharedStream = new SharedStream(upstream, operation, path, first, {
      ...listener,
      onClosed: () => {
        this.#streams.delete(stream)
        listener.onClosed()
      },
    })
    this.#streams.add(stream)
    return stream
  }

  /** For the metrics: how many streams are open to the upstream, and how many viewers read them. */
  figures(): { readonly upstream: number; readonly viewers: number } {
    return { upstream: this.#streams.size, viewers: this.#viewers.size }
  }

  /** Ends every stream, and takes no more viewers. */
  stop(): void {
    this.#isStopped = true
    clearInterval(this.#checkTimer)
    for (const viewer of this.#viewers) viewer.end(stopping)
  }
}

type WorkStreamsOptions = {
  /** Gives undefined when no stream could be opened. The viewer then has its answer. */
  openStream(first: Viewer, listener: SharedStreamListener): SharedStream | undefined
  onEvent(): void
  onEmpty(): void
}

// One live stream, and one for a viewer whose position is before the events in memory.
const STREAMS_MAX = 2

/** The upstream streams of one Work. */
class WorkStreams {
  readonly #options: WorkStreamsOptions
  #streams: SharedStream[] = []
  #waiting: Viewer[] = []

  constructor(options: WorkStreamsOptions) {
    this.#options = options
  }

  /**
   * Adds the viewer to a stream that has every event after its position. Else opens a stream, or lets the viewer wait for the end of a
   * stream.
   */
  join(viewer: Viewer): void {
    const stream = this.#streams.find((candidate) => candidate.covers(viewer))
    if (stream !== undefined) stream.add(viewer)
    else if (this.#streams.length < STREAMS_MAX) this.#open(viewer)
    else this.#waiting.push(viewer)
  }

  leave(viewer: Viewer): void {
    this.#waiting = this.#waiting.filter((other) => other !== viewer)
    for (const stream of this.#streams) stream.remove(viewer, this.#streams.length === 1)
  }

  #open(first: Viewer): void {
    const stream = this.#options.openStream(first, {
      onEvent: () => this.#options.onEvent(),
      onProgress: () => this.#merge(),
      onClosed: () => {
        this.#streams = this.#streams.filter((other) => other !== stream)
        this.#joinWaiting()
        if (this.#streams.length === 0) this.#options.onEmpty()
      },
    })
    if (stream === undefined) {
      if (this.#streams.length === 0) this.#options.onEmpty()
      return
    }
    this.#streams.push(stream)
    stream.add(first)
  }

  /**
   * Lets the waiting viewers join, those with the lowest position first, because a stream from there serves the others too. Viewers without a
   * position need a stream of their own: they come first when the viewer that has waited longest is one of them, else last.
   */
  #joinWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    const withoutPosition = waiting[0]?.position === undefined ? -1n : MAX_INT64 + 1n
    const placeOf = ({ position = withoutPosition }: Viewer) => position
    const inOrder = waiting.toSorted((one, other) => Number(placeOf(one) - placeOf(other)))
    for (const viewer of inOrder) this.join(viewer)
  }

  /**
   * Serves viewers that wait because a stream is held up by slow viewers: a new stream from the lowest position that is needed serves both.
   * The slow viewers stay, and get nothing again that they have.
   */
  serveWaiting(): void {
    const heldUp = this.#waiting.length === 0 ? undefined : this.#streams.find((stream) => stream.isHeldUp)
    if (heldUp === undefined) return
    // The viewers wait before the stream closes, because its end lets the waiting viewers join.
    this.#waiting.push(...heldUp.viewers)
    heldUp.release()
  }

  /** Moves the viewers of one stream to the other as soon as the other has every event that they still need. */
  #merge(): void {
    const [first, second] = this.#streams
    if (first === undefined || second === undefined) return
    if (second.canMoveTo(first)) second.moveTo(first)
    else if (first.canMoveTo(second)) first.moveTo(second)
  }
}

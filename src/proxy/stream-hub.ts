/** Shared event streams: one upstream stream of a Work serves all its viewers, with a second one while somebody catches up. */
import { parseInt64 } from "../contract/int64.ts"
import { send, type Exchange } from "./exchange.ts"
import { positionInvalid, stopping } from "./problem.ts"
import type { OperationCall } from "./routes.ts"
import { SharedStream, type SharedStreamEvents } from "./shared-stream.ts"
import { Viewer } from "./stream-viewer.ts"
import type { Upstream } from "./upstream.ts"

// A stalled viewer is noticed after at most this part of its timeout.
const CHECKS_PER_TIMEOUT = 10

export class StreamHub {
  readonly #upstream: Upstream
  readonly #onEvent: () => void
  readonly #works = new Map<string, WorkStreams>()
  readonly #viewers = new Set<Viewer>()
  readonly #checkTimer: NodeJS.Timeout
  #isStopped = false

  /** `onEvent` is called before an event goes to its viewers. */
  constructor(upstream: Upstream, onEvent: () => void) {
    this.#upstream = upstream
    this.#onEvent = onEvent
    const { stalledViewer } = upstream.timeouts
    this.#checkTimer = setInterval(() => {
      for (const viewer of this.#viewers) viewer.checkReading(stalledViewer)
    }, stalledViewer / CHECKS_PER_TIMEOUT)
    this.#checkTimer.unref()
  }

  /** Serves a viewer the events after its position: `after`, or, without it, Last-Event-ID (openapi.yaml, streamWorkEvents). */
  join(exchange: Exchange, { operation, target, after }: OperationCall): void {
    if (this.#isStopped) return send(exchange, stopping)
    const lastEventId = exchange.request.headers["last-event-id"]
    const position = after ?? (typeof lastEventId === "string" ? parseInt64(lastEventId) : undefined)
    if (position === undefined && lastEventId !== undefined) return send(exchange, positionInvalid)
    const [path = ""] = target.split("?", 1)
    const viewer = new Viewer(exchange, position, after === undefined ? "header" : "query")
    const work = this.#works.get(path) ?? this.#addWork(path, operation)
    this.#viewers.add(viewer)
    exchange.onClose = () => {
      this.#viewers.delete(viewer)
      work.leave(viewer)
    }
    work.join(viewer)
  }

  #addWork(path: string, operation: OperationCall["operation"]): WorkStreams {
    const work = new WorkStreams({
      openStream: (first, events) => new SharedStream(this.#upstream, operation, path, first, events),
      onEvent: this.#onEvent,
      onEmpty: () => {
        if (this.#works.get(path) === work) this.#works.delete(path)
      },
    })
    this.#works.set(path, work)
    return work
  }

  /** Ends every stream, and takes no more viewers. */
  stop(): void {
    this.#isStopped = true
    clearInterval(this.#checkTimer)
    for (const viewer of this.#viewers) viewer.end(stopping)
  }
}

type WorkStreamsOptions = {
  openStream(first: Viewer, events: SharedStreamEvents): SharedStream
  onEvent(): void
  onEmpty(): void
}

// One live stream, and one for a viewer whose position is older than the recent events in memory.
const STREAMS_MAX = 2

/** The upstream streams of one Work. */
class WorkStreams {
  readonly #options: WorkStreamsOptions
  #streams: SharedStream[] = []
  #waiting: Viewer[] = []

  constructor(options: WorkStreamsOptions) {
    this.#options = options
  }

  /** Joins a stream that has everything after the viewer's position, opens one, or waits until the second stream has caught up. */
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
    const stream: SharedStream = this.#options.openStream(first, {
      onEvent: () => this.#options.onEvent(),
      onProgress: () => this.#merge(),
      onClosed: () => {
        this.#streams = this.#streams.filter((other) => other !== stream)
        this.#admitWaiting()
        if (this.#streams.length === 0) this.#options.onEmpty()
      },
    })
    this.#streams.push(stream)
    stream.add(first)
  }

  /** The viewer that waited longest goes first, unless another's position is lower: then one stream from there serves both. */
  #admitWaiting(): void {
    const [head, ...rest] = this.#waiting
    if (head === undefined) return
    this.#waiting = []
    const ordered = rest.toSorted((one, other) => compare(one.position, other.position))
    const lowest = ordered.find((viewer) => viewer.position !== undefined)
    const goesFirst = head.position !== undefined && lowest !== undefined && compare(lowest.position, head.position) < 0
    for (const viewer of goesFirst
      ? [lowest, head, ...ordered.filter((other) => other !== lowest)]
      : [head, ...ordered]) {
      this.join(viewer)
    }
  }

  /** Moves the viewers of one stream to the other, once the other has everything that they still need. */
  #merge(): void {
    const [first, second] = this.#streams
    if (first === undefined || second === undefined) return
    if (second.canMoveTo(first)) second.moveTo(first)
    else if (first.canMoveTo(second)) first.moveTo(second)
  }
}

function compare(one: bigint | undefined, other: bigint | undefined): number {
  if (one === other) return 0
  return (one ?? -1n) < (other ?? -1n) ? -1 : 1
}

/** Shared event streams: for each Work one channel, in which one upstream stream, and a second while somebody catches up, serve all viewers. */
import { parseInt64 } from "../contract/int64.ts"
import { Lane, type LaneEvents } from "./stream-lane.ts"
import { Viewer } from "./stream-viewer.ts"
import { positionInvalid, stopping } from "./problem.ts"
import type { Ask } from "./routes.ts"
import type { Upstream } from "./upstream.ts"
import { send, type Visit } from "./exchange.ts"

// How often it is looked whether a viewer reads, within the time after which it is cut off.
const LOOKS = 10

export class StreamHub {
  readonly #upstream: Upstream
  readonly #onEvent: () => void
  readonly #channels = new Map<string, Channel>()
  readonly #viewers = new Set<Viewer>()
  readonly #sweep: NodeJS.Timeout
  #isStopped = false

  /** `onEvent` is called before an event goes to its viewers. */
  constructor(upstream: Upstream, onEvent: () => void) {
    this.#upstream = upstream
    this.#onEvent = onEvent
    const { stalledViewer } = upstream.patience
    this.#sweep = setInterval(() => {
      for (const viewer of this.#viewers) viewer.checkReading(stalledViewer)
    }, stalledViewer / LOOKS)
    this.#sweep.unref()
  }

  /** Serves a viewer the events after its position: `after`, or where that is absent Last-Event-ID (the specification, "Events" 3). */
  join(visit: Visit, { operation, target, after }: Ask): void {
    if (this.#isStopped) return send(visit, stopping)
    const lastEventId = visit.request.headers["last-event-id"]
    const position = after ?? (typeof lastEventId === "string" ? parseInt64(lastEventId) : undefined)
    if (position === undefined && lastEventId !== undefined) return send(visit, positionInvalid)
    const [path = ""] = target.split("?", 1)
    const viewer = new Viewer(visit, position, after === undefined ? "header" : "query")
    const channel = this.#channels.get(path) ?? this.#newChannel(path, operation)
    this.#viewers.add(viewer)
    visit.onClose = () => {
      this.#viewers.delete(viewer)
      channel.leave(viewer)
    }
    channel.join(viewer)
  }

  #newChannel(path: string, operation: Ask["operation"]): Channel {
    const channel = new Channel({
      openLane: (first, events) => new Lane(this.#upstream, operation, path, first, events),
      onEvent: this.#onEvent,
      onEmpty: () => {
        if (this.#channels.get(path) === channel) this.#channels.delete(path)
      },
    })
    this.#channels.set(path, channel)
    return channel
  }

  /** Ends every stream, and takes no more viewers. */
  stop(): void {
    this.#isStopped = true
    clearInterval(this.#sweep)
    for (const viewer of this.#viewers) viewer.end(stopping)
  }
}

type ChannelOptions = {
  openLane(first: Viewer, events: LaneEvents): Lane
  onEvent(): void
  onEmpty(): void
}

// One live stream, and one for whoever has an older position than the recent events in memory reach.
const LANES_MAX = 2

class Channel {
  readonly #options: ChannelOptions
  #lanes: Lane[] = []
  #waiting: Viewer[] = []

  constructor(options: ChannelOptions) {
    this.#options = options
  }

  /** Finds a lane that has everything after the viewer's position; opens one; or has it wait for the lane that is catching up. */
  join(viewer: Viewer): void {
    const lane = this.#lanes.find((candidate) => candidate.covers(viewer))
    if (lane !== undefined) lane.add(viewer)
    else if (this.#lanes.length < LANES_MAX) this.#open(viewer)
    else this.#waiting.push(viewer)
  }

  leave(viewer: Viewer): void {
    this.#waiting = this.#waiting.filter((other) => other !== viewer)
    for (const lane of this.#lanes) lane.remove(viewer, this.#lanes.length === 1)
  }

  #open(first: Viewer): void {
    const lane: Lane = this.#options.openLane(first, {
      onEvent: () => this.#options.onEvent(),
      onProgress: () => this.#merge(),
      onClosed: () => {
        this.#lanes = this.#lanes.filter((other) => other !== lane)
        this.#admitWaiting()
        if (this.#lanes.length === 0) this.#options.onEmpty()
      },
    })
    this.#lanes.push(lane)
    lane.add(first)
  }

  /** Who waited longest is first; it begins where the furthest behind of those who wait stands, so that one lane serves them all. */
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

  /** Where one lane has come so far that the other has all that its viewers still need, they move over. */
  #merge(): void {
    const [first, second] = this.#lanes
    if (first === undefined || second === undefined) return
    if (second.canMoveTo(first)) second.moveTo(first)
    else if (first.canMoveTo(second)) first.moveTo(second)
  }
}

function compare(one: bigint | undefined, other: bigint | undefined): number {
  if (one === other) return 0
  return (one ?? -1n) < (other ?? -1n) ? -1 : 1
}

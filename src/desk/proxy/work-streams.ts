/** The streams of one Work: one upstream stream serves all its subscribers. A second stream serves a subscriber that catches up. */
import { MAX_INT64 } from "../../contract/int64.ts"
import { inBackground } from "../../platform/background.ts"
import type { SharedStream, SharedStreamOptions } from "./shared-stream.ts"
import type { StreamVisibility } from "./stream-visibility.ts"
import type { Subscriber } from "./subscriber.ts"

/** One live stream, and one for a subscriber whose position is before the events in memory. */
const WORK_STREAMS_MAX = 2

/** Opens a stream for its first subscriber. Undefined: too many are open, and the subscriber was refused. */
type OpenStream = (
  first: Subscriber,
  callbacks: Pick<SharedStreamOptions, "onProgress" | "onClosed">,
) => SharedStream | undefined

export class WorkStreams {
  readonly subscribers = new Set<Subscriber>()
  readonly #openStream: OpenStream
  readonly #visibility: StreamVisibility
  #streams: SharedStream[] = []
  /** The subscribers that no open stream can serve, oldest first. */
  #waiting: Subscriber[] = []

  constructor(openStream: OpenStream, visibility: StreamVisibility) {
    this.#openStream = openStream
    this.#visibility = visibility
  }

  get isUnused(): boolean {
    return this.#streams.length === 0 && this.subscribers.size === 0
  }

  join(subscriber: Subscriber): void {
    this.subscribers.add(subscriber)
    this.#serve(subscriber)
  }

  leave(subscriber: Subscriber): void {
    this.subscribers.delete(subscriber)
    this.#waiting = this.#waiting.filter((other) => other !== subscriber)
    for (const stream of this.#streams) stream.remove(subscriber, this.#streams.length === 1)
  }

  /** Call this every second. */
  check(): void {
    inBackground(() => this.#visibility.check(this.subscribers))
    this.#closeHeldUp()
  }

  /** Adds the subscriber to a stream that has every event after its position, or opens one, or lets the subscriber wait until one closes. */
  #serve(subscriber: Subscriber): void {
    const stream = this.#streams.find((candidate) => candidate.covers(subscriber))
    if (stream !== undefined) stream.add(subscriber)
    else if (this.#streams.length < WORK_STREAMS_MAX) this.#open(subscriber)
    else this.#waiting.push(subscriber)
  }

  #open(first: Subscriber): void {
    const stream = this.#openStream(first, {
      onProgress: () => this.#merge(),
      onClosed: () => {
        this.#streams = this.#streams.filter((other) => other !== stream)
        this.#serveWaiting()
      },
    })
    if (stream === undefined) return
    this.#streams.push(stream)
    stream.add(first)
  }

  /**
   * Serves the waiting subscribers, the lowest position first, because a stream from the lowest position serves the others too. Subscribers
   * without a position need a stream of their own: they come first when the subscriber that has waited longest has no position, else last.
   */
  #serveWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    const [beforeAll, afterAll] = [-1n, MAX_INT64 + 1n]
    const withoutPosition = waiting[0]?.position === undefined ? beforeAll : afterAll
    const placeOf = ({ position = withoutPosition }: Subscriber) => position
    const sorted = waiting.toSorted((one, other) => Number(placeOf(one) - placeOf(other)))
    for (const subscriber of sorted) this.#serve(subscriber)
  }

  /** Closes a stream that slow subscribers hold up while others wait, so that one new stream from the lowest position serves all. No event comes twice. */
  #closeHeldUp(): void {
    const heldUp = this.#waiting.length === 0 ? undefined : this.#streams.find((stream) => stream.isHeldUp)
    if (heldUp === undefined) return
    // Before the stream closes, because its closing serves all waiting subscribers.
    this.#waiting.push(...heldUp.subscribers)
    heldUp.close()
  }

  /** Moves the subscribers of one stream to the other as soon as the other has every event that they still need. */
  #merge(): void {
    const [first, second] = this.#streams
    if (first === undefined || second === undefined) return
    if (second.canMoveTo(first)) move(second, first)
    else if (first.canMoveTo(second)) move(first, second)
  }
}

function move(from: SharedStream, to: SharedStream): void {
  for (const subscriber of from.subscribers) to.add(subscriber)
  from.close()
}

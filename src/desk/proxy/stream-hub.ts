/** Shares event streams: one upstream stream of a Work serves all its subscribers. A second stream serves a subscriber that catches up. */
import { MAX_INT64, parseInt64 } from "../../contract/int64.ts"
import { positionInvalid, streamShareUsed, streamsBusy } from "./proxy-refusals.ts"
import { signedOut } from "../../platform/http/refusals.ts"
import type { People, Session } from "../people/people-interface.ts"
import type { OperationCall } from "./find-operation.ts"
import { ownOrigin, type RequestContext, whenClosed } from "../../platform/http/request-context.ts"
import { cut, cutWhenStalled, send } from "../../platform/http/send.ts"
import { SharedStream, type SharedStreamOptions } from "./shared-stream.ts"
import { StreamVisibility } from "./stream-visibility.ts"
import { Subscriber } from "./subscriber.ts"
import type { Trace } from "../../platform/http/trace.ts"
import type { Upstream } from "./upstream.ts"
import type { VisibilityParts } from "./visibility-check.ts"
import { inBackground } from "../../platform/background.ts"

const CHECK_MS = 1_000

/** A person may have a third of all streams open. */
const PERSON_DIVISOR = 3

export type StreamHubOptions = {
  readonly upstream: Upstream
  readonly maxStreams: () => number
  readonly people: People
  readonly visibility: VisibilityParts
  /** Called before an event goes to the subscribers. */
  readonly onEvent: (workId: string) => void
}

export class StreamHub {
  readonly #options: StreamHubOptions
  readonly #works = new Map<string, WorkStreams>()
  readonly #streams = new Set<SharedStream>()
  readonly #checkTimer: NodeJS.Timeout
  #isStopped = false

  constructor(options: StreamHubOptions) {
    this.#options = options
    this.#checkTimer = setInterval(() => {
      for (const [workId, work] of this.#works) {
        if (work.isUnused) this.#works.delete(workId)
        else work.check()
      }
    }, CHECK_MS)
    this.#checkTimer.unref()
  }

  /** Serves a client the events after `after` of the query, or else after Last-Event-ID (openapi.yaml, streamWorkEvents). */
  join(context: RequestContext, call: OperationCall, session: Session): void {
    const { target, ids, after } = call
    if (this.#isStopped) return cut(context)
    const lastEventId = context.request.headers["last-event-id"]
    const position = after ?? (typeof lastEventId === "string" ? parseInt64(lastEventId) : undefined)
    if (position === undefined && lastEventId !== undefined) return send(context, positionInvalid)
    const subscriber = new Subscriber(context, session, position, after === undefined ? "header" : "query")
    // The id is decoded, because ids that are encoded differently (`%6F` and `o`) name one Work.
    const [workId = ""] = ids
    const [path = ""] = target.split("?", 1)
    const work = this.#works.get(workId) ?? this.#addWork(call, workId, path, context.trace)
    work.join(subscriber)
    const forgetSession = this.#options.people.onSessionEnd(session, () => subscriber.end(signedOut))
    // The other limit is the number of unread bytes (subscriber.ts).
    cutWhenStalled(context, this.#options.upstream.timeouts.stalledViewer)
    whenClosed(context, () => {
      forgetSession()
      subscriber.close()
      work.leave(subscriber)
    })
  }

  #addWork({ operation }: OperationCall, workId: string, path: string, trace: Trace): WorkStreams {
    const asked = { workId, target: path.slice(0, -"/events".length), origin: ownOrigin(trace) }
    const { upstream, onEvent, visibility } = this.#options
    const shared = { upstream, operation, path, onEvent: () => onEvent(workId) }
    const work = new WorkStreams(
      (first, callbacks) => this.#openStream(first, { ...shared, ...callbacks }),
      new StreamVisibility(visibility, asked),
    )
    this.#works.set(workId, work)
    return work
  }

  /** Opens a stream to the upstream. When too many are open, refuses the subscriber and returns undefined. */
  #openStream(first: Subscriber, options: SharedStreamOptions): SharedStream | undefined {
    const refusal = this.#makeRoom(first.context.personId)
    if (refusal !== undefined) {
      first.end(refusal)
      return undefined
    }
    const onClosed = () => {
      this.#streams.delete(stream)
      options.onClosed()
    }
    const stream: SharedStream = new SharedStream(first, { ...options, onClosed })
    this.#streams.add(stream)
    return stream
  }

  /**
   * Makes room for one more stream, or returns a refusal. First: with sign-in, a person who has opened a third of the streams and still reads
   * them is refused. Second: when all streams are open, a stream without subscribers closes.
   */
  #makeRoom(personId: string | undefined) {
    const { people, maxStreams } = this.#options
    const most = maxStreams()
    const share = Math.max(1, Math.floor(most / PERSON_DIVISOR))
    if (people.mode === "sign-in" && personId !== undefined) {
      const own = [...this.#streams].filter((stream) => stream.isReadByOpener(personId))
      if (own.length >= share) return streamShareUsed(share)
    }
    if (this.#streams.size < most) return undefined
    const unused = [...this.#streams].find(({ subscribers }) => subscribers.size === 0)
    unused?.close()
    return this.#streams.size < most ? undefined : streamsBusy(most)
  }

  /** For the metrics. */
  figures(): { readonly upstream: number; readonly viewer: number } {
    const viewer = [...this.#works.values()].reduce((sum, { subscribers }) => sum + subscribers.size, 0)
    return { upstream: this.#streams.size, viewer }
  }

  /** Ends every stream, and accepts no more subscribers. A request without an answer is cut off, so that the balancer sends it to another desk. */
  stop(): void {
    this.#isStopped = true
    clearInterval(this.#checkTimer)
    for (const { subscribers } of this.#works.values()) for (const subscriber of subscribers) subscriber.stop()
  }
}

// One live stream, and one for a subscriber whose position is before the events in memory.
const WORK_STREAMS_MAX = 2

type OpenStream = (
  first: Subscriber,
  callbacks: Pick<SharedStreamOptions, "onProgress" | "onClosed">,
) => SharedStream | undefined

class WorkStreams {
  readonly subscribers = new Set<Subscriber>()
  readonly #openStream: OpenStream
  readonly #visibility: StreamVisibility
  #streams: SharedStream[] = []
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
    this.#find(subscriber)
  }

  leave(subscriber: Subscriber): void {
    this.subscribers.delete(subscriber)
    this.#waiting = this.#waiting.filter((other) => other !== subscriber)
    for (const stream of this.#streams) stream.remove(subscriber, this.#streams.length === 1)
  }

  /** Call this every second. */
  check(): void {
    inBackground(() => this.#visibility.check(this.subscribers))
    this.#serveWaiting()
  }

  /** Adds the subscriber to a stream that has every event after its position. Else opens a stream, or lets it wait for the end of one. */
  #find(subscriber: Subscriber): void {
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
        this.#joinWaiting()
      },
    })
    if (stream === undefined) return
    this.#streams.push(stream)
    stream.add(first)
  }

  /**
   * Lets the waiting subscribers join, the lowest position first, because a stream from the lowest position serves the others too. Subscribers
   * without a position need a stream of their own: they come first when the subscriber that has waited longest has no position, else last.
   */
  #joinWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    const [beforeAll, afterAll] = [-1n, MAX_INT64 + 1n]
    const withoutPosition = waiting[0]?.position === undefined ? beforeAll : afterAll
    const placeOf = ({ position = withoutPosition }: Subscriber) => position
    const sorted = waiting.toSorted((one, other) => Number(placeOf(one) - placeOf(other)))
    for (const subscriber of sorted) this.#find(subscriber)
  }

  /**
   * Serves subscribers that wait because slow subscribers hold a stream up: closes that stream, so that one new stream from the lowest position
   * serves all of them. The slow subscribers stay, and get no event twice.
   */
  #serveWaiting(): void {
    const heldUp = this.#waiting.length === 0 ? undefined : this.#streams.find((stream) => stream.isHeldUp)
    if (heldUp === undefined) return
    // The slow subscribers wait before the stream closes, because the closing lets all waiting subscribers join.
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

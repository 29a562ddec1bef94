/** One stream of the upstream, and the subscribers that share it (openapi.yaml, streamWorkEvents). */
import type { Operation } from "../../contract/operation.ts"
import { type HeaderFields, type Refusal, upstreamInvalid } from "../../platform/http/refusals.ts"
import { upstreamTimeout } from "./proxy-refusals.ts"
import { createEventReader, type Unit } from "./event-reader.ts"
import { streamAnswer } from "../../platform/http/security-headers.ts"
import { toChunk, type Subscriber } from "./subscriber.ts"
import type { Answer } from "../../platform/http/send.ts"
import { RecentEvents } from "./recent-events.ts"
import { sendUpstream, type Abort, type Flow, type Sink } from "./upstream-request.ts"
import { countFailure, type Upstream } from "./upstream.ts"

export type SharedStreamOptions = {
  readonly upstream: Upstream
  readonly operation: Operation
  /** The address of the stream, without a query. */
  readonly path: string
  /** Called before the subscribers get events. */
  readonly onEvent: () => void
  /** Called when the stream has opened, and after the subscribers got events. */
  readonly onProgress: () => void
  readonly onClosed: () => void
}

export class SharedStream {
  readonly #options: SharedStreamOptions
  /** The id of the person who opened the stream. */
  readonly #openedBy: string | undefined
  readonly #recent: RecentEvents
  readonly #subscribers = new Set<Subscriber>()
  readonly #readEvents = createEventReader()
  readonly #abort: Abort
  readonly #silenceTimer: NodeJS.Timeout
  #closeTimer: NodeJS.Timeout | undefined
  #head: HeaderFields | undefined
  #flow: Flow | undefined
  #isPaused = false
  #isClosed = false

  /** Opens a stream at the position of its first subscriber. */
  constructor({ position, positionIn, context }: Subscriber, options: SharedStreamOptions) {
    const { upstream, operation, path } = options
    this.#options = options
    this.#openedBy = context.personId
    this.#recent = new RecentEvents(position)
    this.#silenceTimer = setTimeout(() => this.#onSilence(), upstream.timeouts.silentStream)
    const inHeader = position !== undefined && positionIn === "header" && { "last-event-id": String(position) }
    const request = {
      operation,
      target: position !== undefined && positionIn === "query" ? `${path}?after=${position}` : path,
      headers: { accept: "text/event-stream", ...inHeader },
      origin: context,
    }
    const answered = (answer: Answer | Refusal) => this.#close((subscriber) => subscriber.end(answer))
    this.#abort = sendUpstream(upstream, request, answered, (headers, flow) => this.#open(headers, flow))
  }

  get subscribers(): ReadonlySet<Subscriber> {
    return this.#subscribers
  }

  /** Whether every event after the subscriber's position is in memory or still to come. */
  covers({ position }: Subscriber): boolean {
    return !this.#isClosed && this.#recent.covers(position)
  }

  /** Adds a subscriber, and gives it the events in memory after its position. */
  add(subscriber: Subscriber): void {
    clearTimeout(this.#closeTimer)
    this.#subscribers.add(subscriber)
    subscriber.onDrain = () => this.#resume()
    if (this.#head === undefined) return
    subscriber.open(this.#head)
    this.#options.upstream.figures.deliveredEvents += subscriber.deliver(this.#recent.units)
    this.#resume()
  }

  /** Removes a subscriber, if this stream has it. A stream without subscribers closes at once; the Work's only stream closes a moment later. */
  remove(subscriber: Subscriber, isOnly: boolean): void {
    if (!this.#subscribers.delete(subscriber)) return
    if (this.#subscribers.size > 0) return this.#resume()
    if (!isOnly || this.#head === undefined) return this.close()
    this.#closeTimer = setTimeout(() => this.close(), this.#options.upstream.timeouts.unviewedStream)
    this.#pause()
  }

  /** Whether the other stream can serve all subscribers of this stream without a delay. */
  canMoveTo(other: SharedStream): boolean {
    if (this.#head === undefined || other.#head === undefined) return false
    return this.#recent.isReachedBy(other.#recent) && [...this.#subscribers].every((each) => other.covers(each))
  }

  /** Whether all subscribers are behind, so that the stream waits for them. */
  get isHeldUp(): boolean {
    return this.#isPaused && this.#subscribers.size > 0
  }

  /** Whether this person has opened the stream and still reads it. */
  isReadByOpener(personId: string): boolean {
    return (
      this.#openedBy === personId && this.#subscribers.values().some(({ context }) => context.personId === personId)
    )
  }

  /** Closes the stream without ending its subscribers. */
  close(): void {
    this.#close(() => undefined)
  }

  #open(headers: HeaderFields, flow: Flow): Sink {
    this.#flow = flow
    this.#silenceTimer.refresh()
    // RateLimit and similar headers describe this moment, so a subscriber that joins later gets only Content-Type.
    for (const subscriber of this.#subscribers) subscriber.open({ ...streamAnswer, ...headers })
    this.#head = { ...streamAnswer, "Content-Type": headers["Content-Type"] ?? "text/event-stream" }
    this.#options.onProgress()
    return {
      data: (chunk) => this.#relay(chunk),
      ended: () => this.#close((subscriber) => subscriber.end({ ...upstreamInvalid, cause: "cut" })),
      cut: (cause) => this.#close((subscriber) => subscriber.cut({ ...upstreamInvalid, cause })),
    }
  }

  #relay(chunk: Buffer): void {
    const { figures } = this.#options.upstream
    this.#silenceTimer.refresh()
    let units: readonly Unit[]
    try {
      units = this.#readEvents(chunk)
    } catch {
      countFailure(figures, "not_the_operation")
      return this.#close((subscriber) => subscriber.cut({ ...upstreamInvalid, cause: "not_the_operation" }))
    }
    const newUnits: Unit[] = []
    for (const unit of units) {
      if (this.#recent.isReplay(unit)) continue
      const concealed = this.#conceal(unit)
      this.#recent.add(concealed)
      newUnits.push(concealed)
    }
    if (newUnits.length === 0) return
    if (newUnits.some(({ isEvent }) => isEvent)) this.#options.onEvent()
    const chunkOfAll = toChunk(newUnits)
    for (const subscriber of this.#subscribers) figures.deliveredEvents += subscriber.deliver(newUnits, chunkOfAll)
    this.#options.onProgress()
    this.#pauseIfAllBehind()
  }

  /** Removes the token, in case the upstream repeats it. */
  #conceal(unit: Unit): Unit {
    const bytes = this.#options.upstream.token.concealBytes(unit.bytes)
    return bytes === unit.bytes ? unit : { ...unit, bytes }
  }

  /** Pauses the upstream when all subscribers are behind. It never waits for only some: each has its own limits (subscriber.ts). */
  #pauseIfAllBehind(): void {
    for (const { isBehind } of this.#subscribers) if (!isBehind) return
    this.#pause()
  }

  #pause(): void {
    this.#isPaused = true
    this.#flow?.pause()
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#silenceTimer.refresh()
    this.#flow?.resume()
  }

  #onSilence(): void {
    if (this.#isPaused) return void this.#silenceTimer.refresh()
    countFailure(this.#options.upstream.figures, "timeout")
    this.#close((subscriber) => subscriber.cut({ ...upstreamTimeout, cause: "timeout" }))
  }

  /** Closes the stream, after `end` has ended each subscriber. */
  #close(end: (subscriber: Subscriber) => void): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#silenceTimer)
    clearTimeout(this.#closeTimer)
    this.#abort()
    for (const subscriber of this.#subscribers) end(subscriber)
    this.#subscribers.clear()
    this.#options.onClosed()
  }
}

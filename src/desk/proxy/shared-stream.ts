import type { Operation } from "../../contract/operation.ts"
import { type HeaderFields, type Refusal, upstreamInvalid } from "../../platform/http/refusals.ts"
import { upstreamTimeout } from "./proxy-refusals.ts"
import { createEventReader, type Unit } from "./event-reader.ts"
import { streamAnswer } from "../../platform/http/security-headers.ts"
import { toChunk, type Subscriber } from "./subscriber.ts"
import type { Answer } from "../../platform/http/send.ts"
import { sendUpstream, type Abort, type Flow, type Sink } from "./upstream-request.ts"
import { countFailure, type Upstream } from "./upstream.ts"

// How many events stay in memory for subscribers that join or come back.
const RECENT_MAX_BYTES = 1_048_576
const RECENT_MAX_EVENTS = 4_096

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

/** One stream of the upstream, and the subscribers that share it (openapi.yaml, streamWorkEvents). */
export class SharedStream {
  readonly #options: SharedStreamOptions
  readonly #openedBy: string | undefined
  readonly #subscribers = new Set<Subscriber>()
  readonly #readEvents = createEventReader()
  readonly #abort: Abort
  readonly #silenceTimer: NodeJS.Timeout
  #closeTimer: NodeJS.Timeout | undefined
  #head: HeaderFields | undefined
  #flow: Flow | undefined
  #isPaused = false
  #isClosed = false
  #lastRelayed: bigint | undefined
  /** The position that the upstream was asked for. */
  readonly #openedAfter: bigint | undefined
  /** Every event after this sequence is in #recent or has not come yet. */
  #completeAfter: bigint | undefined
  #recent: Unit[] = []
  #recentBytes = 0
  /** Whether #recent has every event since the stream was opened. */
  #isRecentWhole = true

  /** Opens a stream at the position of its first subscriber. */
  constructor({ position, positionIn, context }: Subscriber, options: SharedStreamOptions) {
    const { upstream, operation, path } = options
    this.#options = options
    this.#openedBy = context.personId
    this.#openedAfter = position
    this.#completeAfter = position
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
    if (this.#isClosed) return false
    // Without a position the subscriber needs every event that the upstream sends when no position is named.
    if (position === undefined) return this.#openedAfter === undefined && this.#isRecentWhole
    return this.#completeAfter !== undefined && position >= this.#completeAfter
  }

  /** Adds a subscriber, and gives it the events in memory after its position. */
  add(subscriber: Subscriber): void {
    clearTimeout(this.#closeTimer)
    this.#subscribers.add(subscriber)
    subscriber.onDrain = () => this.#resume()
    if (this.#head === undefined) return
    subscriber.open(this.#head)
    this.#options.upstream.figures.deliveredEvents += subscriber.deliver(this.#recent)
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
    if (![...this.#subscribers].every((subscriber) => other.covers(subscriber))) return false
    const otherReached = other.#lastRelayed ?? other.#openedAfter ?? -1n
    return this.#lastRelayed === undefined || this.#lastRelayed <= otherReached
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

  /** Tells the subscribers nothing. */
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
    const fresh: Unit[] = []
    for (const unit of units) {
      if (this.#isReplay(unit)) continue
      const concealed = this.#conceal(unit)
      this.#keep(concealed)
      fresh.push(concealed)
    }
    if (fresh.length === 0) return
    if (fresh.some(({ isEvent }) => isEvent)) this.#options.onEvent()
    const whole = toChunk(fresh)
    for (const subscriber of this.#subscribers) figures.deliveredEvents += subscriber.deliver(fresh, whole)
    this.#options.onProgress()
    this.#pauseIfAllBehind()
  }

  #isReplay({ sequence }: Unit): boolean {
    const last = this.#lastRelayed ?? this.#openedAfter
    return sequence !== undefined && last !== undefined && sequence <= last
  }

  #conceal(unit: Unit): Unit {
    const bytes = this.#options.upstream.token.concealBytes(unit.bytes)
    return bytes === unit.bytes ? unit : { ...unit, bytes }
  }

  #keep(unit: Unit): void {
    const { sequence, bytes } = unit
    if (sequence === undefined) return
    this.#completeAfter ??= sequence - 1n
    this.#lastRelayed = sequence
    this.#recent.push(unit)
    this.#recentBytes += bytes.length
    while (this.#recentBytes > RECENT_MAX_BYTES || this.#recent.length > RECENT_MAX_EVENTS) {
      const oldest = this.#recent.shift()
      this.#recentBytes -= oldest?.bytes.length ?? 0
      this.#completeAfter = oldest?.sequence
      this.#isRecentWhole = false
    }
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

  #close(tell: (subscriber: Subscriber) => void): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#silenceTimer)
    clearTimeout(this.#closeTimer)
    this.#abort()
    for (const subscriber of this.#subscribers) tell(subscriber)
    this.#subscribers.clear()
    this.#options.onClosed()
  }
}

import type { Operation } from "../contract/document.ts"
import { FrameSplitter, type Unit } from "./frames.ts"
import { upstreamBroken, upstreamLate } from "./refusals.ts"
import { streamAnswer, type FlatHeaders } from "./security-headers.ts"
import { Delivery, type Viewer } from "./stream-viewer.ts"
import { sendUpstream, type Abort, type Flow } from "./upstream-request.ts"
import { countFailure, type Upstream } from "./upstream.ts"

// Recent events stay in memory for viewers that join or come back.
const RECENT_MAX_BYTES = 1_048_576
const RECENT_MAX_EVENTS = 4_096

export type SharedStreamEvents = {
  /** Events have come, and go to the viewers next. */
  onEvent(): void
  /** The stream has opened, or its viewers have been given the new events. */
  onProgress(): void
  onClosed(): void
}

/** One upstream stream and its viewers. */
export class SharedStream {
  readonly #events: SharedStreamEvents
  readonly #timeouts: Upstream["timeouts"]
  readonly #token: Upstream["token"]
  readonly #figures: Upstream["figures"]
  readonly #viewers = new Set<Viewer>()
  readonly #splitter = new FrameSplitter()
  readonly #abort: Abort
  readonly #silence: NodeJS.Timeout
  #linger: NodeJS.Timeout | undefined
  #head: FlatHeaders | undefined
  #flow: Flow | undefined
  #isPaused = false
  #isClosed = false
  /** The last sequence that was relayed; before the first, the position that was asked for. */
  #position: bigint | undefined
  /** Every event after this sequence is in #recent or still to come. */
  #floor: bigint | undefined
  /** Opened without a position, with all events since in #recent: another viewer without a position may join. */
  #isFromOpening: boolean
  #hasEvents = false
  #recent: Unit[] = []
  #recentBytes = 0

  constructor(upstream: Upstream, operation: Operation, path: string, first: Viewer, events: SharedStreamEvents) {
    this.#events = events
    this.#timeouts = upstream.timeouts
    this.#token = upstream.token
    this.#figures = upstream.figures
    this.#position = first.position
    this.#floor = first.position
    this.#isFromOpening = first.position === undefined
    this.#silence = setTimeout(() => this.#onSilence(), upstream.timeouts.silentStream)
    const inQuery = first.position !== undefined && first.positionIn === "query"
    const inHeader = first.position !== undefined && first.positionIn === "header"
    const request = {
      operation,
      target: inQuery ? `${path}?after=${first.position}` : path,
      headers: ["accept", "text/event-stream", ...(inHeader ? ["last-event-id", String(first.position)] : [])],
    }
    this.#abort = sendUpstream(upstream, request, {
      answered: (answer) => this.#close((viewer) => viewer.end(answer)),
      opened: (headers, flow) => this.#open(headers, flow),
      data: (chunk) => this.#take(chunk),
      ended: () => this.#close((viewer) => viewer.end({ ...upstreamBroken, cause: "cut" })),
      cut: (cause) => this.#close((viewer) => viewer.cut({ ...upstreamBroken, cause })),
    })
  }

  /** Whether every event after the viewer's position is in memory or still to come. */
  covers({ position }: Viewer): boolean {
    if (this.#isClosed) return false
    return position === undefined ? this.#isFromOpening : this.#floor !== undefined && position >= this.#floor
  }

  add(viewer: Viewer): void {
    clearTimeout(this.#linger)
    this.#viewers.add(viewer)
    viewer.onDrain = () => this.#resume()
    if (this.#head === undefined) return
    viewer.open(this.#head)
    const missed = this.#recent.filter(
      ({ sequence }) => viewer.position === undefined || (sequence ?? 0n) > viewer.position,
    )
    if (missed.length > 0) viewer.give(new Delivery(missed))
    this.#figures.deliveredEvents += missed.filter((unit) => unit.isEvent).length
    this.#resume()
  }

  /** Removes the viewer, if it is here. Without viewers the stream closes; the only stream of a Work a moment later. */
  remove(viewer: Viewer, isOnly: boolean): void {
    if (!this.#viewers.delete(viewer)) return
    if (this.#viewers.size > 0) return this.#resume()
    if (!isOnly || this.#head === undefined) return this.close()
    this.#linger = setTimeout(() => this.close(), this.#timeouts.unviewedStream)
    this.#pauseIfAllBehind()
  }

  /** Whether the other stream can serve all viewers of this one without making them wait. */
  canMoveTo(other: SharedStream): boolean {
    if (this.#head === undefined || other.#head === undefined) return false
    if (![...this.#viewers].every((viewer) => other.covers(viewer))) return false
    return !this.#hasEvents || (this.#position ?? -1n) <= (other.#position ?? -1n)
  }

  moveTo(other: SharedStream): void {
    const viewers = [...this.#viewers]
    this.#viewers.clear()
    for (const viewer of viewers) other.add(viewer)
    this.close()
  }

  #open(headers: FlatHeaders, flow: Flow): void {
    this.#flow = flow
    this.#silence.refresh()
    const type = headers.indexOf("Content-Type")
    // RateLimit and its like are news to the viewers that waited for the opening, and old for later ones.
    for (const viewer of this.#viewers) viewer.open([...streamAnswer, ...headers])
    this.#head = [...streamAnswer, ...headers.slice(type, type + 2)]
    this.#events.onProgress()
  }

  #take(chunk: Buffer): void {
    this.#silence.refresh()
    let units: Unit[]
    try {
      units = this.#splitter.push(chunk)
    } catch {
      countFailure(this.#figures, "not_the_operation")
      return this.#close((viewer) => viewer.cut({ ...upstreamBroken, cause: "not_the_operation" }))
    }
    const fresh: Unit[] = []
    for (const unit of units) {
      if (this.#isReplay(unit)) continue
      const concealed = this.#conceal(unit)
      this.#remember(concealed)
      fresh.push(concealed)
    }
    if (fresh.length === 0) return
    const events = fresh.filter((unit) => unit.isEvent).length
    if (events > 0) this.#events.onEvent()
    this.#figures.deliveredEvents += events * this.#viewers.size
    const delivery = new Delivery(fresh)
    for (const viewer of this.#viewers) viewer.give(delivery)
    this.#events.onProgress()
    this.#pauseIfAllBehind()
  }

  /** Whether all viewers have had the event: its sequence is not above the last. */
  #isReplay({ sequence }: Unit): boolean {
    return sequence !== undefined && this.#position !== undefined && sequence <= this.#position
  }

  #conceal(unit: Unit): Unit {
    const bytes = this.#token.concealBytes(unit.bytes)
    return bytes === unit.bytes ? unit : { ...unit, bytes }
  }

  #remember(unit: Unit): void {
    const { sequence, bytes } = unit
    if (sequence === undefined) return
    this.#floor ??= sequence - 1n
    this.#position = sequence
    this.#hasEvents = true
    this.#recent.push(unit)
    this.#recentBytes += bytes.length
    while (this.#recentBytes > RECENT_MAX_BYTES || this.#recent.length > RECENT_MAX_EVENTS) {
      const oldest = this.#recent.shift()
      this.#recentBytes -= oldest?.bytes.length ?? 0
      this.#floor = oldest?.sequence
      this.#isFromOpening = false
    }
  }

  /** Pauses the upstream when no viewer reads. While one reads, the others are cut off at their bound. */
  #pauseIfAllBehind(): void {
    for (const viewer of this.#viewers) if (!viewer.isBehind) return
    this.#isPaused = true
    this.#flow?.pause()
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#silence.refresh()
    this.#flow?.resume()
  }

  #onSilence(): void {
    if (this.#isPaused) return void this.#silence.refresh()
    countFailure(this.#figures, "timeout")
    this.#close((viewer) => viewer.cut({ ...upstreamLate, cause: "timeout" }))
  }

  get isUnviewed(): boolean {
    return this.#viewers.size === 0
  }

  close(): void {
    this.#close(() => undefined)
  }

  #close(tell: (viewer: Viewer) => void): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#silence)
    clearTimeout(this.#linger)
    this.#abort()
    for (const viewer of this.#viewers) tell(viewer)
    this.#viewers.clear()
    this.#events.onClosed()
  }
}

import type { Operation } from "../contract/document.ts"
import { toReadableForm, withoutMark, FrameSplitter, type Unit } from "./frames.ts"
import { streamAnswer } from "./security-headers.ts"
import type { HeaderFields } from "../contract/refusal.ts"
import { Delivery, type Viewer } from "./stream-viewer.ts"
import { sendUpstream, type Abort, type Flow } from "./upstream-request.ts"
import { countFailure, type Upstream } from "./upstream.ts"
import { upstreamInvalid, upstreamTimeout } from "../contract/refusals.ts"

// How many events stay in memory for viewers that join or come back.
const RECENT_MAX_BYTES = 1_048_576
const RECENT_MAX_EVENTS = 4_096

/** What a shared stream calls. */
export type SharedStreamListener = {
  /** Events have come, and the viewers have not got them yet. */
  onEvent(): void
  /** The stream has opened, or its viewers have got the new events. */
  onProgress(): void
  onClosed(): void
}

/** One stream of the upstream, and the viewers that share it (openapi.yaml, streamWorkEvents). */
export class SharedStream {
  readonly #listener: SharedStreamListener
  readonly #timeouts: Upstream["timeouts"]
  readonly #token: Upstream["token"]
  readonly #figures: Upstream["figures"]
  readonly #openedBy: string | undefined
  readonly #viewers = new Set<Viewer>()
  readonly #splitter = new FrameSplitter()
  readonly #abort: Abort
  readonly #silenceTimer: NodeJS.Timeout
  #closeTimer: NodeJS.Timeout | undefined
  #head: HeaderFields | undefined
  #flow: Flow | undefined
  #isPaused = false
  #isClosed = false
  /** The last sequence that was relayed. Before the first event: the position that the first viewer asked for. */
  #position: bigint | undefined
  /** Every event after this sequence is in #recent or has not come yet. */
  #completeAfter: bigint | undefined
  /** Whether the stream was opened without a position and #recent has all its events, so that a viewer without a position may join. */
  #coversViewersWithoutPosition: boolean
  #hasBegun = false
  #hasEvents = false
  #recent: Unit[] = []
  #recentBytes = 0

  constructor(upstream: Upstream, operation: Operation, path: string, first: Viewer, listener: SharedStreamListener) {
    this.#listener = listener
    this.#timeouts = upstream.timeouts
    this.#token = upstream.token
    this.#figures = upstream.figures
    this.#openedBy = first.personId
    this.#position = first.position
    this.#completeAfter = first.position
    this.#coversViewersWithoutPosition = first.position === undefined
    this.#silenceTimer = setTimeout(() => this.#onSilence(), upstream.timeouts.silentStream)
    const inQuery = first.position !== undefined && first.positionIn === "query"
    const inHeader = first.position !== undefined && first.positionIn === "header"
    const request = {
      operation,
      target: inQuery ? `${path}?after=${first.position}` : path,
      headers: { accept: "text/event-stream", ...(inHeader && { "last-event-id": String(first.position) }) },
      trace: first.trace,
    }
    this.#abort = sendUpstream(upstream, request, {
      answered: (answer) => this.#close((viewer) => viewer.end(answer)),
      opened: (headers, flow) => this.#open(headers, flow),
      data: (chunk) => this.#relay(chunk),
      ended: () => this.#close((viewer) => viewer.end({ ...upstreamInvalid, cause: "cut" })),
      cut: (cause) => this.#close((viewer) => viewer.cut({ ...upstreamInvalid, cause })),
    })
  }

  /** Whether every event after the viewer's position is in memory or has not come yet. */
  covers({ position }: Viewer): boolean {
    if (this.#isClosed) return false
    return position === undefined
      ? this.#coversViewersWithoutPosition
      : this.#completeAfter !== undefined && position >= this.#completeAfter
  }

  /** Adds a viewer, and gives it the events in memory after its position. */
  add(viewer: Viewer): void {
    clearTimeout(this.#closeTimer)
    this.#viewers.add(viewer)
    viewer.onDrain = () => this.#resume()
    if (this.#head === undefined) return
    viewer.open(this.#head)
    const missed = this.#recent.filter(
      ({ sequence }) => viewer.position === undefined || (sequence ?? 0n) > viewer.position,
    )
    if (missed.length > 0) viewer.deliver(new Delivery(missed))
    this.#figures.deliveredEvents += missed.filter((unit) => unit.isEvent).length
    this.#resume()
  }

  /**
   * Removes a viewer, if this stream has it. Without viewers the stream closes: at once, or a moment later if it is the Work's only stream.
   */
  remove(viewer: Viewer, isOnly: boolean): void {
    if (!this.#viewers.delete(viewer)) return
    if (this.#viewers.size > 0) return this.#resume()
    if (!isOnly || this.#head === undefined) return this.close()
    this.#closeTimer = setTimeout(() => this.close(), this.#timeouts.unviewedStream)
    this.#pauseIfAllBehind()
  }

  /** Whether the other stream can serve all viewers of this stream without a delay. */
  canMoveTo(other: SharedStream): boolean {
    if (this.#head === undefined || other.#head === undefined) return false
    if (![...this.#viewers].every((viewer) => other.covers(viewer))) return false
    return !this.#hasEvents || (this.#position ?? -1n) <= (other.#position ?? -1n)
  }

  /** Moves all viewers to the other stream, and closes this stream. */
  moveTo(other: SharedStream): void {
    for (const viewer of this.release()) other.add(viewer)
  }

  #open(headers: HeaderFields, flow: Flow): void {
    this.#flow = flow
    this.#silenceTimer.refresh()
    // RateLimit and similar headers describe this moment, so only viewers that wait for the opening get them. A viewer that joins later gets
    // only Content-Type.
    for (const viewer of this.#viewers) viewer.open({ ...streamAnswer, ...headers })
    this.#head = { ...streamAnswer, "Content-Type": headers["Content-Type"] ?? "text/event-stream" }
    this.#listener.onProgress()
  }

  /** Relays a chunk to all viewers. */
  #relay(chunk: Buffer): void {
    this.#silenceTimer.refresh()
    let units: Unit[]
    try {
      units = this.#splitter.push(this.#hasBegun ? chunk : withoutMark(chunk))
    } catch {
      countFailure(this.#figures, "not_the_operation")
      return this.#close((viewer) => viewer.cut({ ...upstreamInvalid, cause: "not_the_operation" }))
    }
    this.#hasBegun = true
    const fresh: Unit[] = []
    for (const unit of units) {
      if (this.#isReplay(unit)) continue
      const written = this.#write(unit)
      this.#remember(written)
      fresh.push(written)
    }
    if (fresh.length === 0) return
    const events = fresh.filter((unit) => unit.isEvent).length
    if (events > 0) this.#listener.onEvent()
    this.#figures.deliveredEvents += events * this.#viewers.size
    const delivery = new Delivery(fresh)
    for (const viewer of this.#viewers) viewer.deliver(delivery)
    this.#listener.onProgress()
    this.#pauseIfAllBehind()
  }

  /** Whether the event was relayed before: its sequence is not above the last one. */
  #isReplay({ sequence }: Unit): boolean {
    return sequence !== undefined && this.#position !== undefined && sequence <= this.#position
  }

  /** The unit as the viewers get it: without the token, and in the form that the app reads. */
  #write(unit: Unit): Unit {
    const concealed = this.#token.concealBytes(unit.bytes)
    const bytes = unit.isEvent ? toReadableForm(concealed) : concealed
    return bytes === unit.bytes ? unit : { ...unit, bytes }
  }

  #remember(unit: Unit): void {
    const { sequence, bytes } = unit
    if (sequence === undefined) return
    this.#completeAfter ??= sequence - 1n
    this.#position = sequence
    this.#hasEvents = true
    this.#recent.push(unit)
    this.#recentBytes += bytes.length
    while (this.#recentBytes > RECENT_MAX_BYTES || this.#recent.length > RECENT_MAX_EVENTS) {
      const oldest = this.#recent.shift()
      this.#recentBytes -= oldest?.bytes.length ?? 0
      this.#completeAfter = oldest?.sequence
      this.#coversViewersWithoutPosition = false
    }
  }

  /** Pauses the upstream when no viewer reads. While one viewer reads, the others are cut off at their limit. */
  #pauseIfAllBehind(): void {
    for (const viewer of this.#viewers) if (!viewer.isBehind) return
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
    countFailure(this.#figures, "timeout")
    this.#close((viewer) => viewer.cut({ ...upstreamTimeout, cause: "timeout" }))
  }

  /** Whether all viewers are behind, so that the stream waits for them. */
  get isHeldUp(): boolean {
    return this.#isPaused && this.#viewers.size > 0
  }

  get viewers(): Iterable<Viewer> {
    return this.#viewers
  }

  /** Closes the stream without telling its viewers. Gives the viewers, so that they can join another stream. */
  release(): readonly Viewer[] {
    const viewers = [...this.#viewers]
    this.#viewers.clear()
    this.close()
    return viewers
  }

  /** Whether this person has opened the stream and still reads it. */
  isOf(personId: string): boolean {
    return this.#openedBy === personId && this.#viewers.values().some((viewer) => viewer.personId === personId)
  }

  /** Whether the stream has no viewer. */
  get isUnviewed(): boolean {
    return this.#viewers.size === 0
  }

  /** Closes the stream. Its viewers are told nothing. */
  close(): void {
    this.#close(() => undefined)
  }

  #close(tell: (viewer: Viewer) => void): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#silenceTimer)
    clearTimeout(this.#closeTimer)
    this.#abort()
    for (const viewer of this.#viewers) tell(viewer)
    this.#viewers.clear()
    this.#listener.onClosed()
  }
}

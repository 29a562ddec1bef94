import type { Operation } from "../contract/document.ts"
import { FrameSplitter, type Unit } from "./frames.ts"
import { upstreamBroken, upstreamLate } from "./problem.ts"
import { streamAnswer, type FlatHeaders } from "./security-headers.ts"
import type { Viewer } from "./stream-viewer.ts"
import { ask, type Flow } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"

// The events of a Work that are kept in memory for those who join or come back.
const RECENT_MAX_BYTES = 1_048_576
const RECENT_MAX_EVENTS = 4_096

export type LaneEvents = {
  /** Events have come, and are about to go to the viewers. */
  onEvent(): void
  /** The lane has opened, or its viewers have what has come. */
  onProgress(): void
  onClosed(): void
}

/** One upstream stream and its viewers. */
export class Lane {
  readonly #events: LaneEvents
  readonly #patience: Upstream["patience"]
  readonly #token: Upstream["token"]
  readonly #viewers = new Set<Viewer>()
  readonly #splitter = new FrameSplitter()
  readonly #letGo: () => void
  readonly #silence: NodeJS.Timeout
  #linger: NodeJS.Timeout | undefined
  #head: FlatHeaders | undefined
  #flow: Flow | undefined
  #isPaused = false
  #isClosed = false
  /** The last sequence relayed, or, before the first, the position asked. */
  #position: bigint | undefined
  /** All events after this one have been relayed or are still to come here, and those relayed are in #recent. */
  #floor: bigint | undefined
  /** Opened without a position, and still remembering everything since: it answers another viewer without one. */
  #isFromOpening: boolean
  #hasEvents = false
  #recent: Unit[] = []
  #recentBytes = 0

  constructor(upstream: Upstream, operation: Operation, path: string, first: Viewer, events: LaneEvents) {
    this.#events = events
    this.#patience = upstream.patience
    this.#token = upstream.token
    this.#position = first.position
    this.#floor = first.position
    this.#isFromOpening = first.position === undefined
    this.#silence = setTimeout(() => this.#onSilence(), upstream.patience.silentStream)
    const inQuery = first.position !== undefined && first.saidIn === "query"
    const inHeader = first.position !== undefined && first.saidIn === "header"
    const question = {
      operation,
      target: inQuery ? `${path}?after=${first.position}` : path,
      headers: ["accept", "text/event-stream", ...(inHeader ? ["last-event-id", String(first.position)] : [])],
    }
    this.#letGo = ask(upstream, question, {
      answered: (answer) => this.#close((viewer) => viewer.end(answer)),
      opened: (headers, flow) => this.#open(headers, flow),
      data: (chunk) => this.#take(chunk),
      ended: () => this.#close((viewer) => viewer.end(upstreamBroken)),
      cut: () => this.#close((viewer) => viewer.cut(upstreamBroken)),
    })
  }

  /** Whether every event after the viewer's position is in memory here, or still to come. */
  covers({ position }: Viewer): boolean {
    if (this.#isClosed) return false
    return position === undefined ? this.#isFromOpening : this.#floor !== undefined && position >= this.#floor
  }

  add(viewer: Viewer): void {
    clearTimeout(this.#linger)
    this.#viewers.add(viewer)
    viewer.onDrain(() => this.#resume())
    if (this.#head === undefined) return
    viewer.open(this.#head)
    const missed = this.#recent.filter(
      ({ sequence }) => viewer.position === undefined || (sequence ?? 0n) > viewer.position,
    )
    if (missed.length > 0) giveAll([viewer], missed)
    this.#resume()
  }

  /** Takes the viewer away, if it is here. Without viewers the lane ends: the only one of its Work a moment later. */
  remove(viewer: Viewer, isOnly: boolean): void {
    if (!this.#viewers.delete(viewer)) return
    if (this.#viewers.size > 0) return this.#resume()
    if (!isOnly || this.#head === undefined) return this.#close(() => undefined)
    this.#linger = setTimeout(() => this.#close(() => undefined), this.#patience.unviewedStream)
    this.#holdBack()
  }

  /** Whether the other lane can serve all viewers of this one, and is not behind it; one that has shown nothing yet waits for no other. */
  canMoveTo(other: Lane): boolean {
    if (this.#head === undefined || other.#head === undefined) return false
    if (![...this.#viewers].every((viewer) => other.covers(viewer))) return false
    return !this.#hasEvents || (this.#position ?? -1n) <= (other.#position ?? -1n)
  }

  moveTo(other: Lane): void {
    const viewers = [...this.#viewers]
    this.#viewers.clear()
    for (const viewer of viewers) other.add(viewer)
    this.#close(() => undefined)
  }

  #open(headers: FlatHeaders, flow: Flow): void {
    this.#flow = flow
    this.#silence.refresh()
    const type = headers.indexOf("Content-Type")
    // The budget that the opening left is news to those who waited for it, and none later.
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
      return this.#close((viewer) => viewer.cut(upstreamBroken))
    }
    const news: Unit[] = []
    for (const unit of units) {
      if (!this.#isNews(unit)) continue
      const concealed = this.#conceal(unit)
      this.#remember(concealed)
      news.push(concealed)
    }
    if (news.length === 0) return
    if (news.some((unit) => unit.isEvent)) this.#events.onEvent()
    giveAll(this.#viewers, news)
    this.#events.onProgress()
    this.#holdBack()
  }

  /** A sequence that does not grow is a replay: whoever is here has had it. */
  #isNews({ sequence }: Unit): boolean {
    return sequence === undefined || this.#position === undefined || sequence > this.#position
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

  /** Reading on is of use as long as one viewer reads; those who do not are cut off at their bound. */
  #holdBack(): void {
    for (const viewer of this.#viewers) if (!viewer.holdsBack) return
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
    this.#close((viewer) => viewer.cut(upstreamLate))
  }

  #close(tell: (viewer: Viewer) => void): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#silence)
    clearTimeout(this.#linger)
    this.#letGo()
    for (const viewer of this.#viewers) tell(viewer)
    this.#viewers.clear()
    this.#events.onClosed()
  }
}

function giveAll(viewers: Iterable<Viewer>, units: readonly Unit[]): void {
  const [only] = units
  const whole = units.length === 1 && only !== undefined ? only.bytes : Buffer.concat(units.map((unit) => unit.bytes))
  const sequences = units.flatMap(({ sequence }) => (sequence === undefined ? [] : [sequence]))
  for (const viewer of viewers) viewer.give(units, whole, sequences[0], sequences.at(-1))
}

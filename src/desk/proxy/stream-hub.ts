/** All event streams: serves each client from the streams of its Work (`work-streams.ts`), and limits how many are open. */
import { parseInt64 } from "../../contract/int64.ts"
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
import { WorkStreams } from "./work-streams.ts"

const CHECK_MS = 1_000

/** A person may have a third of all streams open. */
const PERSON_SHARE_DIVISOR = 3

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
    const { upstream, onEvent, visibility } = this.#options
    const asked = { workId, target: path.slice(0, -"/events".length), origin: ownOrigin(trace) }
    const options = { upstream, operation, path, onEvent: () => onEvent(workId) }
    const work = new WorkStreams(
      (first, callbacks) => this.#openStream(first, { ...options, ...callbacks }),
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
    const share = Math.max(1, Math.floor(most / PERSON_SHARE_DIVISOR))
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

/** Forwards a request for one of the 13 operations: as a mutation, a shared read, a shared stream, or a download. */
import { hasNoCache } from "../contract/http-fields.ts"
import { type HeaderFields, isRefusal, type Refusal } from "../contract/refusal.ts"
import type { People, Session } from "../people/people.ts"
import type { DeskRecord } from "../record/record.ts"
import type { WorkPeople } from "../record/work-people.ts"
import type { Database } from "../store/database.ts"
import { parseBody } from "../contract/json-object.ts"
import { Sight, type NotSeen, type Seen } from "./sight.ts"
import { StreamSight } from "./stream-sight.ts"
import { readVisibleWork } from "./visible-work.ts"
import type { Hints } from "../waiting/shared-hints.ts"
import type { Watcher } from "../waiting/watcher.ts"
import { type RequestContext, whenClosed } from "./request-context.ts"
import { cut, cutWhenStalled, send, type Answer } from "./send.ts"
import { checkRepeated } from "./guard.ts"
import { Mutations, type MutationsOptions } from "./mutations.ts"
import { SharedReads } from "./reads.ts"
import type { OperationCall } from "./operation-routes.ts"
import { pickRequestHeaders } from "./passed-headers.ts"
import { downloadAnswer } from "./security-headers.ts"
import { StreamHub } from "./stream-hub.ts"
import { sendUpstream, type Flow, type UpstreamRequest } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"
import { INPUTS_MAX } from "../contract/limits.ts"
import { bodyInvalid, notFound } from "../contract/refusals.ts"

/** A mutation whose body took longer has its Work checked again. */
const SEEN_AGAIN_MS = 2_000

export type ForwarderOptions = {
  readonly upstream: Upstream
  readonly people: People
  readonly record: DeskRecord
  readonly watcher: Watcher
  readonly hints: Hints
  /** How many streams this desk may open to the upstream at once. */
  readonly maxStreams: () => number
  readonly workPeople: WorkPeople | undefined
  readonly database: Database
}

export class Forwarder {
  readonly reads: SharedReads
  readonly streams: StreamHub
  readonly mutations: Mutations
  readonly sight: Sight
  readonly streamSight: StreamSight
  readonly #options: ForwarderOptions
  /** When the Work of each request was checked. */
  readonly #seenAt = new WeakMap<RequestContext, number>()

  constructor(options: ForwarderOptions) {
    const { upstream, people, record, watcher, hints, maxStreams, workPeople, database } = options
    this.#options = options
    this.reads = new SharedReads(upstream)
    this.sight = new Sight({ people, workPeople, database, reads: this.reads, watcher })
    this.streamSight = new StreamSight({ people, workPeople, reads: this.reads, watcher })
    const onEvent = (workId: string) => {
      this.reads.expire()
      hints.hint(workId)
    }
    this.streams = new StreamHub({ upstream, people, sight: this.streamSight, maxStreams, onEvent })
    const onAnswered = (call: OperationCall, answer: Answer | Refusal) => {
      this.reads.expire()
      tellWatchers(hints, call, answer)
    }
    const checkBody: MutationsOptions["checkBody"] = (context, call, session, body) =>
      this.#checkBody(context, call, session, body)
    this.mutations = new Mutations({ upstream, people, record, checkBody, onAnswered })
  }

  /**
   * Forwards a request whose session, role and person were checked, and answers the client. With sign-in, a Work or upload that the person does
   * not see is answered first, as one that does not exist.
   */
  async forward(context: RequestContext, call: OperationCall, session: Session): Promise<void> {
    if (this.#options.people.mode === "local") return this.#forward(context, call, session)
    context.hasOwnNotFound = true
    const { operation, ids } = call
    const seen = await this.#check(context, call, session)
    if (context.response.closed) return
    if (seen?.kind === "not-seen") return send(context, seen.answer)
    this.#seenAt.set(context, performance.now())
    if (operation.id === "getWork" && seen?.answer !== undefined) return send(context, seen.answer)
    if (operation.id === "getInputUpload") {
      const stopped = await this.sight.checkUploads(session, ids, context.trace)
      if (stopped !== undefined) return send(context, stopped)
    }
    if (operation.id !== "listWork") return this.#forward(context, call, session)
    const headers = pickRequestHeaders(context.request, operation)
    const isFresh = hasNoCache(context.request.headers["cache-control"])
    send(
      context,
      await readVisibleWork(context, call, session, { reads: this.reads, sight: this.sight, headers, isFresh }),
    )
  }

  /** Whether the person sees the Work of the address. Undefined: the address names none. */
  async #check(context: RequestContext, call: OperationCall, session: Session): Promise<Seen | NotSeen | undefined> {
    const target = workTargetOf(call)
    const [workId] = call.ids
    if (target === undefined || workId === undefined) return undefined
    const isFresh = hasNoCache(context.request.headers["cache-control"])
    return this.sight.check(session, { workId, target, trace: context.trace, isFresh })
  }

  /** Checks the uploads that a mutation names. Checks its Work again, because a body may have taken half a minute to arrive. */
  async #checkBody(
    context: RequestContext,
    call: OperationCall,
    session: Session,
    body: Buffer | undefined,
  ): Promise<Answer | Refusal | undefined> {
    if (this.#options.people.mode === "local") return undefined
    const { operation, ids } = call
    if (operation.id === "retryInputUploadProcessing") return this.sight.checkUploads(session, ids, context.trace)
    if (operation.id === "createWork") {
      const inputs = inputsIn(body)
      return inputs.length > INPUTS_MAX ? tooManyInputs : this.sight.checkUploads(session, inputs, context.trace)
    }
    if (performance.now() - (this.#seenAt.get(context) ?? 0) < SEEN_AGAIN_MS) return undefined
    const seen = await this.#check(context, call, session)
    return seen?.kind === "not-seen" ? seen.answer : undefined
  }

  #forward(context: RequestContext, call: OperationCall, session: Session): void | Promise<void> {
    const { operation, target } = call
    const kind = operation.success[200]
    const isPlainRead = operation.method === "GET" && kind === "json"
    const refusal = isPlainRead ? undefined : checkRepeated(context.request)
    if (refusal !== undefined) return send(context, refusal)
    const headers = pickRequestHeaders(context.request, operation)
    if (operation.method === "POST") return this.mutations.forward(context, call, headers)
    if (kind === "event-stream") return this.streams.join(context, call, session)
    if (kind === "octet-stream") {
      return download(this.#options.upstream, context, { operation, target, headers, trace: context.trace })
    }
    const isFresh = hasNoCache(context.request.headers["cache-control"])
    const { trace } = context
    const answered = async (answer: Answer | Refusal): Promise<void> => {
      const isSeen =
        operation.id !== "getWork" ||
        isRefusal(answer) ||
        (await this.sight.checkAnswer(session, call.ids[0] ?? "", answer))
      send(context, isSeen ? answer : notFound)
    }
    const leave = this.reads.read({ operation, target, headers, trace }, (answer) => void answered(answer), { isFresh })
    whenClosed(context, leave)
  }
}

/** The address of the Work of an operation below it, with the id as the client wrote it. */
function workTargetOf({ operation, target }: OperationCall): string | undefined {
  return operation.path.startsWith("/api/v1/work/") ? /^\/api\/v1\/work\/[^/?]*/.exec(target)?.[0] : undefined
}

/** The ids of the uploads that a createWork names. A body that is not valid names none; the record's steps refuse it. */
function inputsIn(body: Buffer | undefined): readonly string[] {
  const ids = body && parseBody(body)?.["input_upload_ids"]
  return (Array.isArray(ids) ? ids : [ids]).filter((id) => typeof id === "string")
}

/** Each upload is looked up, so a body with thousands of ids would cost everybody the credential's quota. */
const tooManyInputs: Refusal = { ...bodyInvalid, detail: `input_upload_ids may name at most ${INPUTS_MAX} uploads.` }

/** Asks the watchers to read the changed Work again. A decided item leaves their answers at once. */
function tellWatchers(hints: Hints, { operation, ids }: OperationCall, answer: Answer | Refusal): void {
  const [workId, itemId] = ids
  if (operation.id === "createWork") hints.hintList()
  if (workId === undefined || !operation.path.startsWith("/api/v1/work/")) return
  hints.hint(workId)
  if (isRefusal(answer) || answer.status !== 200 || itemId === undefined) return
  const kind = operation.id === "resolveWorkApproval" ? "approval" : "clarification"
  hints.decided({ kind, workId, itemId }, String(answer.body))
}

/** Streams a download as fast as the client reads. A client that reads nothing for some time is cut off. A download that breaks off upstream breaks off for the client too. */
function download(upstream: Upstream, context: RequestContext, request: UpstreamRequest): void {
  const { response } = context
  cutWhenStalled(context, upstream.timeouts.stalledDownload)
  let flow: Flow | undefined
  response.on("drain", () => flow?.resume())
  const abort = sendUpstream(upstream, request, {
    answered: (answer) => send(context, answer),
    opened(headers, opened) {
      flow = opened
      // Do not flush the head alone: Node would then encode the bytes of a file name as UTF-8 a second time.
      response.writeHead(200, { ...downloadAnswer, ...headers, "Content-Disposition": asAttachment(headers) })
    },
    data(chunk) {
      if (!response.write(chunk)) flow?.pause()
    },
    ended: () => response.end(),
    cut(cause) {
      context.cause = cause
      cut(context)
    },
  })
  whenClosed(context, abort)
}

/** Every download is an attachment. Of another disposition, such as `inline`, only the parameters stay. */
function asAttachment({ "Content-Disposition": value = "attachment" }: HeaderFields): string {
  if (/^\s*attachment\s*(?:;|$)/i.test(value)) return value
  return value.includes(";") ? `attachment${value.slice(value.indexOf(";"))}` : "attachment"
}

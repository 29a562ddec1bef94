/** Forwards a request for one of the 13 operations: as a mutation, a shared read, a shared stream, or a download. */
import { hasNoCache } from "../../platform/http/http-fields.ts"
import { parseObject } from "../../platform/http/json-object.ts"
import { INPUTS_MAX } from "../../contract/limits.ts"
import { isRefusal, type Refusal, bodyInvalid, notFound, type HeaderFields } from "../../platform/http/refusals.ts"
import { isOneSegment } from "../../platform/http/path-match.ts"
import type { Session } from "../people/people-interface.ts"
import type { DeskRecord } from "../record/desk-record.ts"
import type { Hints } from "../watcher/shared-hints.ts"
import type { OperationCall } from "./find-operation.ts"
import { type CheckBody, Mutations } from "./mutations.ts"
import { checkArtifact, checkUploads } from "./own-items.ts"
import { checkRepeated, pickRequestHeaders } from "./passed-headers.ts"
import { SharedReads, ListReads } from "./shared-reads.ts"
import { type RequestContext, whenClosed } from "../../platform/http/request-context.ts"
import { type Answer, Refused, send, cut, cutWhenStalled } from "../../platform/http/send.ts"
import { StreamHub } from "./stream-hub.ts"
import type { Upstream } from "./upstream.ts"
import { type Seen, VisibilityCheck, type VisibilityParts } from "./visibility-check.ts"
import { readVisibleWork, shorterPage } from "./visible-lists.ts"
import { downloadAnswer } from "../../platform/http/security-headers.ts"
import { sendUpstream, type UpstreamRequest } from "./upstream-request.ts"

/** A mutation whose body took longer to arrive is checked again. */
const SEEN_AGAIN_MS = 2_000

export type ForwarderOptions = Omit<VisibilityParts, "reads"> & {
  readonly upstream: Upstream
  readonly record: DeskRecord
  readonly hints: Hints
  /** How many streams this desk may open to the upstream at once: its part of UPSTREAM_STREAMS. */
  readonly maxStreams: () => number
}

export class Forwarder {
  readonly reads: SharedReads
  readonly streams: StreamHub
  readonly mutations: Mutations
  readonly visibility: VisibilityCheck
  readonly #options: ForwarderOptions

  constructor(options: ForwarderOptions) {
    const { upstream, hints } = options
    this.#options = options
    this.reads = new SharedReads(upstream)
    this.visibility = new VisibilityCheck({ ...options, reads: this.reads })
    this.streams = new StreamHub({
      ...options,
      visibility: this.visibility.parts,
      onEvent: (workId) => {
        this.reads.expire()
        hints.hint(workId)
      },
    })
    this.mutations = new Mutations({
      ...options,
      visibility: this.visibility,
      onAnswered: (call, answer) => {
        this.reads.expire()
        notifyWatchers(hints, call, answer)
      },
    })
  }

  /** Forwards a request that passed the checks of session, role and person. What the person doesn't see is refused as missing. @throws Refused */
  async forward(context: RequestContext, call: OperationCall, session: Session): Promise<void> {
    if (this.#options.people.mode === "local") return this.#forwardChecked(context, call, session)
    const { operation, ids, target } = call
    context.hasOwnNotFound = true
    if (!ids.every(isOneSegment)) throw new Refused(notFound)
    const seen = await this.#checkWork(context, call, session)
    if (context.response.closed) return
    // The check has read what the client asks for.
    if (operation.id === "getWork" && seen?.answer !== undefined) return send(context, seen.answer)
    if (operation.id === "listWork") {
      const list = { target, headers: pickRequestHeaders(context.request, operation), origin: context }
      const reads = new ListReads(context, this.reads, this.visibility.parts.watcher)
      return send(context, await readVisibleWork(this.visibility.parts, session, list, reads, isFresh(context)))
    }
    const [id = "", itemId = ""] = ids
    if (operation.id === "getInputUpload") await checkUploads(this.visibility, session, ids, context)
    if (operation.id === "downloadWorkArtifact") await checkArtifact(this.visibility, session, id, itemId, context)
    const seenAt = performance.now()
    return this.#forwardChecked(context, call, session, (sender, body) =>
      this.#checkBody(context, call, sender, body, performance.now() - seenAt),
    )
  }

  /** Why the person sees the Work of the address. Undefined: the address names no Work. @throws Refused when the person does not see it */
  #checkWork(context: RequestContext, call: OperationCall, session: Session): Promise<Seen> | undefined {
    const target = workTargetOf(call)
    const [workId] = call.ids
    if (target === undefined || workId === undefined) return undefined
    return this.visibility.check(session, { workId, target, origin: context, isFresh: isFresh(context) })
  }

  /** Checks the uploads that a mutation names, or the Work again, because the body may have taken half a minute. @throws Refused */
  async #checkBody(
    context: RequestContext,
    call: OperationCall,
    session: Session,
    body: Buffer | undefined,
    seenMsAgo: number,
  ): Promise<void> {
    const { operation, ids } = call
    if (operation.id === "retryInputUploadProcessing") return checkUploads(this.visibility, session, ids, context)
    if (operation.id === "createWork") return checkUploads(this.visibility, session, inputsIn(body), context)
    if (seenMsAgo >= SEEN_AGAIN_MS) await this.#checkWork(context, call, session)
  }

  /** Forwards a request of a person who sees what the address names. `checkBody` checks what the body of a mutation names. */
  #forwardChecked(
    context: RequestContext,
    call: OperationCall,
    session: Session,
    checkBody?: CheckBody,
  ): void | Promise<void> {
    const { operation, target } = call
    const kind = operation.success[200]
    const isPlainRead = operation.method === "GET" && kind === "json"
    if (!isPlainRead) checkRepeated(context.request)
    const headers = pickRequestHeaders(context.request, operation)
    if (operation.method === "POST") return this.mutations.forward(context, call, headers, checkBody)
    if (kind === "event-stream") return this.streams.join(context, call, session)
    const request = { operation, headers, origin: context }
    if (kind === "octet-stream") return download(this.#options.upstream, context, { ...request, target })
    this.#readPlain(context, call, session, { ...request, target })
  }

  #readPlain(context: RequestContext, call: OperationCall, session: Session, request: UpstreamRequest): void {
    const { operation, ids } = call
    const answered = (answer: Answer | Refusal) => {
      const shorter = operation.id === "listWork" ? shorterPage(request.target, answer) : undefined
      if (shorter !== undefined) return this.#readPlain(context, call, session, { ...request, target: shorter })
      // The Work may have another scope by now than when it was checked.
      const isConcealed = operation.id === "getWork" && !this.visibility.maySeeAnswer(session, ids[0] ?? "", answer)
      send(context, isConcealed ? notFound : answer)
    }
    whenClosed(context, this.reads.read(request, answered, { isFresh: isFresh(context) }))
  }
}

const isFresh = ({ request }: RequestContext) => hasNoCache(request.headers["cache-control"])

/** The address of the Work of an operation below it, with the id as the client wrote it. */
function workTargetOf({ operation, target }: OperationCall): string | undefined {
  return operation.path.startsWith("/api/v1/work/") ? /^\/api\/v1\/work\/[^/?]*/.exec(target)?.[0] : undefined
}

/** The uploads of a createWork. @throws Refused if they aren't a list of texts, in which a service could find another upload, or are too many */
function inputsIn(body: Buffer | undefined): readonly string[] {
  const ids = (body && parseObject(body.toString("utf8")))?.["input_upload_ids"] ?? []
  if (Array.isArray(ids) && ids.length <= INPUTS_MAX && ids.every((id) => typeof id === "string")) return ids
  throw new Refused({ ...bodyInvalid, detail: `input_upload_ids must be a list of at most ${INPUTS_MAX} ids.` })
}

/** Asks the watchers to read the changed Work again. A decided item leaves their answers at once. */
function notifyWatchers(hints: Hints, { operation, ids }: OperationCall, answer: Answer | Refusal): void {
  const [workId, itemId] = ids
  if (operation.id === "createWork") hints.hintList()
  if (workId === undefined || !operation.path.startsWith("/api/v1/work/")) return
  hints.hint(workId)
  if (isRefusal(answer) || answer.status !== 200 || itemId === undefined) return
  const kind = operation.id === "resolveWorkApproval" ? "approval" : "clarification"
  hints.decided({ kind, workId, itemId }, String(answer.body))
}

/** Streams a download as fast as the client reads. What breaks off upstream breaks off for the client too. */
function download(upstream: Upstream, context: RequestContext, request: UpstreamRequest): void {
  const { response } = context
  cutWhenStalled(context, upstream.timeouts.stalledDownload)
  const answered = (answer: Answer | Refusal) => send(context, answer)
  const abort = sendUpstream(upstream, request, answered, (headers, flow) => {
    response.on("drain", () => flow.resume())
    // Don't flush the head separately: Node would then encode the bytes of a file name as UTF-8 a second time.
    response.writeHead(200, { ...downloadAnswer, ...headers, "Content-Disposition": asAttachment(headers) })
    return {
      data(chunk) {
        if (!response.write(chunk)) flow.pause()
      },
      ended: () => response.end(),
      cut(cause) {
        context.cause = cause
        cut(context)
      },
    }
  })
  whenClosed(context, abort)
}

/** Every download is an attachment. Of another disposition, such as `inline`, only the parameters stay. */
function asAttachment({ "Content-Disposition": value = "attachment" }: HeaderFields): string {
  if (/^\s*attachment\s*(?:;|$)/i.test(value)) return value
  return value.includes(";") ? `attachment${value.slice(value.indexOf(";"))}` : "attachment"
}

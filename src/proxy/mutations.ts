/**
 * Takes a mutation from the router to the client's answer: headers, body, intent row, upstream, outcome row, answer. Each request is sent to the
 * upstream at most once: the proxy never shares a mutation and never retries one. `record/mutation-steps.ts` has the record's part.
 */
import type { IncomingMessage } from "node:http"
import { operations } from "../contract/document.ts"
import { BODY_MAX_BYTES, IDEMPOTENCY_KEY_MAX_CHARACTERS } from "../contract/limits.ts"
import { type HeaderFields, isRefusal, type Refusal } from "../http/refusal.ts"
import { parseBody } from "../http/json-object.ts"
import type { People, Session } from "../people/people.ts"
import type { Mutation, MutationAnswer } from "../record/mutation.ts"
import type { DeskRecord } from "../record/record.ts"
import type { RequestContext } from "../http/request-context.ts"
import { send, sendJson, type Answer } from "../http/send.ts"
import { isJson } from "../http/request-body.ts"
import { readBodyOfPerson } from "./person-body.ts"
import type { OperationCall } from "./find-operation.ts"
import type { Trace } from "../http/trace.ts"
import { ACCEPT_JSON, sendUpstream, type UpstreamRequest } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"
import { bodyInvalid, bodyTooLarge, keyRequired, upstreamInvalid } from "../http/refusals.ts"
import { mediaTypeRefused } from "./proxy-refusals.ts"

export type MutationsOptions = {
  readonly upstream: Upstream
  readonly people: People
  readonly record: DeskRecord
  /** Called when the upstream has answered a mutation, or gave no answer, before the client gets its answer. */
  readonly onAnswered: (call: OperationCall, answer: Answer | Refusal) => void
}

/** Checks the Work and the uploads of a mutation. Gives what the client gets if the mutation must not be sent; undefined: it may be sent. */
export type CheckBody = (session: Session, body: Buffer | undefined) => Promise<Answer | Refusal | undefined>

/** The desk keeps an approve, and the service has not heard of it. */
const ACCEPTED = 202

export class Mutations {
  readonly #options: MutationsOptions
  readonly #inProgress = new Set<Promise<void>>()

  constructor(options: MutationsOptions) {
    this.#options = options
  }

  /**
   * Forwards a mutation. After its whole body has arrived, a client that leaves does not stop the mutation: the answer is awaited and
   * recorded.
   */
  async forward(
    context: RequestContext,
    call: OperationCall,
    headers: HeaderFields,
    checkBody?: CheckBody,
  ): Promise<void> {
    const refusal = checkMutation(context.request, call)
    if (refusal !== undefined) return send(context, refusal)
    const read = await readBodyOfPerson(context, this.#options.people, call.operation.id)
    if (isRefusal(read)) return send(context, read)
    const body = call.operation.hasBody ? read.body : undefined
    if (body !== undefined && parseBody(body) === undefined) return send(context, bodyInvalid)
    const running = this.#run(context, call, headers, read.session, body, checkBody)
    const ended = running.catch(() => undefined)
    this.#inProgress.add(ended)
    await running.finally(() => this.#inProgress.delete(ended))
  }

  /** Resolves when every mutation in progress has an outcome. */
  async finished(): Promise<void> {
    await Promise.all(this.#inProgress)
  }

  async #run(
    context: RequestContext,
    call: OperationCall,
    headers: HeaderFields,
    session: Session,
    body: Buffer | undefined,
    checkBody: CheckBody | undefined,
  ): Promise<void> {
    const { upstream, record, onAnswered } = this.#options
    const { operation, target } = call
    const { request, requestId, trace } = context
    const stopped = await checkBody?.(session, body)
    if (stopped !== undefined) return send(context, stopped)
    const mutation = {
      operation: operation.id,
      target,
      ...idsOf(call),
      idempotencyKey: keyOf(request) ?? "",
      ifMatch: request.headers["if-match"],
      body,
      requestId,
    }
    let approvalsFailure: Answer | Refusal = upstreamInvalid
    const prepared = await record.prepare(session, mutation, async () => {
      const read = await readApprovals(upstream, call.ids[0] ?? "", trace)
      if (!isRefusal(read) && read.status < 300) return read.body
      approvalsFailure = read
      return undefined
    })
    if (prepared.kind === "refused") return send(context, prepared.refusal)
    if (prepared.kind === "held") return sendJson(context, prepared.answer, {}, ACCEPTED)
    if (prepared.kind === "failed") return send(context, approvalsFailure)
    const answer = await sendOnce(upstream, { operation, target, headers, body: prepared.body, trace })
    await prepared.storeOutcome(mutationAnswerOf(answer))
    onAnswered(call, answer)
    send(context, answer)
  }
}

/** The Idempotency-Key of a request. Undefined when it is missing, or not 1 to 255 characters long. */
export function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers["idempotency-key"]
  return typeof key === "string" && key !== "" && key.length <= IDEMPOTENCY_KEY_MAX_CHARACTERS ? key : undefined
}

/** Checks the headers that a mutation needs. A page of another site cannot set them, because the proxy allows no CORS preflight. */
function checkMutation(request: IncomingMessage, { operation }: OperationCall): Refusal | undefined {
  const { headers } = request
  if (keyOf(request) === undefined) return keyRequired
  if (!operation.hasBody) return undefined
  if (!isJson(request)) return mediaTypeRefused
  return Number(headers["content-length"] ?? 0) > BODY_MAX_BYTES ? bodyTooLarge(BODY_MAX_BYTES) : undefined
}

function idsOf({ operation, ids }: OperationCall): Pick<Mutation, "workId" | "itemId"> {
  const [first, second] = ids
  if (first === undefined) return {}
  if (operation.path.startsWith("/api/v1/uploads/")) return { itemId: first }
  return { workId: first, ...(second === undefined ? {} : { itemId: second }) }
}

/** Reads the approvals of a Work. */
function readApprovals(upstream: Upstream, workId: string, trace: Trace): Promise<Answer | Refusal> {
  const target = `/api/v1/work/${encodeURIComponent(workId)}/approvals`
  return sendOnce(upstream, { operation: operations.listWorkApprovals, target, headers: ACCEPT_JSON, trace })
}

function sendOnce(upstream: Upstream, request: UpstreamRequest): Promise<Answer | Refusal> {
  const { promise, resolve } = Promise.withResolvers<Answer | Refusal>()
  sendUpstream(upstream, request, resolve)
  return promise
}

/** What the record is told. A Refusal here is the desk's own 502 or 504: no valid answer came. */
function mutationAnswerOf(answer: Answer | Refusal): MutationAnswer {
  if (isRefusal(answer)) return { kind: "none", unsent: answer.unsent }
  const { status, body, headers } = answer
  if (status >= 400) return { kind: "problem", status }
  const { "Idempotent-Replayed": replayed = "false" } = headers
  return { kind: "success", status, body, replayed: replayed !== "false" }
}

/**
 * The path of a mutation from the router to the client's answer: headers, body, intent row, upstream, outcome row, answer. A mutation is sent to the
 * upstream at most once: the proxy never shares one and never retries one. `desk/record/gate/mutation-gate.ts` has the record's part.
 */
import type { IncomingMessage } from "node:http"
import { membersOf } from "../../contract/operation.ts"
import { operations } from "../../contract/operations.ts"
import {
  countCharacters,
  IDEMPOTENCY_KEY_MAX_CHARACTERS,
  TIME_FRACTION_MAX_DIGITS,
  TITLE_MAX_CHARACTERS,
} from "../../contract/limits.ts"
import {
  type HeaderFields,
  isRefusal,
  type Refusal,
  bodyInvalid,
  keyRequired,
  upstreamInvalid,
} from "../../platform/http/refusals.ts"
import { type JsonObject, parseBody } from "../../platform/http/json-object.ts"
import { addressOfWork } from "../../platform/http/path-match.ts"
import type { People, Session } from "../people/people-interface.ts"
import type { Mutation, MutationAnswer } from "../record/gate/mutation.ts"
import type { ItemReads } from "../record/gate/mutation-checks.ts"
import type { DeskRecord } from "../record/desk-record.ts"
import type { Origin, RequestContext } from "../../platform/http/request-context.ts"
import { Refused, send, sendJson, type Answer } from "../../platform/http/send.ts"
import { itemsOf } from "../watcher/watched-work.ts"
import { isJson } from "../../platform/http/request-body.ts"
import { isClarificationListed } from "./own-items.ts"
import { readBodyOfPerson } from "./person-body.ts"
import type { OperationCall } from "./find-operation.ts"
import { ACCEPT_JSON, sendUpstream, type UpstreamRequest } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"
import { ANY_AGE_MS, type VisibilityCheck } from "./visibility-check.ts"
import { headerInvalid, mediaTypeRefused, timeTooFine, titleTooLong } from "./proxy-refusals.ts"
import { readTogether } from "./together-header.ts"

export type MutationsOptions = {
  readonly upstream: Upstream
  readonly people: People
  readonly record: DeskRecord
  readonly visibility: VisibilityCheck
  /** Called before the client gets its answer, also when the upstream gave none. */
  readonly onAnswered: (call: OperationCall, answer: Answer | Refusal) => void
}

/** Checks the Work and the uploads of a mutation. @throws Refused when the mutation must not be sent */
export type CheckBody = (session: Session, body: Buffer | undefined) => Promise<void>

/** The status of an approve that the desk holds, and has not sent to the service. */
const ACCEPTED = 202

export class Mutations {
  readonly #options: MutationsOptions
  readonly #inProgress = new Set<Promise<void>>()

  constructor(options: MutationsOptions) {
    this.#options = options
  }

  /** Forwards a mutation. Once its body has arrived, the answer is awaited and recorded even if the client leaves. @throws Refused */
  async forward(
    context: RequestContext,
    call: OperationCall,
    headers: HeaderFields,
    checkBody?: CheckBody,
  ): Promise<void> {
    const { operation } = call
    checkMutation(context.request, call)
    const { session, body: read } = await readBodyOfPerson(context, this.#options.people, operation.id)
    const body = operation.hasBody ? read : undefined
    const parsed = body && parseBody(body, membersOf(operation))
    if (body !== undefined && parsed === undefined) throw new Refused(bodyInvalid)
    if (operation.id === "resolveWorkApproval" && parsed?.["decision"] !== "decline") context.charges.decision()
    if (parsed !== undefined && operation.id === "createWork") checkNewWork(parsed)
    const running = this.#checkAndSend({ context, call, headers, session, body, checkBody })
    const ended = running.catch(() => undefined)
    this.#inProgress.add(ended)
    await running.finally(() => this.#inProgress.delete(ended))
  }

  /** Resolves when every mutation in progress has an outcome. */
  async finished(): Promise<void> {
    await Promise.all(this.#inProgress)
  }

  /** Reads the approvals of a Work, for a decision or a withdrawal that is checked on what the service says now. @throws Refused */
  readApprovals(workId: string, origin: Origin): Promise<Buffer> {
    const target = `${addressOfWork(workId)}/approvals`
    return this.#read({ operation: operations.listWorkApprovals, target, headers: ACCEPT_JSON, origin })
  }

  async #checkAndSend({ context, call, headers, session, body, checkBody }: Incoming): Promise<void> {
    const { upstream, record, onAnswered } = this.#options
    const { operation, target } = call
    await checkBody?.(session, body)
    const insteadOf = await this.#checkReplaced(context, call, session)
    const mutation = { ...mutationOf(context, call, body), insteadOf }
    const prepared = await record.prepare(session, mutation, this.#readsOfItem(context, call))
    if (prepared.kind === "held") return sendJson(context, prepared.answer, {}, ACCEPTED)
    const { body: sent, leaveBy } = prepared
    const answer = await sendOnce(upstream, { operation, target, headers, body: sent, origin: context, leaveBy })
    await prepared.storeOutcome(mutationAnswerOf(answer))
    onAnswered(call, answer)
    send(context, answer)
  }

  /** The Work that new Work replaces. The person must be able to see it, because the new Work is stored with a link to it. @throws Refused */
  async #checkReplaced(
    context: RequestContext,
    { operation }: OperationCall,
    session: Session,
  ): Promise<string | undefined> {
    const insteadOf = operation.id === "createWork" ? textOf(context.request.headers["desk-instead-of"]) : undefined
    if (insteadOf !== undefined) await this.#options.visibility.checkNamed(session, insteadOf, context)
    return insteadOf
  }

  /** What the gate may read about the item of a mutation. */
  #readsOfItem(context: RequestContext, { ids }: OperationCall): ItemReads {
    const { parts } = this.#options.visibility
    const [workId = "", itemId = ""] = ids
    return {
      approvals: () => this.readApprovals(workId, context),
      isClarificationListed: () => isClarificationListed(parts, workId, itemId, context),
      colleague: () => this.#readColleague(workId, context),
      knownColleague: () => parts.watcher.known(workId, ANY_AGE_MS)?.work.colleague || undefined,
      isTooLarge: () => this.#isTooLarge(workId, itemId),
    }
  }

  /** Whether the watcher knows that an item is too large to be approved or answered here. */
  #isTooLarge(workId: string, itemId: string): boolean {
    const watched = this.#options.visibility.parts.watcher.known(workId, ANY_AGE_MS)
    return watched !== undefined && itemsOf(watched).some((item) => item.id === itemId && item.isTooLarge)
  }

  /** Reads the colleague of a Work, whose freeze refuses an approve. @throws Refused */
  async #readColleague(workId: string, origin: Origin): Promise<string> {
    const target = addressOfWork(workId)
    const body = await this.#read({ operation: operations.getWork, target, headers: ACCEPT_JSON, origin })
    const { colleague_id: colleague } = parseBody(body) ?? {}
    if (typeof colleague !== "string") throw new Refused(upstreamInvalid)
    return colleague
  }

  async #read(request: UpstreamRequest): Promise<Buffer> {
    const read = await sendOnce(this.#options.upstream, request)
    if (isRefusal(read) || read.status >= 300) throw new Refused(read)
    return read.body
  }
}

/** A mutation whose body has arrived. */
type Incoming = {
  readonly context: RequestContext
  readonly call: OperationCall
  /** The headers for the upstream. */
  readonly headers: HeaderFields
  readonly session: Session
  readonly body: Buffer | undefined
  readonly checkBody: CheckBody | undefined
}

function mutationOf({ request, requestId }: RequestContext, call: OperationCall, body: Buffer | undefined): Mutation {
  return {
    operation: call.operation.id,
    target: call.target,
    ...idsOf(call),
    idempotencyKey: keyOf(request) ?? "",
    ifMatch: request.headers["if-match"],
    mustHold: request.headers["desk-approve"] !== undefined,
    wantsChange: request.headers["desk-wants-change"] !== undefined,
    together: readTogether(request),
    body,
    requestId,
  }
}

/** The Idempotency-Key. Undefined when it is missing, or not 1 to 255 characters long. */
export function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers["idempotency-key"]
  return typeof key === "string" && key !== "" && key.length <= IDEMPOTENCY_KEY_MAX_CHARACTERS ? key : undefined
}

/** Refuses a title or a time that is too long, because each list that shows the Work would carry it. @throws Refused */
function checkNewWork({ title, due_at: dueAt }: JsonObject): void {
  if (typeof title === "string" && countCharacters(title) > TITLE_MAX_CHARACTERS) throw new Refused(titleTooLong)
  const fraction = typeof dueAt === "string" ? /[.,](\d*)/.exec(dueAt)?.[1] : undefined
  if ((fraction?.length ?? 0) > TIME_FRACTION_MAX_DIGITS) throw new Refused(timeTooFine)
}

/** The value of a header that `checkRepeated` lets through once. */
const textOf = (header: string | readonly string[] | undefined) => (typeof header === "string" ? header : undefined)

/** A page of another site cannot set these headers, because the proxy allows no CORS preflight. @throws Refused */
function checkMutation(request: IncomingMessage, { operation }: OperationCall): void {
  if (keyOf(request) === undefined) throw new Refused(keyRequired)
  if (operation.hasBody && !isJson(request)) throw new Refused(mediaTypeRefused)
  // An unknown value is refused, not ignored: the sender wanted a restriction that the desk doesn't know.
  for (const [name, value] of OWN_HEADERS) {
    const sent = request.headers[name.toLowerCase()]
    if (sent !== undefined && sent !== value) throw new Refused(headerInvalid(name, value))
  }
  readTogether(request)
}

/** The desk's own headers of a decision, each with its one value. */
const OWN_HEADERS = [
  ["Desk-Approve", "hold"],
  ["Desk-Wants-Change", "true"],
] as const

function idsOf({ operation, ids }: OperationCall): Pick<Mutation, "workId" | "itemId"> {
  const [first, second] = ids
  if (first === undefined) return {}
  if (operation.path.startsWith("/api/v1/uploads/")) return { itemId: first }
  return { workId: first, ...(second === undefined ? {} : { itemId: second }) }
}

function sendOnce(upstream: Upstream, request: UpstreamRequest): Promise<Answer | Refusal> {
  const { promise, resolve } = Promise.withResolvers<Answer | Refusal>()
  sendUpstream(upstream, request, resolve)
  return promise
}

/** The answer as the record stores it. A Refusal here is the desk's own 502 or 504: no valid answer came. */
function mutationAnswerOf(answer: Answer | Refusal): MutationAnswer {
  if (isRefusal(answer)) return { kind: "none", unsent: answer.unsent }
  const { status, body, headers } = answer
  if (status >= 400) return { kind: "problem", status }
  const { "Idempotent-Replayed": replayed = "false" } = headers
  return { kind: "success", status, body, replayed: replayed !== "false" }
}

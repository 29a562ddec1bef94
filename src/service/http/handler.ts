/** The types of handlers, and what a handler does with a read and with a mutation. */
import type { ServerResponse } from "node:http"
import { stringifyJson } from "../../contract/int64.ts"
import type { OperationId } from "../../contract/resources.ts"
import type { operations } from "../../contract/schema.d.ts"
import { bodyFault } from "../validation.ts"
import { findFirstAnswer, type FirstAnswer, keepFirstAnswer } from "../admission/idempotency.ts"
import type { Credential } from "../admission/credentials.ts"
import { optional } from "../api-values.ts"
import { ProblemError, invalidRequest } from "../problems.ts"
import type { Store } from "../store/store.ts"

export type Headers = Readonly<Record<string, string>>

/** The answer of a handler. The server adds the headers of all answers. `open` gets them, because a stream writes its own head. */
export type Reply =
  | { readonly kind: "json"; readonly status: number; readonly body: string; readonly headers: Headers }
  | { readonly kind: "bytes"; readonly body: Uint8Array; readonly headers: Headers }
  | { readonly kind: "stream"; readonly open: (response: ServerResponse, headers: Headers) => void }

/** A request that has passed the checks that need no resource (check-request.ts). */
export type CheckedRequest = {
  readonly credential: Credential
  /** The path as it was sent. */
  readonly rawPath: string
  /** The decoded ids of the path, by name. */
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  /** Empty if the operation takes no Idempotency-Key. */
  readonly idempotencyKey: string
  readonly ifMatch: bigint | undefined
  readonly lastEventId: string | undefined
}

/** The handler of an operation. The id in the type makes a missing or misplaced handler not compile. */
export type Handler<Id extends OperationId> = {
  readonly operation: Id
  answer(request: CheckedRequest): Reply | Promise<Reply>
}

export type Handlers = { readonly [Id in OperationId]: Handler<Id> }

type Json<Answer> = Answer extends { content: { "application/json": infer Body } } ? Body : never
type Parameters<Id extends OperationId, Where extends "path" | "query"> = NonNullable<
  operations[Id]["parameters"][Where]
>

/** The body of a successful answer. */
type AnswerBody<Id extends OperationId> = Json<operations[Id]["responses"][keyof operations[Id]["responses"]]>

/** The body of a request. Undefined if the operation has none. */
type RequestBody<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { "application/json": infer Body } }
}
  ? Body
  : undefined

/** A request to one operation. `path` and `query` give the operation's parameters by name. */
type RequestTo<Id extends OperationId> = {
  readonly credential: Credential
  readonly body: RequestBody<Id>
  readonly lastEventId: string | undefined
  readonly path: (name: keyof Parameters<Id, "path"> & string) => string
  readonly query: (name: keyof Parameters<Id, "query"> & string) => string | undefined
}

/** Makes the handler of an operation, which refuses a body that violates the contract and gives the request the types of the operation. */
export function handler<Id extends OperationId>(
  operation: Id,
  answer: (request: RequestTo<Id>, checked: CheckedRequest) => Reply | Promise<Reply>,
): Handler<Id> {
  return {
    operation,
    answer(checked) {
      const { credential, path, query, body, lastEventId } = checked
      const fault = bodyFault(operation, body)
      if (!isRequestBody<Id>(body, fault)) throw invalidRequest(fault ?? "")
      const names = { path: (name: string) => path[name] ?? "", query: (name: string) => query[name] }
      return answer({ credential, body, lastEventId, ...names }, checked)
    },
  }
}

/** Makes the handler of an operation that reads and answers 200 with JSON. With a `version` the answer has an ETag. */
export function reading<Id extends OperationId>(
  operation: Id,
  read: (request: RequestTo<Id>) => { body: AnswerBody<Id>; version?: bigint },
): Handler<Id> {
  return handler(operation, (request) => {
    const { body, version } = read(request)
    const etag = version === undefined ? undefined : entityTag(version)
    return replyOf({ status: 200, body: stringifyJson(body), etag, location: undefined })
  })
}

/** The parts of a mutation. docs/embedded-service.md, "Order of checks", says in which order they run. */
export type Mutation<Id extends OperationId, Target> = {
  /** The status of the first answer. A replay of a 201 is 200. */
  readonly status: 200 | 201 | 202
  /** Finds the resource of the request. @throws ProblemError 404 */
  find(request: RequestTo<Id>): Target
  /** Returns the current version of the resource. Only operations with `If-Match` have this member. */
  version?(target: Target): bigint
  /** Performs the operation. @throws ProblemError 409, 422 or 503 */
  perform(request: RequestTo<Id>, target: Target): { body: AnswerBody<Id>; version?: bigint; location?: string }
}

/** Makes the handler of a mutation. Its effect, its events and its idempotency record are one transaction. */
export function mutation<Id extends OperationId, Target>(
  operation: Id,
  { store }: { readonly store: Store },
  definition: Mutation<Id, Target>,
): Handler<Id> {
  return handler(operation, (request, checked) =>
    store.effect(() => {
      const input = { operation, ...checked }
      // The key belongs to an account and an operation. `other input`: it was used with another path, `If-Match` or body. A retry gets the first
      // answer even if its resource is no longer visible. Any other request first needs a visible resource, so a key with other input gets 404
      // before 409.
      const first = findFirstAnswer(store, input)
      if (first !== undefined && first !== "other input") return replyOf(first, { "Idempotent-Replayed": "true" })
      const target = definition.find(request)
      if (first === "other input") {
        const detail = "This Idempotency-Key was used for another request; use a new key"
        throw new ProblemError("IDEMPOTENCY_CONFLICT", detail)
      }
      if (definition.version !== undefined) checkVersion(checked.ifMatch, definition.version(target))
      const { body, version, location } = definition.perform(request, target)
      const answer = {
        status: definition.status,
        body: stringifyJson(body),
        etag: version === undefined ? undefined : entityTag(version),
        location,
      }
      keepFirstAnswer(store, input, answer)
      return replyOf(answer)
    }),
  )
}

/** A stale version is not `retryable`, because the same request cannot pass later. */
function checkVersion(sent: bigint | undefined, current: bigint): void {
  if (sent === undefined)
    throw new ProblemError("VERSION_REQUIRED", "If-Match is required; set it to the version that you read")
  if (sent === current) return
  const detail = `If-Match has version ${sent}, but the current version is ${current}; read it again, then decide`
  throw new ProblemError("VERSION_STALE", detail)
}

function replyOf({ status, body, etag, location }: FirstAnswer, headers: Headers = {}): Reply {
  return {
    kind: "json",
    status,
    body,
    headers: { ...optional("ETag", etag), ...optional("Location", location), ...headers },
  }
}

/** Formats a version as a strong entity tag: `"3"`. */
export function entityTag(version: bigint): string {
  return `"${version}"`
}

/** Lets the compiler know that a body without a fault has the type of the contract. */
function isRequestBody<Id extends OperationId>(_body: unknown, fault: string | undefined): _body is RequestBody<Id> {
  return fault === undefined
}

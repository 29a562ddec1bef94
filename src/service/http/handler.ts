import type { ServerResponse } from "node:http"
import { stringifyJson } from "../../contract/int64.ts"
import type { OperationId } from "../../contract/resources.ts"
import type { operations } from "../../contract/schema.d.ts"
import { bodyFault } from "../validation.ts"
import type { IdempotencyRecords } from "../admission/idempotency.ts"
import { checkVersion } from "../admission/if-match.ts"
import type { Credential } from "../admission/credentials.ts"
import { idempotencyConflict, invalidRequest } from "../problems.ts"
import type { Store, Transaction } from "../store/store.ts"

type Headers = Readonly<Record<string, string>>

/** The answer of a handler. The server adds the headers that all answers have. */
export type Reply =
  | { readonly kind: "json"; readonly status: number; readonly body: string; readonly headers: Headers }
  | { readonly kind: "bytes"; readonly body: Uint8Array; readonly headers: Headers }
  | { readonly kind: "stream"; open(response: ServerResponse): void }

/** A request that has passed the checks that need no resource (checkRequest in server.ts). */
export type CheckedRequest = {
  readonly credential: Credential
  readonly rawPath: string
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  /** Empty if the operation takes no Idempotency-Key. */
  readonly idempotencyKey: string
  readonly ifMatch: bigint | undefined
  readonly lastEventId: string | undefined
}

/** The handler of an operation. The type holds the operation's id, so that a missing or misplaced handler does not compile. */
export type Handler<Id extends OperationId> = {
  readonly operation: Id
  answer(request: CheckedRequest): Reply | Promise<Reply>
}

export type Handlers = { readonly [Id in OperationId]: Handler<Id> }

type Json<Answer> = Answer extends { content: { "application/json": infer Body } } ? Body : never
type Parameters<Id extends OperationId, Where extends "path" | "query"> = NonNullable<
  operations[Id]["parameters"][Where]
>

/** The type of the body of a successful answer, from the contract. */
export type AnswerBody<Id extends OperationId> = Json<operations[Id]["responses"][keyof operations[Id]["responses"]]>

/** The type of the operation's request body, from the contract. Undefined if the operation has no body. */
export type RequestBody<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { "application/json": infer Body } }
}
  ? Body
  : undefined

/** A request to one operation. `path` and `query` give the operation's parameters by name; another name does not compile. */
export type RequestTo<Id extends OperationId> = {
  readonly credential: Credential
  readonly body: RequestBody<Id>
  readonly path: (name: keyof Parameters<Id, "path"> & string) => string
  readonly query: (name: keyof Parameters<Id, "query"> & string) => string | undefined
}

/** Makes the handler of an operation that reads and answers 200 with JSON. With a `version` the answer has an ETag. */
export function reading<Id extends OperationId>(
  operation: Id,
  read: (request: RequestTo<Id>) => { body: AnswerBody<Id>; version?: bigint },
): Handler<Id> {
  return {
    operation,
    answer(request) {
      const { body, version } = read(requestTo(operation, request))
      const headers = version === undefined ? {} : { ETag: entityTag(version) }
      return { kind: "json", status: 200, body: stringifyJson(body), headers }
    },
  }
}

/** The parts of a mutation. docs/embedded-service.md, "Order of checks", says in which order they run. */
export type Mutation<Id extends OperationId, Target> = {
  /** The status of the first answer. A replay of a 201 is 200. */
  readonly status: 200 | 201 | 202
  /** Finds the resource of the request. @throws Refusal 404 */
  find(request: RequestTo<Id>): Target
  /** Gives the current version of the resource. Only operations with `If-Match` have this member. */
  version?(target: Target): bigint
  /** Performs the operation. @throws Refusal 409, 422 or 503 */
  perform(
    transaction: Transaction,
    request: RequestTo<Id>,
    target: Target,
  ): { body: AnswerBody<Id>; version?: bigint; location?: string }
}

/** Makes the handler of a mutation. Its effect, its events and its idempotency record are one transaction. */
export function mutation<Id extends OperationId, Target>(
  operation: Id,
  { store, idempotency }: { readonly store: Store; readonly idempotency: IdempotencyRecords },
  definition: Mutation<Id, Target>,
): Handler<Id> {
  return {
    operation,
    answer(checked) {
      const request = requestTo(operation, checked)
      return store.effect((transaction) => {
        const input = { operation, ...checked }
        // A retry gets the first answer also when its resource is no longer visible. Any other request first needs a visible resource.
        const first = idempotency.find(input)
        if (first !== undefined && first !== "other input") return first
        const target = definition.find(request)
        if (first === "other input") throw idempotencyConflict()
        if (definition.version !== undefined) checkVersion(checked.ifMatch, definition.version(target))
        const { body, version, location } = definition.perform(transaction, request, target)
        return idempotency.keep(input, {
          status: definition.status,
          body: stringifyJson(body),
          etag: version === undefined ? undefined : entityTag(version),
          location,
        })
      })
    },
  }
}

/** Gives a checked request the types of one operation. @throws Refusal 400 when the body violates the contract */
export function requestTo<Id extends OperationId>(operation: Id, checked: CheckedRequest): RequestTo<Id> {
  const { credential, path, query, body } = checked
  const fault = bodyFault(operation, body)
  if (!isRequestBody<Id>(body, fault)) throw invalidRequest(fault ?? "")
  return { credential, body, path: (name) => path[name] ?? "", query: (name) => query[name] }
}

/** Formats a version as a strong entity tag: `"3"`. */
export function entityTag(version: bigint): string {
  return `"${version}"`
}

function isRequestBody<Id extends OperationId>(_body: unknown, fault: string | undefined): _body is RequestBody<Id> {
  return fault === undefined
}

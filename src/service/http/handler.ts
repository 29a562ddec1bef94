import type { ServerResponse } from "node:http"
import { stringifyJson } from "../../contract/int64.ts"
import type { OperationId } from "../../contract/resources.ts"
import type { operations } from "../../contract/schema.d.ts"
import { validateRequestBody } from "../../contract/validation.ts"
import type { ValidationFailure } from "../../contract/validation.ts"
import type { IdempotencyRecords } from "../admission/idempotency.ts"
import { checkVersion } from "../admission/version.ts"
import type { Credential } from "../admission/who.ts"
import { invalidRequest } from "../problems.ts"
import type { Store, Transaction } from "../store/store.ts"

type Headers = Readonly<Record<string, string>>

/** The answer of a handler. The server adds the headers that every answer has. */
export type Reply =
  | { readonly kind: "json"; readonly status: number; readonly body: string; readonly headers: Headers }
  | { readonly kind: "bytes"; readonly body: Uint8Array; readonly headers: Headers }
  | { readonly kind: "stream"; open(response: ServerResponse): void }

/** A request that has passed all checks that do not need its resource. */
export type CheckedRequest = {
  readonly credential: Credential
  readonly rawPath: string
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  /** The empty text where the operation has none. */
  readonly idempotencyKey: string
  readonly ifMatch: bigint | undefined
  readonly lastEventId: string | undefined
}

/** The handler of an operation. The type has the operation's id, so that the map of handlers has every operation once. */
export type Handler<Id extends OperationId> = {
  readonly operation: Id
  answer(request: CheckedRequest): Reply | Promise<Reply>
}

export type Handlers = { readonly [Id in OperationId]: Handler<Id> }

type Json<Answer> = Answer extends { content: { "application/json": infer Body } } ? Body : never
type Parameters<Id extends OperationId, Where extends "path" | "query"> = NonNullable<
  operations[Id]["parameters"][Where]
>

/** The body of the operation's success, as the contract has it. */
export type AnswerBody<Id extends OperationId> = Json<operations[Id]["responses"][keyof operations[Id]["responses"]]>

/** The operation's request body, as the contract has it; undefined where it has none. */
export type RequestBody<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { "application/json": infer Body } }
}
  ? Body
  : undefined

/** A request to one operation: only its own parameters can be asked for. */
export type RequestTo<Id extends OperationId> = {
  readonly credential: Credential
  readonly body: RequestBody<Id>
  readonly path: (name: keyof Parameters<Id, "path"> & string) => string
  readonly query: (name: keyof Parameters<Id, "query"> & string) => string | undefined
}

/** A reading operation that answers 200 with JSON. */
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

/** The parts of a mutation. docs/embedded-service.md, "Order of checks", has their order. */
export type Mutation<Id extends OperationId, Target> = {
  /** The status of the first answer. A replay of a 201 is 200. */
  readonly status: 200 | 201 | 202
  /** Finds the resource of the request. Throws the 404. */
  find(request: RequestTo<Id>): Target
  /** The current version, where the operation takes `If-Match`. */
  version?(target: Target): bigint
  /** Performs the operation. Throws 409, 422 and 503. */
  perform(
    transaction: Transaction,
    request: RequestTo<Id>,
    target: Target,
  ): { body: AnswerBody<Id>; version?: bigint; location?: string }
}

/** A mutating operation: one transaction for its effect, its events and its idempotency record. */
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
        const target = definition.find(request)
        const input = { operation, ...checked }
        const replay = idempotency.find(input)
        if (replay !== undefined) return replay
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

/** Narrows a checked request to one operation. Throws the 400 when its body is not what the contract says. */
export function requestTo<Id extends OperationId>(operation: Id, checked: CheckedRequest): RequestTo<Id> {
  const { credential, path, query, body } = checked
  const failures = validateRequestBody(operation, body)
  if (!isRequestBody<Id>(body, failures)) throw invalidRequest(failures.map(({ detail }) => detail).join("; "))
  return { credential, body, path: (name) => path[name] ?? "", query: (name) => query[name] }
}

/** A strong tag of a version: `"3"`. */
export function entityTag(version: bigint): string {
  return `"${version}"`
}

function isRequestBody<Id extends OperationId>(
  _body: unknown,
  failures: readonly ValidationFailure[],
): _body is RequestBody<Id> {
  return failures.length === 0
}

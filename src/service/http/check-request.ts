/** The checks of a request before its handler, in the order of docs/embedded-service.md. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { parseInt64 } from "../../contract/int64.ts"
import type { OperationId } from "../../contract/resources.ts"
import type { Credentials } from "../admission/credentials.ts"
import type { RateLimiter } from "../admission/rate.ts"
import { ProblemError, invalidRequest } from "../problems.ts"
import type { Streams } from "../streams.ts"
import { parameterFault } from "../validation.ts"
import { readJsonBody } from "./body.ts"
import type { CheckedRequest } from "./handler.ts"
import { findRoute, readQuery, type Route } from "./target.ts"

export type AdmissionParts = {
  readonly credentials: Credentials
  readonly rates: RateLimiter
  readonly streams: Streams
  readonly isBehindProxy: boolean
}

/** A request that is being answered. Every answer to the request has `headers`. `operation` is undefined until the path is checked. */
export type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly query: string
  readonly headers: Record<string, string>
  readonly begun: number
  operation: OperationId | undefined
}

/**
 * Makes the checks that need no resource, in this order: 401 and 429, 404 and 405 for the path, 429 for too many streams, 403, 400 and 413. A
 * request without a valid credential counts against its address, and gets 429 when the address has used up its budget.
 */
export async function checkRequest(
  { credentials, rates, streams, isBehindProxy }: AdmissionParts,
  exchange: Exchange,
): Promise<{ operation: OperationId; checked: CheckedRequest }> {
  const { request, path, headers } = exchange
  const method = request.method ?? ""
  const [authorization, ...more] = request.headersDistinct["authorization"] ?? []
  const credential = more.length === 0 ? credentials.authenticate(authorization) : undefined
  const rateClass = method === "GET" || method === "HEAD" ? "read" : "write"
  const decision =
    credential === undefined
      ? rates.take("unauthenticated", clientAddress(request, isBehindProxy))
      : rates.take(rateClass, credential.id)
  Object.assign(headers, decision.headers())
  if (!decision.isAdmitted) {
    const { retryAfter } = decision
    throw new ProblemError("RATE_LIMITED", "This minute's quota is used up", { retryable: true, retryAfter })
  }
  if (credential === undefined) {
    const detail = "The bearer credential is missing, invalid or revoked"
    // RFC 9110, section 11.6.1, requires the challenge.
    throw new ProblemError("UNAUTHENTICATED", detail, { headers: { "WWW-Authenticate": "Bearer" } })
  }

  const route = findRoute(method, path)
  const { id, scope } = route.operation
  exchange.operation = id
  if (id === "streamWorkEvents") streams.checkRoom(credential.id)
  if (!credential.scopes.has(scope)) throw new ProblemError("SCOPE_MISSING", `The credential lacks the scope ${scope}`)
  return { operation: id, checked: { credential, ...(await readParameters(route, exchange)) } }
}

/** The address of a client. Behind a proxy only the last entry of X-Forwarded-For counts: the proxy appends it, and a client may forge the others. */
function clientAddress({ headers, socket }: IncomingMessage, isBehindProxy: boolean): string {
  const forwarded = isBehindProxy ? String(headers["x-forwarded-for"] ?? "").split(",") : []
  return forwarded.at(-1)?.trim() || (socket.remoteAddress ?? "")
}

/** @throws ProblemError 400 or 413 */
async function readParameters(
  { operation, path }: Route,
  { request, response, path: rawPath, query: rawQuery }: Exchange,
): Promise<Omit<CheckedRequest, "credential">> {
  const query = readQuery(operation, rawQuery)
  for (const [name, value] of Object.entries(query)) check(parameterFault(operation.id, "query", name, value))
  const lastEventId = operation.id === "streamWorkEvents" ? single(request, "last-event-id") : undefined
  if (lastEventId !== undefined && query["after"] === undefined) {
    check(parameterFault(operation.id, "header", "Last-Event-ID", lastEventId))
  }
  let idempotencyKey = ""
  if (operation.needsIdempotencyKey) {
    idempotencyKey = single(request, "idempotency-key") ?? ""
    if (idempotencyKey === "") throw invalidRequest("Idempotency-Key is required")
    check(parameterFault(operation.id, "header", "Idempotency-Key", idempotencyKey))
  }
  const ifMatch = operation.needsIfMatch ? readIfMatch(request.headers["if-match"]) : undefined
  const body = operation.hasBody ? await readJsonBody(request, response) : undefined
  return { rawPath, path, query, body, idempotencyKey, ifMatch, lastEventId }
}

/** The only value of a header. Node would join repeated values. @throws ProblemError 400 when the header is repeated */
function single(request: IncomingMessage, name: string): string | undefined {
  const [value, ...more] = request.headersDistinct[name] ?? []
  if (more.length > 0) throw invalidRequest(`${name} must not be repeated`)
  return value
}

function check(fault: string | undefined): void {
  if (fault !== undefined) throw invalidRequest(fault)
}

/** @throws ProblemError 400 for everything but a strong tag of an integer version: `"3"` */
function readIfMatch(header: string | undefined): bigint | undefined {
  if (header === undefined) return undefined
  const version = parseInt64(/^"(\d+)"$/.exec(header)?.[1] ?? "")
  if (version === undefined) throw invalidRequest('If-Match must be one strong version tag, such as "3"')
  return version
}
